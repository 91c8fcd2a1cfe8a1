//! Functions of the embedding program that tools may call as `btcp.functions.NAME(args)`.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use cofferdam_abi::Value;
use cofferdam_kernel::resources::{self, CallFailed};
use serde_json::Value as Json;

use crate::error::{Error, ErrorKind};
use crate::json;
use crate::schema::Schema;

type Answer = Pin<Box<dyn Future<Output = Result<Json, String>> + Send>>;

/// Name, description and schemas of a function, as a language model needs them.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Signature {
    /// Name that tools call the function by.
    pub name: String,
    /// Purpose of the function, in the words of the embedding program; empty if it gave none.
    pub description: String,
    /// JSON Schema of the arguments.
    pub takes: Option<Json>,
    /// JSON Schema of the result.
    pub gives: Option<Json>,
}

/// A function with optional JSON Schemas. Arguments are validated before the call, results before
/// the tool sees them.
pub struct Function {
    signature: Signature,
    takes: Option<Arc<Schema>>,
    gives: Option<Arc<Schema>>,
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
        let (name, description) = (name.into(), String::new());
        let signature = Signature { name, description, takes: None, gives: None };
        Function { signature, takes: None, gives: None, body }
    }

    /// Sets the description that [`Sandbox::functions`](crate::Sandbox::functions) lists.
    pub fn described(mut self, description: impl Into<String>) -> Self {
        self.signature.description = description.into();
        self
    }

    /// Sets the JSON Schema of the arguments.
    pub fn takes(mut self, schema: &Json) -> Result<Self, Error> {
        self.takes = Some(self.validator("arguments", schema)?);
        self.signature.takes = Some(schema.clone());
        Ok(self)
    }

    /// Sets the JSON Schema of the result.
    pub fn gives(mut self, schema: &Json) -> Result<Self, Error> {
        self.gives = Some(self.validator("result", schema)?);
        self.signature.gives = Some(schema.clone());
        Ok(self)
    }

    /// Returns the name that tools call the function by.
    pub fn name(&self) -> &str {
        &self.signature.name
    }

    /// Returns the name, description and schemas.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    fn validator(&self, of: &str, schema: &Json) -> Result<Arc<Schema>, Error> {
        Schema::new(schema).map(Arc::new).map_err(|e| {
            let what = format!("function {}: schema of its {of}: {e}", self.name());
            Error::new(ErrorKind::BadOption, what)
        })
    }
}

impl resources::Function for Function {
    fn call(&self, args: Value) -> Pin<Box<dyn Future<Output = Result<Value, CallFailed>> + Send>> {
        let args = json::to_json(&args).json;
        let (name, gives) = (self.signature.name.clone(), self.gives.clone());
        if let Some(what) = self.takes.as_ref().and_then(|schema| schema.complaint(&args)) {
            let message = format!("{name}: wrong arguments: {what}");
            return Box::pin(async move { Err(CallFailed { name: "TypeError", message }) });
        }
        let answer = (self.body)(args);
        Box::pin(async move {
            let failed = |message| CallFailed { name: "Error", message };
            let result = answer.await.map_err(|e| failed(format!("{name}: {e}")))?;
            match gives.as_ref().and_then(|schema| schema.complaint(&result)) {
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
    fn functions_are_listed_for_a_model() {
        let function = |name: &str| Function::new(name, |_| async { Ok(Json::Null) });
        let schema = json!({ "type": "object" });
        let described = function("b").described("Does b.").takes(&schema).expect("a schema");
        let builder = crate::Sandbox::builder().function(described).function(function("a"));
        let sandbox = builder.build().expect("a sandbox");
        let listed = sandbox.fork().expect("a fork").functions().to_vec();
        assert_eq!(listed, sandbox.functions());
        assert_eq!((listed[0].name.as_str(), &listed[0].takes), ("a", &None));
        assert_eq!(listed[1].description, "Does b.");
        assert_eq!(listed[1].takes, Some(schema));
    }

    #[test]
    fn a_schema_that_is_none_is_an_error() {
        let function = Function::new("f", |_| async { Ok(Json::Null) });
        assert!(function.takes(&json!({ "type": "strange" })).is_err());
    }
}
