//! Functions of the embedding program behind permits.

use std::future::Future;
use std::pin::Pin;

use cofferdam_abi::Value;
use cofferdam_broker::{Action, Permit};
use cofferdam_caps::Request;
use cofferdam_caps::function::FunctionName;

use crate::shared::resources::{self, CallFailed};

/// Functions that the embedding program registered.
#[derive(Clone, Copy)]
pub struct Functions<'a> {
    functions: &'a resources::Functions,
}

/// Calling one function.
pub struct CallFunction {
    name: FunctionName,
}

impl CallFunction {
    /// Names a function.
    pub fn new(name: FunctionName) -> Self {
        CallFunction { name }
    }
}

impl Action for CallFunction {
    fn request(&self) -> Request {
        Request::Function { name: self.name.clone() }
    }
}

impl<'a> Functions<'a> {
    pub(super) fn new(functions: &'a resources::Functions) -> Self {
        Functions { functions }
    }

    /// Starts a call. Dropping the future cancels the call.
    pub fn call(
        self,
        permit: Permit<CallFunction>,
        args: Value,
    ) -> Pin<Box<dyn Future<Output = Result<Value, CallFailed>> + Send>> {
        let CallFunction { name } = permit.into_action();
        match self.functions.get(name.as_str()) {
            Some(function) => function.call(args),
            None => {
                let message = format!("no function is registered as '{name}'");
                Box::pin(async move { Err(CallFailed { name: "ReferenceError", message }) })
            }
        }
    }
}
