//! Processor time of a thread.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// Returns the processor time of this thread, which other work of the machine does not change.
pub(crate) fn computed() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).expect("a clock").into()
}
