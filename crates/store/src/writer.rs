//! The background thread that writes audit lines which need not be durable before they are acted
//! on.
//!
//! Separate from `sink`: it has its own connection and its own retry.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use cofferdam_broker::{Error, ErrorKind, Event, Line, Offered};
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

/// Writes lines which need not be durable before they are acted on, on a thread.
pub(crate) struct Writer {
    place: Place,
    path: PathBuf,
    trouble: Trouble,
    state: Mutex<State>,
}

/// Start of the thread that writes audit lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriterStart {
    /// With the store.
    AtOnce,
    /// With the first lines of a run that goes on, or of a second run. The lines of the first run
    /// that ends wait for [`flush`](cofferdam_broker::Sink::flush), which writes them itself. For a
    /// process that runs one tool and flushes then: a thread and its connection take longer.
    WhenNeeded,
}

enum State {
    /// No thread yet; lines of a run that has ended.
    Held(Vec<Line>),
    Running(Running),
}

struct Running {
    /// `None` tells the thread to end.
    jobs: Option<SyncSender<Job>>,
    thread: Option<JoinHandle<()>>,
}

/// The error of the last write, until one succeeds.
type Trouble = Arc<Mutex<Option<Error>>>;

enum Job {
    Lines(Vec<Line>),
    Flush(Sender<Result<(), Error>>),
}

impl Writer {
    pub(crate) fn new(place: Place, path: PathBuf, start: WriterStart) -> Result<Self, Error> {
        let state = Mutex::new(State::Held(Vec::new()));
        let writer = Self { place, path, trouble: Trouble::default(), state };
        if start == WriterStart::AtOnce {
            *writer.state() = State::Running(writer.start(Vec::new())?);
        }
        Ok(writer)
    }

    /// Starts the thread, which opens its connection meanwhile.
    fn start(&self, backlog: Vec<Line>) -> Result<Running, Error> {
        let (sender, jobs) = mpsc::sync_channel(MAX_WAITING);
        let (place, path, trouble) = (self.place.clone(), self.path.clone(), self.trouble.clone());
        let mut work = Work { place, connection: None, path, trouble, backlog };
        let thread = std::thread::Builder::new().name("cofferdam-audit".to_owned());
        let thread = thread
            .spawn(move || work.run(&jobs))
            .map_err(|error| Error::new(ErrorKind::System, "audit thread", error))?;
        Ok(Running { jobs: Some(sender), thread: Some(thread) })
    }

    pub(crate) fn offer(&self, lines: Vec<Line>) -> Offered {
        if let Some(error) = &*self.trouble.lock().unwrap_or_else(PoisonError::into_inner) {
            return Offered::Failed(error.clone());
        }
        let mut state = self.state();
        if let State::Held(held) = &mut *state {
            let has_ended = lines.last().is_some_and(|line| line.event == Event::End);
            if held.is_empty() && has_ended {
                *held = lines;
                return Offered::Taken;
            }
            match self.start(held.clone()) {
                Ok(running) => *state = State::Running(running),
                Err(error) => return Offered::Failed(error),
            }
        }
        let State::Running(Running { jobs: Some(jobs), .. }) = &*state else {
            return Offered::Failed(gone());
        };
        match jobs.try_send(Job::Lines(lines)) {
            Ok(()) => Offered::Taken,
            Err(TrySendError::Full(Job::Lines(lines))) => Offered::Busy(lines),
            Err(TrySendError::Full(Job::Flush(_)) | TrySendError::Disconnected(_)) => {
                Offered::Failed(gone())
            }
        }
    }

    /// Waits until all lines are written. Lines that wait for no thread are written with `write`.
    pub(crate) fn flush(
        &self,
        write: impl FnOnce(&[Line]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut state = self.state();
        let jobs = match &mut *state {
            State::Held(held) => {
                if !held.is_empty() {
                    write(held)?;
                    held.clear();
                }
                return Ok(());
            }
            State::Running(running) => running.jobs.clone().ok_or_else(gone)?,
        };
        drop(state);
        let (sender, done) = mpsc::channel();
        jobs.send(Job::Flush(sender)).map_err(|_| gone())?;
        done.recv().map_err(|_| gone())?
    }

    /// Returns true if lines that were offered wait for a flush.
    pub(crate) fn has_no_thread(&self) -> bool {
        matches!(&*self.state(), State::Held(_))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
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
        let _ = self.write();
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
impl Drop for Running {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
