//! Functions of the embedding program that tools may call as `btcp.functions.NAME(args)`.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use cofferdam_abi::Value;
use cofferdam_kernel::resources::{self, CallFailed};
use jsonschema::Validator;
use serde_json::Value as Json;

use crate::error::{Error, ErrorKind};
use crate::json;

type Answer = Pin<Box<dyn Future<Output = Result<Json, String>> + Send>>;

/// A function with optional JSON Schemas. Arguments are validated before the call, results before
/// the tool sees them.
pub struct Function {
    name: String,
    takes: Option<Arc<Validator>>,
    gives: Option<Arc<Validator>>,
    body: Arc<dyn Fn(Json) -> Answer + Send + Sync>,
}

impl Function {
    /// Creates a function. An `Err` that `body` returns is thrown in the tool.
    pub fn new<F, A>(name: impl Into<String>, body: F) -> Self
    where
        F: Fn(Json) -> A + Send + Sync + 'static,
        A: Future<Output = Result<Json, String>> + Send + 'static,
    {
        let body = Arc::new(move |args| -> Answer { Box::pin(body(args)) });
        Function { name: name.into(), takes: None, gives: None, body }
    }

    /// Sets the JSON Schema of the arguments.
    pub fn takes(mut self, schema: &Json) -> Result<Self, Error> {
        self.takes = Some(self.validator("arguments", schema)?);
        Ok(self)
    }

    /// Sets the JSON Schema of the result.
    pub fn gives(mut self, schema: &Json) -> Result<Self, Error> {
        self.gives = Some(self.validator("result", schema)?);
        Ok(self)
    }

    /// Returns the name that tools call the function by.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn validator(&self, of: &str, schema: &Json) -> Result<Arc<Validator>, Error> {
        let made = jsonschema::validator_for(schema);
        made.map(Arc::new).map_err(|e| {
            let what = format!("function {}: schema of its {of}: {e}", self.name);
            Error::new(ErrorKind::BadOption, what)
        })
    }
}

/// Describes in one line why a value does not match its schema, or returns `None` if it does.
fn complaint(validator: Option<&Validator>, value: &Json) -> Option<String> {
    let error = validator?.validate(value).err()?;
    let path = error.instance_path().to_string();
    let at = if path.is_empty() { String::new() } else { format!(" at {path}") };
    Some(format!("{error}{at}"))
}

impl resources::Function for Function {
    fn call(&self, args: Value) -> Pin<Box<dyn Future<Output = Result<Value, CallFailed>> + Send>> {
        let args = json::to_json(&args).json;
        let (name, gives) = (self.name.clone(), self.gives.clone());
        if let Some(what) = complaint(self.takes.as_deref(), &args) {
            let message = format!("{name}: wrong arguments: {what}");
            return Box::pin(async move { Err(CallFailed { name: "TypeError", message }) });
        }
        let answer = (self.body)(args);
        Box::pin(async move {
            let failed = |message| CallFailed { name: "Error", message };
            let result = answer.await.map_err(|e| failed(format!("{name}: {e}")))?;
            match complaint(gives.as_deref(), &result) {
                Some(what) => Err(failed(format!("{name}: wrong result: {what}"))),
                None => Ok(json::from_json(result)),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cofferdam_kernel::resources::Function as _;
    use serde_json::json;

    fn check(args: Json, result: Json, says: Result<Json, &str>) {
        let schema = json!({ "type": "object", "required": ["n"] });
        let function = Function::new("f", move |_| {
            let result = result.clone();
            async move { Ok(result) }
        });
        let function = function.takes(&schema).and_then(|f| f.gives(&json!({ "type": "number" })));
        let function = function.expect("the schemas are sound");
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        match (runtime.block_on(function.call(json::from_json(args))), says) {
            (Ok(value), Ok(expected)) => assert_eq!(json::to_json(&value).json, expected),
            (Err(failed), Err(part)) => assert!(failed.message.contains(part), "{failed:?}"),
            (got, _) => panic!("{got:?}"),
        }
    }

    #[test]
    fn arguments_are_checked_before_and_results_after() {
        check(json!({ "n": 1 }), json!(2), Ok(json!(2)));
        check(json!({}), json!(2), Err("wrong arguments"));
        check(json!({ "n": 1 }), json!("two"), Err("wrong result"));
    }

    #[test]
    fn a_schema_that_is_none_is_an_error() {
        let function = Function::new("f", |_| async { Ok(Json::Null) });
        assert!(function.takes(&json!({ "type": "strange" })).is_err());
    }
}
