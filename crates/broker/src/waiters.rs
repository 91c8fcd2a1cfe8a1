//! The list of waiting runs, to be woken when a decision may concern them.
//!
//! A waiting run costs an entry here and no thread.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::task::Waker;

use cofferdam_caps::Capability;

use crate::id::{QuestionId, RequestId};

/// The runs that wait for a decision.
#[derive(Debug, Default)]
pub(crate) struct Waiters(Mutex<List>);

#[derive(Debug, Default)]
struct List {
    next: u64,
    waiting: HashMap<u64, Waiter>,
}

/// An entry for one waiting run.
#[derive(Debug)]
pub(crate) struct Waiter {
    /// Serial number of the sandbox's permissions.
    pub(crate) serial: u64,
    pub(crate) question: QuestionId,
    /// The request and the narrowest capability that would allow it; `None` if the run waits for
    /// everything its tool declared.
    pub(crate) request: Option<(RequestId, Capability)>,
    pub(crate) waker: Waker,
}

impl Waiters {
    /// Adds a waiter and returns its number, for [`set_waker`](Self::set_waker) and
    /// [`leave`](Self::leave).
    pub(crate) fn join(&self, waiter: Waiter) -> u64 {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.next += 1;
        let number = list.next;
        list.waiting.insert(number, waiter);
        number
    }

    pub(crate) fn set_waker(&self, number: u64, waker: &Waker) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(waiter) = list.waiting.get_mut(&number) {
            waiter.waker.clone_from(waker);
        }
    }

    pub(crate) fn leave(&self, number: u64) {
        let mut list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        list.waiting.remove(&number);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).waiting.is_empty()
    }

    /// Wakes the waiters for which `is_meant` returns true.
    pub(crate) fn wake(&self, is_meant: impl Fn(&Waiter) -> bool) {
        let list = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let meant = list.waiting.values().filter(|waiter| is_meant(waiter));
        let wakers: Vec<Waker> = meant.map(|waiter| waiter.waker.clone()).collect();
        // A waker may poll at once, which locks the list again.
        drop(list);
        wakers.into_iter().for_each(Waker::wake);
    }
}
