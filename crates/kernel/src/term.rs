//! When a run is over.

use std::time::Instant;

use cofferdam_cell::KillSwitch;

use crate::asking::Asking;

/// What ends a run, for work of the host's that a cell's own checks cannot reach.
#[derive(Clone)]
pub struct Term {
    /// Somebody uses it.
    pub switch: KillSwitch,
    /// The run's time is over, but for the time in which somebody was asked.
    pub deadline: Instant,
    /// How long that was.
    pub asking: Asking,
}

impl Term {
    pub(crate) fn is_over(&self) -> bool {
        self.switch.is_killed() || Instant::now() >= self.deadline + self.asking.paused()
    }
}
