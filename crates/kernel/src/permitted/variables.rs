//! Variables of the sandbox behind permits.

use std::collections::BTreeMap;
use std::sync::Mutex;

use cofferdam_broker::{Action, Desk, Obstacle, Particulars, Permit};
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
    /// False if there is no such variable, so that nobody needs to be asked.
    is_set: bool,
}

impl ReadVariable {
    /// Names a variable.
    pub fn new(name: EnvName) -> Self {
        ReadVariable { name, is_set: true }
    }

    /// Returns false if there is no such variable.
    pub fn is_set(&self) -> bool {
        self.is_set
    }
}

impl Action for ReadVariable {
    fn request(&self) -> Request {
        Request::Env { name: self.name.clone() }
    }

    fn particulars(&self) -> Particulars {
        match self.is_set {
            true => Particulars::default(),
            false => Particulars::default().obstacle(Obstacle::NotSet),
        }
    }
}

impl<'a> Variables<'a> {
    pub(super) fn new(variables: &'a Mutex<BTreeMap<String, String>>) -> Self {
        Variables { variables }
    }

    /// Names a variable to read.
    pub fn to_read(self, name: EnvName) -> ReadVariable {
        let is_set = lock(self.variables).contains_key(name.as_str());
        ReadVariable { name, is_set }
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
