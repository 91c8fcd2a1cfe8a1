//! What a run was denied, so that a tool that ends with a denial is told from one that only
//! says so.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use cofferdam_broker::{Denial, PermissionError};

use crate::shared::call_error::CallError;
use crate::shared::lock::lock;

/// Most denials that are kept; a tool that made more ends with one of these or as an error.
const MAX_KEPT: usize = 1000;

/// The denials of one run, by request id. Clones are the same.
#[derive(Clone, Default)]
pub struct Denials {
    by_id: Arc<Mutex<HashMap<String, PermissionError>>>,
    last: Arc<Mutex<Option<PermissionError>>>,
}

impl Denials {
    /// Keeps one, and makes of it what the guest is told.
    pub(crate) fn note(&self, denial: &Denial) -> CallError {
        let error = denial.error();
        *lock(&self.last) = Some(error.clone());
        let mut by_id = lock(&self.by_id);
        if by_id.len() < MAX_KEPT {
            by_id.insert(error.request_id().to_owned(), error.clone());
        }
        error.into()
    }

    /// The last one.
    pub(crate) fn last(&self) -> Option<PermissionError> {
        lock(&self.last).clone()
    }

    /// The denial of this id, if the run had one.
    pub fn get(&self, request_id: &str) -> Option<PermissionError> {
        lock(&self.by_id).get(request_id).cloned()
    }
}
