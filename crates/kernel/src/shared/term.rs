//! When a run is over.

use std::time::Instant;

use cofferdam_cell::{KillSwitch, Stop};

use crate::shared::asking::Asking;

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
    /// When the time is over, as it looks now: while somebody is asked it stands still.
    pub fn deadline_now(&self) -> Instant {
        self.deadline + self.asking.paused()
    }

    /// Why the run is over, if it is.
    pub(crate) fn over(&self) -> Option<Stop> {
        if self.switch.is_killed() {
            return Some(Stop::Killed);
        }
        (Instant::now() >= self.deadline_now()).then_some(Stop::Deadline)
    }
}
