//! Whether a run waits for somebody's answer: that time is not the run's.

use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use cofferdam_cell::{Stop, Until};

use crate::shared::lock::lock;

/// Longest that a run waits for an answer.
pub(crate) const A_LONG_TIME: Duration = Duration::from_secs(30 * 24 * 3600);

/// Counts the open questions of one run, and of what it runs in turn. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Asking {
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    open: usize,
    /// When the first of those that are open was asked.
    since: Option<Instant>,
    /// How long questions were open before.
    before: Duration,
    /// How long the run computed all the same.
    busy: Duration,
}

/// One open question.
pub(crate) struct Asked {
    state: Arc<Mutex<State>>,
}

impl Asking {
    /// A question is open until the answer is dropped.
    pub(crate) fn begin(&self) -> Asked {
        let mut state = lock(&self.state);
        state.open += 1;
        state.since.get_or_insert_with(Instant::now);
        Asked { state: self.state.clone() }
    }

    /// Whether any is open.
    pub(crate) fn is_any(&self) -> bool {
        lock(&self.state).open > 0
    }

    /// Waits until `look` finds something, or until somebody is asked who was not before, or the
    /// other way round. While somebody is asked, the run's time stands still: answers how long.
    pub(crate) async fn stand_still<T>(
        &self,
        until: Until<'_>,
        mut look: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Result<(Option<T>, Duration), Stop> {
        let began = Instant::now();
        let is_asking = self.is_any();
        let deadline = if is_asking { began + A_LONG_TIME } else { until.deadline };
        let found = poll_fn(|cx| match look(cx) {
            Poll::Ready(found) => Poll::Ready(Some(found)),
            Poll::Pending if self.is_any() != is_asking => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        });
        let found = until.switch.unless_stopped(deadline, found).await?;
        Ok((found, if is_asking { began.elapsed() } else { Duration::ZERO }))
    }

    /// Takes back time that the run computed while a question was open: whoever lets somebody
    /// think must not compute on meanwhile for nothing.
    pub(crate) fn spend(&self, time: Duration) {
        let mut state = lock(&self.state);
        if state.open > 0 {
            state.busy += time;
        }
    }

    /// How long the run has done nothing but wait for answers.
    pub fn paused(&self) -> Duration {
        let state = lock(&self.state);
        let now = state.since.map_or(Duration::ZERO, |since| since.elapsed());
        (state.before + now).saturating_sub(state.busy)
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        let mut state = lock(&self.state);
        state.open = state.open.saturating_sub(1);
        if state.open == 0
            && let Some(since) = state.since.take()
        {
            state.before += since.elapsed();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_stands_still_while_a_question_is_open_and_nobody_computes() {
        let asking = Asking::default();
        asking.spend(Duration::from_secs(9));
        assert_eq!(asking.paused(), Duration::ZERO);
        let (first, second) = (asking.begin(), asking.begin());
        drop(first);
        assert!(asking.is_any());
        while asking.paused() < Duration::from_millis(2) {
            std::hint::spin_loop();
        }
        drop(second);
        assert!(!asking.is_any());
        let paused = asking.paused();
        assert!(paused >= Duration::from_millis(2));
        assert_eq!(asking.paused(), paused);
    }

    #[test]
    fn what_is_computed_meanwhile_counts() {
        let asking = Asking::default();
        let _open = asking.begin();
        asking.spend(Duration::from_secs(3600));
        assert_eq!(asking.paused(), Duration::ZERO);
    }
}
