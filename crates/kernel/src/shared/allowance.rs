//! Allowance of one run: memory on the host and processes, shared by everything the run starts in
//! turn (T-CELL-031, T-PROC-015).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cofferdam_cell::{Charge, MemoryBudget, Stop};

/// Host memory of a pending call beside its request.
const PENDING_COST: u64 = 1024;

/// Memory and processes that one run may use, together with every tool and command that it starts.
/// Clones are the same allowance.
#[derive(Clone)]
pub struct Allowance {
    memory: Arc<MemoryBudget>,
    processes: Arc<ProcessCount>,
}

/// Processes of one run.
#[derive(Debug)]
pub(crate) struct ProcessCount {
    alive: AtomicUsize,
    limit: usize,
}

impl Allowance {
    /// Creates an allowance of this many bytes and processes at once.
    pub fn new(memory_bytes: u64, processes: u64) -> Self {
        let limit = usize::try_from(processes).unwrap_or(usize::MAX);
        Allowance {
            memory: MemoryBudget::new(memory_bytes),
            processes: Arc::new(ProcessCount { alive: AtomicUsize::new(0), limit }),
        }
    }

    pub(crate) fn memory(&self) -> &Arc<MemoryBudget> {
        &self.memory
    }

    pub(crate) fn processes(&self) -> &Arc<ProcessCount> {
        &self.processes
    }

    /// Charges a call that stays pending with this request.
    pub(crate) fn hold_pending(&self, request_bytes: usize) -> Result<Charge, Stop> {
        let bytes = (request_bytes as u64).saturating_add(PENDING_COST);
        self.memory.hold(bytes).ok_or(Stop::HostMemory(self.memory.limit()))
    }
}

impl ProcessCount {
    /// Returns true if one more process may be started.
    pub(crate) fn has_room(&self) -> bool {
        self.alive.load(Ordering::Relaxed) < self.limit
    }

    /// Counts a process; `false` if there are too many.
    pub(crate) fn start(&self) -> bool {
        let add = |alive: usize| alive.checked_add(1).filter(|alive| *alive <= self.limit);
        self.alive.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok()
    }

    /// Counts processes that have ended.
    pub(crate) fn end(&self, count: usize) {
        self.alive.fetch_sub(count, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T-CELL-031.
    #[test]
    fn pending_calls_are_charged_until_they_are_dropped() {
        let allowance = Allowance::new(3 * PENDING_COST, 1);
        let held = allowance.hold_pending(PENDING_COST as usize).expect("room");
        assert!(matches!(allowance.hold_pending(1), Err(Stop::HostMemory(3072))));
        drop(held);
        assert!(allowance.hold_pending(1).is_ok());
    }

    #[test]
    fn a_hostile_length_does_not_wrap() {
        assert!(Allowance::new(1 << 20, 1).hold_pending(usize::MAX).is_err());
    }
}
