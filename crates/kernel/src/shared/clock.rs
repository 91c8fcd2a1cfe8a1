//! Time as a guest sees it.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Source of a run's time.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Clock {
    /// The machine's clock.
    #[default]
    System,
    /// Stands still at this many milliseconds since 1970, and jumps from timer to timer: a tool
    /// that sleeps for an hour is done at once, and every run sees the same times.
    Fixed(f64),
}

/// A clock that is running.
#[derive(Debug)]
pub(crate) struct Running {
    clock: Clock,
    began: Instant,
    /// Milliseconds that a fixed clock has jumped.
    jumped: f64,
}

impl Running {
    pub(crate) fn start(clock: Clock) -> Self {
        Running { clock, began: Instant::now(), jumped: 0.0 }
    }

    /// Returns milliseconds since 1970.
    pub(crate) fn wall_ms(&self) -> f64 {
        match self.clock {
            Clock::System => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH);
                now.map_or(0.0, |now| now.as_micros() as f64 / 1000.0)
            }
            Clock::Fixed(start) => start + self.jumped,
        }
    }

    /// Returns nanoseconds since 1970.
    pub(crate) fn wall_ns(&self) -> u64 {
        match self.clock {
            Clock::System => {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
                now.as_nanos().min(u128::from(u64::MAX)) as u64
            }
            Clock::Fixed(_) => (self.wall_ms().max(0.0) * 1e6) as u64,
        }
    }

    /// Returns nanoseconds since the run began.
    pub(crate) fn monotonic_ns(&self) -> u64 {
        match self.clock {
            Clock::System => self.began.elapsed().as_nanos().min(u128::from(u64::MAX)) as u64,
            Clock::Fixed(_) => (self.jumped.max(0.0) * 1e6) as u64,
        }
    }

    /// Returns the instant of a time of [`Self::monotonic_ns`]. A fixed clock jumps there at once
    /// and returns `None`.
    pub(crate) fn reach_ns(&mut self, at: u64) -> Option<Instant> {
        // Rounded up: a fixed clock could otherwise stop just before the time for ever.
        self.reach(at.div_ceil(1000) as f64 / 1000.0)
    }

    /// Returns milliseconds since the run began.
    pub(crate) fn monotonic_ms(&self) -> f64 {
        match self.clock {
            Clock::System => self.began.elapsed().as_nanos() as f64 / 1e6,
            Clock::Fixed(_) => self.jumped,
        }
    }

    /// Returns true if the clock stands still.
    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self.clock, Clock::Fixed(_))
    }

    /// Returns the instant of a time of [`Self::monotonic_ms`]. A fixed clock jumps there at once
    /// and returns `None`.
    // T-CELL-025: odd times: NaN, infinite, negative or far delays.
    pub(crate) fn reach(&mut self, at_ms: f64) -> Option<Instant> {
        match self.clock {
            Clock::System => {
                let after = Duration::try_from_secs_f64(at_ms.max(0.0) / 1000.0);
                let at = after.ok().and_then(|after| self.began.checked_add(after));
                // A time that an `Instant` cannot hold is later than any deadline.
                Some(at.unwrap_or_else(|| self.began + Duration::from_secs(1 << 32)))
            }
            Clock::Fixed(_) => {
                self.jumped = self.jumped.max(at_ms);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fixed_clock_moves_only_by_jumping() {
        let mut clock = Running::start(Clock::Fixed(1000.0));
        assert_eq!((clock.wall_ms(), clock.monotonic_ms()), (1000.0, 0.0));
        assert_eq!(clock.reach(250.0), None);
        assert_eq!((clock.wall_ms(), clock.monotonic_ms()), (1250.0, 250.0));
        assert_eq!(clock.reach(10.0), None);
        assert_eq!(clock.monotonic_ms(), 250.0, "never backwards");
    }

    /// T-CELL-025.
    #[test]
    fn a_moment_beyond_the_clock_is_far_away_and_no_panic() {
        let mut clock = Running::start(Clock::System);
        for odd in [f64::INFINITY, f64::NAN, f64::MAX, -1.0] {
            assert!(clock.reach(odd).is_some());
        }
    }
}
