//! The budget of a read-write mount: guests may add, on balance, as much as the tree may hold.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Errno, Kind, Limits, Stat, Usage};

#[derive(Debug)]
pub(super) struct Budget {
    limits: Limits,
    added: Mutex<Usage>,
}

impl Budget {
    pub(super) fn new(limits: Limits) -> Self {
        Budget { limits, added: Mutex::default() }
    }

    pub(super) fn add_node(&self) -> Result<(), Errno> {
        self.add(Usage::nodes(1))
    }

    pub(super) fn drop_node(&self) {
        let mut added = self.lock();
        added.nodes = added.nodes.saturating_sub(1);
    }

    pub(super) fn add_bytes(&self, bytes: u64) -> Result<(), Errno> {
        self.add(Usage::bytes(bytes))
    }

    /// Returns bytes to the budget. Removing files that guests did not add never raises the budget.
    pub(super) fn drop_bytes(&self, bytes: u64) {
        let mut added = self.lock();
        added.bytes = added.bytes.saturating_sub(bytes);
    }

    /// Accounts for a removed name, and for the bytes of the file if it was the last one.
    pub(super) fn removed(&self, stat: &Stat) {
        self.drop_node();
        if stat.kind == Kind::File && stat.links <= 1 {
            self.drop_bytes(stat.size);
        }
    }

    fn add(&self, cost: Usage) -> Result<(), Errno> {
        let mut added = self.lock();
        added.afford(cost, &self.limits)?;
        added.adjust(Usage::default(), cost);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, Usage> {
        self.added.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
