//! The time of a run, which stands still while a person is asked.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The clock of one run.
pub(crate) struct Clock {
    limit: Duration,
    state: Mutex<State>,
}

struct State {
    began: Instant,
    paused: Duration,
    /// Questions that are open, and since when there was one.
    questions: u32,
    since: Instant,
}

/// An open question; the clock stands still while one exists.
pub(crate) struct Pause<'a>(&'a Clock);

impl Clock {
    pub(crate) fn new(limit: Duration) -> Self {
        let now = Instant::now();
        let state = State { began: now, paused: Duration::ZERO, questions: 0, since: now };
        Clock { limit, state: Mutex::new(state) }
    }

    /// Returns the time that is left.
    pub(crate) fn left(&self) -> Duration {
        let state = self.lock();
        let now = if state.questions > 0 { state.since } else { Instant::now() };
        let spent = now.saturating_duration_since(state.began).saturating_sub(state.paused);
        self.limit.saturating_sub(spent)
    }

    /// Stops the clock until the returned value is dropped.
    pub(crate) fn pause(&self) -> Pause<'_> {
        let mut state = self.lock();
        if state.questions == 0 {
            state.since = Instant::now();
        }
        state.questions += 1;
        Pause(self)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.questions -= 1;
        if state.questions == 0 {
            let waited = state.since.elapsed();
            state.paused += waited;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_stands_still_while_a_question_is_open() {
        let clock = Clock::new(Duration::from_secs(100));
        let (outer, inner) = (clock.pause(), clock.pause());
        let left = clock.left();
        drop(inner);
        assert_eq!(clock.left(), left);
        drop(outer);
        assert!(clock.left() <= left);
    }
}
