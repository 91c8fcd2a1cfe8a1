//! [`MemoryBudget`], the memory that the programs of one run share, and the limits of one program.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Memory that the programs of one run share, in bytes.
#[derive(Debug)]
// T-PROC-007: memory of many processes together, and of tables.
pub struct MemoryBudget {
    limit: u64,
    used: AtomicU64,
    refused: AtomicU64,
}

impl MemoryBudget {
    /// Creates a budget of this size.
    pub fn new(limit: u64) -> Arc<Self> {
        Arc::new(MemoryBudget { limit, used: AtomicU64::new(0), refused: AtomicU64::new(0) })
    }

    /// Returns the memory in use.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Returns the number of refusals, by this limit or by that of a single program.
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    /// Returns the size of the budget.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Charges host memory that is held on behalf of the run; `None` if it does not fit. Dropping
    /// the charge gives the memory back.
    pub fn hold(self: &Arc<Self>, bytes: u64) -> Option<Charge> {
        self.charge(bytes).then(|| Charge { budget: self.clone(), bytes })
    }

    fn charge(&self, bytes: u64) -> bool {
        let add = |used: u64| used.checked_add(bytes).filter(|sum| *sum <= self.limit);
        self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok()
    }

    /// Gives charged memory back.
    fn release(&self, bytes: u64) {
        self.used.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Counts a refusal.
    fn refuse(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }
}

/// Host memory charged to a [`MemoryBudget`].
#[derive(Debug)]
pub struct Charge {
    budget: Arc<MemoryBudget>,
    bytes: u64,
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.release(self.bytes);
    }
}

/// Memory that one program was charged, within its limits. Dropping it gives the memory back.
#[derive(Debug)]
pub(crate) struct Account {
    limits: ProgramLimits,
    charged: u64,
    has_refused: bool,
}

impl Account {
    pub(crate) fn new(limits: ProgramLimits) -> Self {
        Account { limits, charged: 0, has_refused: false }
    }

    /// Charges memory; returns false if it does not fit.
    pub(crate) fn charge(&mut self, bytes: u64) -> bool {
        let sum = self.charged.checked_add(bytes);
        let fits = sum.is_some_and(|sum| sum <= self.limits.memory_bytes);
        if fits && self.limits.budget.charge(bytes) {
            self.charged += bytes;
            return true;
        }
        self.has_refused = true;
        self.limits.budget.refuse();
        false
    }

    /// Returns true if something did not fit.
    pub(crate) fn has_refused(&self) -> bool {
        self.has_refused
    }
}

impl Drop for Account {
    fn drop(&mut self) {
        self.limits.budget.release(self.charged);
    }
}

/// Limits of one program.
#[derive(Debug, Clone)]
pub struct ProgramLimits {
    /// Most memory for memories and tables, in bytes.
    pub memory_bytes: u64,
    /// Budget shared with the other programs of the run.
    pub budget: Arc<MemoryBudget>,
}
