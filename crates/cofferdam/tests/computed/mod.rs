//! Time as a thread has it.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// What this thread had of its processor, whatever else the machine does.
pub(crate) fn computed() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("a clock").into()
}
