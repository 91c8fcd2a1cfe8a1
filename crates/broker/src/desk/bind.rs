//! Grants taken into use: a grant for one run is bound to this run, a counted one loses a use.

use std::sync::atomic::Ordering;

use super::{Desk, Inner};
use crate::error::Error;
use crate::held_grant::{HeldGrant, Source};
use crate::timestamp::Timestamp;

impl Desk {
    /// Takes a grant into use for one permit. Returns false if another run has it, or if no use is
    /// left.
    pub(super) fn bind_or_take(&self, held: &HeldGrant, now: Timestamp) -> Result<bool, Error> {
        let (permissions, run) = (self.permissions(), &self.0.run_id);
        let ledger = &permissions.broker().shared().ledger;
        if held.is_counted_in_ledger() {
            return ledger.take(&held.grant.id, now);
        }
        if !held.is_unbound() {
            return Ok(held.take());
        }
        match held.source {
            Source::Sandbox => Ok(permissions.bind(held, run)),
            Source::Ledger => {
                // Noted first: a grant must not outlive its run because an error came in between.
                self.0.has_bound.store(true, Ordering::Relaxed);
                ledger.bind(&held.grant.id, run, now)
            }
        }
    }
}

impl Inner {
    /// Ends the grants that belong to this run.
    pub(super) fn end_grants(&self) {
        self.permissions.end_run(&self.run_id);
        if self.has_bound.load(Ordering::Relaxed) {
            // On failure the grant stays bound to this run, which makes no more requests.
            let _ = self.permissions.broker().shared().ledger.end_run(&self.run_id);
        }
    }
}
