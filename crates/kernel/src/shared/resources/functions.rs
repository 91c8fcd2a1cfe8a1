use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, RwLock};

use cofferdam_abi::Value;

/// A function of the embedding program that tools may call.
pub trait Function: Send + Sync {
    /// Answers a call. Dropped, the call is not wanted any more.
    fn call(&self, args: Value) -> Pin<Box<dyn Future<Output = Result<Value, CallFailed>> + Send>>;
}

/// Why a call failed; thrown in the tool as an error of this name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFailed {
    /// `TypeError` for wrong arguments, `Error` for the rest.
    pub name: &'static str,
    /// What a person reads.
    pub message: String,
}

/// The registered functions, by name.
#[derive(Default)]
pub struct Functions {
    by_name: RwLock<BTreeMap<String, Arc<dyn Function>>>,
}

impl Functions {
    /// Registers, or replaces.
    pub fn register(&self, name: &str, function: Arc<dyn Function>) {
        let mut by_name = self.by_name.write().unwrap_or_else(|e| e.into_inner());
        by_name.insert(name.to_owned(), function);
    }

    /// The function of this name.
    pub fn get(&self, name: &str) -> Option<Arc<dyn Function>> {
        self.by_name.read().unwrap_or_else(|e| e.into_inner()).get(name).cloned()
    }

    /// Every name.
    pub fn names(&self) -> Vec<String> {
        self.by_name.read().unwrap_or_else(|e| e.into_inner()).keys().cloned().collect()
    }
}
