//! Variables of the sandbox behind permits.

use std::collections::BTreeMap;
use std::sync::Mutex;

use cofferdam_broker::{Action, Desk, Permit};
use cofferdam_caps::Request;
use cofferdam_caps::env::EnvName;

use super::state::is_granted;
use crate::shared::lock::lock;

/// Variables of a sandbox.
#[derive(Clone, Copy)]
pub struct Variables<'a> {
    variables: &'a Mutex<BTreeMap<String, String>>,
}

/// Reading one variable.
pub struct ReadVariable {
    name: EnvName,
}

impl ReadVariable {
    /// Names a variable.
    pub fn new(name: EnvName) -> Self {
        ReadVariable { name }
    }
}

impl Action for ReadVariable {
    fn request(&self) -> Request {
        Request::Env { name: self.name.clone() }
    }
}

impl<'a> Variables<'a> {
    pub(super) fn new(variables: &'a Mutex<BTreeMap<String, String>>) -> Self {
        Variables { variables }
    }

    /// Returns true if there is such a variable.
    pub fn is_set(self, name: &EnvName) -> bool {
        lock(self.variables).contains_key(name.as_str())
    }

    /// Returns the value of a variable.
    pub fn get(self, permit: Permit<ReadVariable>) -> Option<String> {
        lock(self.variables).get(permit.into_action().name.as_str()).cloned()
    }

    /// Returns the names that the run may read. Other names do not exist for it.
    pub fn readable(self, desk: &Desk) -> Vec<String> {
        let mut names: Vec<String> = lock(self.variables).keys().cloned().collect();
        names.retain(|name| match name.parse() {
            Ok(name) => is_granted(desk, &ReadVariable::new(name)),
            Err(_) => false,
        });
        names
    }
}
