//! The [`Sink`] of the broker, implemented by the store.
//!
//! Lines that must be on disk before they are acted on are committed here, the others go to
//! `writer`.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use cofferdam_broker::{Error, Line, Offered, Sink};

use crate::lines;
use crate::store::Store;

/// Lines that wait for the connection. The thread that gets it writes the lines of all waiting
/// threads, so that many runs wait for the disk once rather than one after another.
#[derive(Debug, Default)]
pub(crate) struct Commits(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    lines: Vec<Line>,
    /// Number of the last batch submitted, and of the last one attempted.
    asked: u64,
    tried: u64,
    failed: HashMap<u64, Error>,
}

impl Commits {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Sink for Store {
    fn offer(&self, lines: Vec<Line>) -> Offered {
        match &self.0.writer {
            Some(writer) => writer.offer(lines),
            None => match self.commit(lines) {
                Ok(()) => Offered::Taken,
                Err(error) => Offered::Failed(error),
            },
        }
    }

    fn commit(&self, lines: Vec<Line>) -> Result<(), Error> {
        let commits = &self.0.commits;
        let mut queue = commits.lock();
        queue.lines.extend(lines);
        queue.asked += 1;
        let mine = queue.asked;
        drop(queue);
        let mut connection = self.connection();
        let mut queue = commits.lock();
        if queue.tried < mine {
            let (batch, first, last) =
                (std::mem::take(&mut queue.lines), queue.tried + 1, queue.asked);
            drop(queue);
            let result = self.write_locked(&mut connection, |t| lines::insert(t, &batch));
            queue = commits.lock();
            queue.tried = last;
            if let Err(error) = result {
                queue.failed.extend((first..=last).map(|asked| (asked, error.clone())));
            }
        }
        queue.failed.remove(&mine).map_or(Ok(()), Err)
    }

    fn flush(&self) -> Result<(), Error> {
        self.0.flush()
    }
}
