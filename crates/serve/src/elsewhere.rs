//! Questions that wait in other processes, answered from a terminal.
//!
//! The verbs `requests`, `grant` and `deny` have no board: they read the store once, leave an answer
//! there, and wait until the process whose run waits has carried it out.

use std::time::{Duration, Instant};

use cofferdam::permissions::{Error, Timestamp};
use cofferdam_store::Store;
use serde_json::json;

use crate::board::{Reply, Shown};

/// Longest wait for the process that carries out an answer.
const CARRIED_OUT_WITHIN: Duration = Duration::from_secs(2);

/// Interval at which the store is read meanwhile.
const EVERY: Duration = Duration::from_millis(5);

/// Reason why an answer was not carried out.
#[derive(Debug)]
pub enum NotAnswered {
    /// The question waits no more.
    Gone,
    /// The process whose run waits refused the answer, for this reason.
    Refused(String),
    /// The process whose run waits does not respond.
    Unresponsive,
    /// The store failed.
    Store(Error),
}

impl From<Error> for NotAnswered {
    fn from(error: Error) -> Self {
        NotAnswered::Store(error)
    }
}

/// Returns the questions that wait in any process of this store, oldest first.
pub fn waiting(store: &Store) -> Result<Vec<Shown>, Error> {
    // Reading the processes removes the questions of those that have ended.
    store.fronts()?;
    let questions = store.questions_of_others("")?;
    let shown = questions.iter().filter_map(|one| serde_json::from_str(&one.shown).ok());
    Ok(shown.collect())
}

impl Shown {
    /// Returns the id to answer it by: that of its request, or its own if it has several wishes.
    pub fn id(&self) -> &str {
        self.request.as_deref().unwrap_or(&self.question)
    }

    /// Returns true if `text` is the id of the question or of its request.
    pub fn is_named(&self, text: &str) -> bool {
        self.question == text || self.request.as_deref() == Some(text)
    }

    /// Returns the time since it was asked.
    pub fn age(&self) -> Duration {
        Duration::from_micros(Timestamp::now().micros().saturating_sub(self.asked))
    }
}

/// Answers a question of another process, and waits until its run goes on.
pub fn answer(store: &Store, question: &Shown, reply: &Reply) -> Result<(), NotAnswered> {
    let left = store.leave_answer(&question.question, &json!(reply).to_string())?;
    let number = left.ok_or(NotAnswered::Gone)?;
    let until = Instant::now() + CARRIED_OUT_WITHIN;
    loop {
        match store.take_settled(number)? {
            Some(error) if error.is_empty() => return Ok(()),
            Some(error) => return Err(NotAnswered::Refused(error)),
            None if Instant::now() > until => return Err(NotAnswered::Unresponsive),
            None => std::thread::sleep(EVERY),
        }
    }
}
