//! Denials of one run, which tell a tool that ended with a denial from one that only claims it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use cofferdam_broker::{Denial, PermissionError};

use crate::shared::call_error::CallError;
use crate::shared::lock::lock;

/// Most denials that are kept. A run with more may end with an error instead of its denial.
const MAX_KEPT: usize = 1000;

/// The denials of one run, by request id. Clones share their content.
#[derive(Clone, Default)]
// T-PERM-009: a forged denial that makes a caller grant something.
pub struct Denials {
    by_id: Arc<Mutex<HashMap<String, PermissionError>>>,
    last: Arc<Mutex<Option<PermissionError>>>,
}

impl Denials {
    /// Records a denial, and returns it as the error that the guest receives.
    pub(crate) fn note(&self, denial: &Denial) -> CallError {
        let error = denial.error();
        *lock(&self.last) = Some(error.clone());
        let mut by_id = lock(&self.by_id);
        if by_id.len() < MAX_KEPT {
            by_id.insert(error.request_id().to_owned(), error.clone());
        }
        error.into()
    }

    /// Returns the most recent denial.
    pub(crate) fn last(&self) -> Option<PermissionError> {
        lock(&self.last).clone()
    }

    /// Returns the denial with this request id.
    pub fn get(&self, request_id: &str) -> Option<PermissionError> {
        lock(&self.by_id).get(request_id).cloned()
    }
}
