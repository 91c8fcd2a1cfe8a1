//! The clock of one run: kill switch, deadline, and the pauses that extend it.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::Poll;
use std::time::{Duration, Instant};

use cofferdam_cell::{KillSwitch, Stop};

use crate::shared::lock::lock;

/// Longest time that a run waits for a person's answer.
const LONGEST_PAUSE: Duration = Duration::from_secs(30 * 24 * 3600);

/// The clock of one run and of everything the run starts in turn. Clones are the same clock.
///
/// Time stands still while a person is asked and nothing computes. Whatever computes meanwhile
/// uses up the run's time as always. A kill wins over the deadline.
#[derive(Clone)]
pub struct RunClock {
    shared: Arc<Shared>,
}

struct Shared {
    switch: KillSwitch,
    deadline: Instant,
    /// Open questions.
    asking: AtomicUsize,
    /// Computations under way; they nest, and run on one thread at a time.
    computing: AtomicUsize,
    pauses: Mutex<Pauses>,
}

#[derive(Default)]
struct Pauses {
    /// Start of the pause under way.
    since: Option<Instant>,
    /// Length of the pauses that are over.
    before: Duration,
}

/// An open question. Dropping it closes the question.
pub(crate) struct Question {
    shared: Arc<Shared>,
}

/// A computation under way.
pub(crate) struct Computing<'a> {
    shared: &'a Shared,
}

impl RunClock {
    /// Creates the clock of a run that ends at `deadline`, or when the switch is used.
    pub fn new(switch: KillSwitch, deadline: Instant) -> Self {
        let (asking, computing) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let pauses = Mutex::default();
        RunClock { shared: Arc::new(Shared { switch, deadline, asking, computing, pauses }) }
    }

    /// Returns the switch that kills the run.
    pub fn switch(&self) -> &KillSwitch {
        &self.shared.switch
    }

    /// Returns the deadline, extended by the time spent waiting for answers so far.
    pub fn deadline(&self) -> Instant {
        let pauses = lock(&self.shared.pauses);
        let now = pauses.since.map_or(Duration::ZERO, |since| since.elapsed());
        self.shared.deadline + pauses.before + now
    }

    /// Returns why the run is over, or `None` while it is not.
    pub(crate) fn over(&self) -> Option<Stop> {
        if self.shared.switch.is_killed() {
            return Some(Stop::Killed);
        }
        (Instant::now() >= self.deadline()).then_some(Stop::Deadline)
    }

    /// Opens a question to a person.
    pub(crate) fn question(&self) -> Question {
        self.shared.asking.fetch_add(1, Ordering::SeqCst);
        self.shared.settle();
        Question { shared: self.shared.clone() }
    }

    /// Marks a computation, until the returned value is dropped.
    pub(crate) fn computing(&self) -> Computing<'_> {
        self.shared.computing.fetch_add(1, Ordering::SeqCst);
        self.shared.settle_if_asking();
        Computing { shared: &self.shared }
    }

    /// Runs a computation. Its time counts even while a person is asked.
    pub async fn compute<F: Future>(&self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|cx| {
            let _computing = self.computing();
            future.as_mut().poll(cx)
        })
        .await
    }

    /// Waits for `future`, or until the run is over.
    // T-CELL-028: a tool that blocks in a call.
    pub async fn wait<F: Future>(&self, future: F) -> Result<F::Output, Stop> {
        let mut future = pin!(future);
        loop {
            if let Some(found) = self.wait_or_turn(future.as_mut()).await? {
                return Ok(found);
            }
        }
    }

    /// Waits for a person's answer, or until the run is killed. Time stands still meanwhile.
    pub async fn ask<F: Future>(&self, answer: F) -> Result<F::Output, Stop> {
        let _question = self.question();
        self.wait(answer).await
    }

    /// Waits as [`wait`](Self::wait) does, but returns `None` when the first question is opened or
    /// the last one closed: whoever sleeps until the deadline has to look at it again.
    pub(crate) async fn wait_or_turn<T>(
        &self,
        mut future: std::pin::Pin<&mut impl Future<Output = T>>,
    ) -> Result<Option<T>, Stop> {
        let is_asking = self.is_asking();
        let deadline = match is_asking {
            true => Instant::now() + LONGEST_PAUSE,
            false => self.deadline(),
        };
        let found = poll_fn(|cx| match future.as_mut().poll(cx) {
            Poll::Ready(found) => Poll::Ready(Some(found)),
            Poll::Pending if self.is_asking() != is_asking => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        });
        self.shared.switch.unless_stopped(deadline, found).await
    }

    fn is_asking(&self) -> bool {
        self.shared.asking.load(Ordering::SeqCst) > 0
    }
}

impl Shared {
    fn settle_if_asking(&self) {
        if self.asking.load(Ordering::SeqCst) > 0 {
            self.settle();
        }
    }

    /// Begins or ends a pause, as the two counters say. Whichever of two threads settles last sees
    /// both counters as they are.
    fn settle(&self) {
        let mut pauses = lock(&self.pauses);
        let stands_still =
            self.asking.load(Ordering::SeqCst) > 0 && self.computing.load(Ordering::SeqCst) == 0;
        match (stands_still, pauses.since) {
            (true, None) => pauses.since = Some(Instant::now()),
            (false, Some(since)) => {
                pauses.before += since.elapsed();
                pauses.since = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
}

impl Drop for Question {
    fn drop(&mut self) {
        self.shared.asking.fetch_sub(1, Ordering::SeqCst);
        self.shared.settle();
    }
}

impl Drop for Computing<'_> {
    fn drop(&mut self) {
        self.shared.computing.fetch_sub(1, Ordering::SeqCst);
        self.shared.settle_if_asking();
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use std::sync::OnceLock;

    use cofferdam_cell::{Engine, Pool};

    use super::*;

    /// Returns an engine that all unit tests share.
    pub(crate) fn engine() -> &'static Engine {
        static ENGINE: OnceLock<Engine> = OnceLock::new();
        ENGINE.get_or_init(|| Engine::new(Pool { cells: 1, warm: 0 }).expect("an engine"))
    }

    /// Returns the clock of a run that has an hour.
    pub(crate) fn an_hour() -> RunClock {
        let deadline = Instant::now() + Duration::from_secs(3600);
        RunClock::new(KillSwitch::new(engine().alarm()), deadline)
    }

    fn spin(time: Duration) {
        let began = Instant::now();
        while began.elapsed() < time {
            std::hint::spin_loop();
        }
    }

    const MOMENT: Duration = Duration::from_millis(2);

    #[test]
    fn time_stands_still_while_any_question_is_open() {
        let clock = an_hour();
        let deadline = clock.deadline();
        spin(MOMENT);
        assert_eq!(clock.deadline(), deadline, "nobody is asked");
        let (first, second) = (clock.question(), clock.question());
        drop(first);
        spin(MOMENT);
        assert!(clock.deadline() >= deadline + MOMENT, "one question is open");
        drop(second);
        let deadline = clock.deadline();
        spin(MOMENT);
        assert_eq!(clock.deadline(), deadline, "both are answered");
    }

    #[test]
    fn computing_meanwhile_counts() {
        let clock = an_hour();
        let outer = clock.computing();
        let _question = clock.question();
        let deadline = clock.deadline();
        let inner = clock.computing();
        spin(MOMENT);
        drop(inner);
        spin(MOMENT);
        assert_eq!(clock.deadline(), deadline, "still computing");
        drop(outer);
        spin(MOMENT);
        assert!(clock.deadline() >= deadline + MOMENT, "only waiting");
    }

    #[test]
    fn a_kill_wins_over_the_deadline() {
        let clock = RunClock::new(KillSwitch::new(engine().alarm()), Instant::now());
        assert_eq!(clock.over(), Some(Stop::Deadline));
        clock.switch().kill();
        assert_eq!(clock.over(), Some(Stop::Killed));
    }
}
