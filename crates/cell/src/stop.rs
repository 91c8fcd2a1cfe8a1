//! [`KillSwitch`] and [`Stop`]: the ways to stop a cell, whatever engine it runs on.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};
use std::time::Instant;

use crate::alarm::{Alarm, Sleep};

/// Limits of one cell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most linear memory, in bytes.
    pub memory_bytes: u64,
    /// Longest reply that the host copies out, in bytes.
    pub reply_bytes: usize,
}

/// The reason why a cell was stopped from outside.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// The deadline has passed.
    Deadline,
    /// The kill switch was used.
    Killed,
    /// The guest exceeded its memory limit and could not continue.
    Memory,
    /// The memory that the host holds for the run exceeds this many bytes.
    HostMemory(u64),
    /// The guest exhausted its call stack.
    Stack,
    /// The guest violated the protocol of the gate.
    Breach(String),
    /// The reply exceeds the limit; the value is its length in bytes.
    ReplyTooLong(usize),
    /// The guest trapped because of a defect.
    Trap(String),
    /// A host call failed because of a defect.
    HostFailed(String),
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Deadline => write!(f, "time limit reached"),
            Stop::Killed => write!(f, "cancelled"),
            Stop::Memory => write!(f, "memory limit reached"),
            Stop::HostMemory(limit) => write!(f, "host memory limit of {limit} bytes reached"),
            Stop::Stack => write!(f, "call stack exhausted"),
            Stop::Breach(what) => write!(f, "malformed host call: {what}"),
            Stop::ReplyTooLong(len) => write!(f, "reply of {len} bytes is too long"),
            Stop::Trap(what) => write!(f, "guest failed: {what}"),
            Stop::HostFailed(what) => write!(f, "host call failed: {what}"),
        }
    }
}

impl std::error::Error for Stop {}

/// Ends a run from any thread, whatever the cell is doing. Cheap to clone.
#[derive(Clone)]
pub struct KillSwitch {
    shared: Arc<Switch>,
}

struct Switch {
    killed: AtomicBool,
    /// The task that waits for the cell while no guest is on the stack.
    waiting: Mutex<Option<Waker>>,
    alarm: Alarm,
}

impl KillSwitch {
    /// Creates a switch for cells of the engine that `alarm` belongs to.
    pub fn new(alarm: &Alarm) -> Self {
        let waiting = Mutex::default();
        let shared = Switch { killed: AtomicBool::new(false), waiting, alarm: alarm.clone() };
        KillSwitch { shared: Arc::new(shared) }
    }

    /// Ends the run. Further calls do nothing.
    pub fn kill(&self) {
        if self.shared.killed.swap(true, Ordering::SeqCst) {
            return;
        }
        self.shared.alarm.ring();
        let waiting = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(waker) = waiting {
            waker.wake();
        }
    }

    /// Returns true if the switch was used.
    pub fn is_killed(&self) -> bool {
        self.shared.killed.load(Ordering::SeqCst)
    }

    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn alarm(&self) -> &Alarm {
        &self.shared.alarm
    }

    /// Returns a future that completes at `at`.
    pub fn sleep_until(&self, at: Instant) -> Sleep {
        self.shared.alarm.sleep_until(at)
    }

    /// Waits for `future` until the switch is used or the deadline passes. Occupies no thread.
    pub async fn unless_stopped<F: Future>(
        &self,
        deadline: Instant,
        future: F,
    ) -> Result<F::Output, Stop> {
        let mut future = pin!(future);
        let mut sleep = self.sleep_until(deadline);
        poll_fn(|cx| {
            self.wake_on_kill(cx.waker());
            if self.is_killed() {
                return Poll::Ready(Err(Stop::Killed));
            }
            if let Poll::Ready(value) = future.as_mut().poll(cx) {
                return Poll::Ready(Ok(value));
            }
            Pin::new(&mut sleep).poll(cx).map(|()| Err(Stop::Deadline))
        })
        .await
    }

    /// Completes when the switch is used.
    pub async fn killed(&self) {
        poll_fn(|cx| {
            self.wake_on_kill(cx.waker());
            if self.is_killed() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Registers `waker` to be woken when the switch is used.
    fn wake_on_kill(&self, waker: &Waker) {
        let mut waiting = self.shared.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        *waiting = Some(waker.clone());
        drop(waiting);
        if self.is_killed() {
            waker.wake_by_ref();
        }
    }
}
