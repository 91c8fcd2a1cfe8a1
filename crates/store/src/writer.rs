//! The background thread that writes audit lines which need not be durable before they are acted
//! on.
//!
//! Separate from `sink`: it has its own connection and its own retry.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use cofferdam_broker::{Error, ErrorKind, Line, Offered};
use rusqlite::{Connection, TransactionBehavior};

use crate::connections::Place;
use crate::schema::Sync;
use crate::{failure, lines};

/// Most batches that wait for the thread. A run hands over one batch at a time.
const MAX_WAITING: usize = 64;

/// Most lines written in one transaction.
const MAX_TRANSACTION: usize = 16 * 1024;

/// Interval between attempts to write lines that could not be written.
const RETRY: Duration = Duration::from_millis(200);

/// A thread that writes lines which need not be durable before they are acted on.
pub(crate) struct Writer {
    /// `None` tells the thread to end.
    jobs: Option<SyncSender<Job>>,
    trouble: Trouble,
    thread: Option<JoinHandle<()>>,
}

/// The error of the last write, until one succeeds.
type Trouble = Arc<Mutex<Option<Error>>>;

enum Job {
    Lines(Vec<Line>),
    Flush(Sender<Result<(), Error>>),
}

impl Writer {
    /// Starts the thread, which opens its connection meanwhile.
    pub(crate) fn start(place: Place, path: PathBuf) -> Result<Self, Error> {
        let (sender, jobs) = mpsc::sync_channel(MAX_WAITING);
        let trouble = Trouble::default();
        let mut work =
            Work { place, connection: None, path, trouble: trouble.clone(), backlog: Vec::new() };
        let thread = std::thread::Builder::new().name("cofferdam-audit".to_owned());
        let thread = thread
            .spawn(move || work.run(&jobs))
            .map_err(|error| Error::new(ErrorKind::System, "audit thread", error))?;
        Ok(Self { jobs: Some(sender), trouble, thread: Some(thread) })
    }

    pub(crate) fn offer(&self, lines: Vec<Line>) -> Offered {
        if let Some(error) = &*self.trouble.lock().unwrap_or_else(PoisonError::into_inner) {
            return Offered::Failed(error.clone());
        }
        let Some(jobs) = &self.jobs else { return Offered::Failed(gone()) };
        match jobs.try_send(Job::Lines(lines)) {
            Ok(()) => Offered::Taken,
            Err(TrySendError::Full(Job::Lines(lines))) => Offered::Busy(lines),
            Err(TrySendError::Full(Job::Flush(_)) | TrySendError::Disconnected(_)) => {
                Offered::Failed(gone())
            }
        }
    }

    pub(crate) fn flush(&self) -> Result<(), Error> {
        let (sender, done) = mpsc::channel();
        let jobs = self.jobs.as_ref().ok_or_else(gone)?;
        jobs.send(Job::Flush(sender)).map_err(|_| gone())?;
        done.recv().map_err(|_| gone())?
    }
}

fn gone() -> Error {
    Error::new(ErrorKind::System, "audit thread", "has ended")
}

struct Work {
    place: Place,
    /// `None` until it could be opened.
    connection: Option<Connection>,
    path: PathBuf,
    trouble: Trouble,
    /// Lines not written yet. While writing fails, only lines already queued are added.
    backlog: Vec<Line>,
}

impl Work {
    fn run(&mut self, jobs: &Receiver<Job>) {
        // Tried again for the first lines, which report a failure.
        let _ = self.connect();
        loop {
            let job = match self.backlog.is_empty() {
                true => jobs.recv().map_err(|_| RecvTimeoutError::Disconnected),
                false => jobs.recv_timeout(RETRY),
            };
            let mut flushes = Vec::new();
            let has_ended = matches!(job, Err(RecvTimeoutError::Disconnected));
            let more = std::iter::from_fn(|| jobs.try_recv().ok());
            for job in job.into_iter().chain(more) {
                match job {
                    Job::Lines(lines) => self.backlog.extend(lines),
                    Job::Flush(done) => flushes.push(done),
                }
                if self.backlog.len() >= MAX_TRANSACTION {
                    break;
                }
            }
            let result = self.write();
            for done in flushes {
                // The caller may have stopped waiting.
                let _ = done.send(result.clone());
            }
            if has_ended {
                return;
            }
        }
    }

    fn write(&mut self) -> Result<(), Error> {
        if self.backlog.is_empty() {
            return Ok(());
        }
        let result = self.insert();
        if result.is_ok() {
            self.backlog.clear();
        }
        let trouble = result.clone().err();
        *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
        result
    }

    fn insert(&mut self) -> Result<(), Error> {
        self.connect()?;
        let Some(connection) = &mut self.connection else { return Err(gone()) };
        let mut run = || {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            lines::insert(&transaction, &self.backlog)?;
            transaction.commit()
        };
        run().map_err(|error: rusqlite::Error| failure::sql(&self.path, &error))
    }

    fn connect(&mut self) -> Result<(), Error> {
        if self.connection.is_none() {
            self.connection = self.place.connect(Sync::Normal)?;
        }
        Ok(())
    }
}

/// Writes all offered lines before the store is closed.
impl Drop for Writer {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
