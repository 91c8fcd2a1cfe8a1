//! Functions of the embedding program that tools may call.

use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, RwLock};

use cofferdam_abi::Value;

/// A function of the embedding program that tools may call.
pub trait Function: Send + Sync {
    /// Starts a call. Dropping the future cancels the call.
    fn call(&self, args: Value) -> Pin<Box<dyn Future<Output = Result<Value, CallFailed>> + Send>>;
}

/// Error of a function; thrown in the tool under this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFailed {
    /// `TypeError` for wrong arguments, otherwise `Error`.
    pub name: &'static str,
    /// Message for a person.
    pub message: String,
}

/// The registered functions, by name.
#[derive(Default)]
pub struct Functions {
    by_name: RwLock<BTreeMap<String, Arc<dyn Function>>>,
}

impl Functions {
    /// Registers a function, or replaces the one of this name.
    pub fn register(&self, name: &str, function: Arc<dyn Function>) {
        let mut by_name = self.by_name.write().unwrap_or_else(|e| e.into_inner());
        by_name.insert(name.to_owned(), function);
    }

    /// Returns the function of this name.
    pub fn get(&self, name: &str) -> Option<Arc<dyn Function>> {
        self.by_name.read().unwrap_or_else(|e| e.into_inner()).get(name).cloned()
    }

    /// Returns all names.
    pub fn names(&self) -> Vec<String> {
        self.by_name.read().unwrap_or_else(|e| e.into_inner()).keys().cloned().collect()
    }
}
