//! [`OneRun`]: the store of a process that runs one tool.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;

use cofferdam_broker::{
    Changes, Error, Event, Grant, GrantId, Key, Ledger, Line, Offered, Part, RecordedRequest,
    RequestId, RunId, Sink, Timestamp,
};
use cofferdam_caps::Kind;

use crate::outline::Outline;
use crate::spool;
use crate::store::{Options, Store};
use crate::writer::WriterStart;

/// A store that is opened only if its run needs it.
///
/// A run whose tool has no grants, and which asks for none, reads the outline of the store and appends
/// its lines to the spool. Whatever else the broker wants opens the store, and from then on this is
/// the store.
pub struct OneRun {
    path: PathBuf,
    /// `None` if the store is opened in any case.
    outline: Option<Outline>,
    opening: Mutex<Option<JoinHandle<Result<Store, Error>>>>,
    store: OnceLock<Store>,
    /// Lines of a run that has ended.
    held: Mutex<Vec<Line>>,
}

impl OneRun {
    /// Prepares the store at `path` for a run of the tool with this identity. Begins to open it, on
    /// another thread, if the tool has grants, or if `tool` is `None` and any tool has grants.
    pub fn prepare(path: &Path, tool: Option<&str>) -> Self {
        let outline = Outline::read(path).filter(|outline| match tool {
            Some(tool) => !outline.names(tool),
            None => !outline.names_any(),
        });
        let opening = match outline {
            Some(_) => None,
            None => {
                let path = path.to_owned();
                // Without a thread, the store is opened when it is needed.
                let thread = std::thread::Builder::new().name("cofferdam-store".into());
                thread.spawn(move || open(&path)).ok()
            }
        };
        let (opening, held) = (Mutex::new(opening), Mutex::default());
        Self { path: path.to_owned(), outline, opening, store: OnceLock::new(), held }
    }

    /// Opens the store, if it is not open, and returns it.
    pub fn store(&self) -> Result<&Store, Error> {
        if let Some(store) = self.store.get() {
            return Ok(store);
        }
        let mut opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = self.store.get() {
            return Ok(store);
        }
        let opened = opening.take().and_then(|thread| thread.join().ok());
        let store = opened.unwrap_or_else(|| open(&self.path))?;
        // Lines of an earlier run come first.
        let held = std::mem::take(&mut *self.held());
        if !held.is_empty() {
            store.commit(held)?;
        }
        Ok(self.store.get_or_init(|| store))
    }

    /// Returns the number of grants that were dropped when the store was opened; see
    /// [`Store::dropped_grants`].
    pub fn dropped_grants(&self) -> u32 {
        self.store.get().map_or(0, Store::dropped_grants)
    }

    /// Returns the outline if it is still true and the store was not opened.
    fn outline(&self) -> Option<&Outline> {
        let outline = self.outline.as_ref().filter(|_| self.store.get().is_none())?;
        outline.is_current().then_some(outline)
    }

    /// Returns true if nothing was granted to a tool, or to every tool, as far as the outline says.
    fn has_none(&self, tool: Option<&str>) -> bool {
        self.outline().is_some_and(|outline| tool.is_none_or(|tool| !outline.names(tool)))
    }

    fn held(&self) -> MutexGuard<'_, Vec<Line>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn open(path: &Path) -> Result<Store, Error> {
    Store::open_with(path, &Options { writer: WriterStart::WhenNeeded, ..Options::default() })
}

impl Ledger for OneRun {
    fn key(&self) -> Result<Key, Error> {
        match self.outline() {
            Some(outline) => Ok(outline.key),
            None => self.store()?.key(),
        }
    }

    fn mark(&self) -> Result<u64, Error> {
        match self.outline() {
            Some(outline) => Ok(outline.generation),
            None => self.store()?.mark(),
        }
    }

    fn changes(&self, since: u64) -> Result<Changes, Error> {
        match self.outline() {
            // Nothing is there to be told: neither denials nor grants for every tool.
            Some(outline) => {
                Ok(Changes { at: outline.generation, whole: since == 0, ..Changes::default() })
            }
            None => self.store()?.changes(since),
        }
    }

    fn grants_for(&self, tool: Option<&str>, part: Part<'_>) -> Result<Vec<Grant>, Error> {
        match self.has_none(tool) {
            true => Ok(Vec::new()),
            false => self.store()?.grants_for(tool, part),
        }
    }

    fn has_more_than(&self, tool: Option<&str>, most: usize) -> Result<bool, Error> {
        match self.has_none(tool) {
            true => Ok(false),
            false => self.store()?.has_more_than(tool, most),
        }
    }

    fn add(&self, grant: &Grant, answers: Option<&RequestId>) -> Result<(), Error> {
        self.store()?.add(grant, answers)
    }

    fn revoke(&self, id: &GrantId) -> Result<Option<Grant>, Error> {
        self.store()?.revoke(id)
    }

    fn take(&self, id: &GrantId, now: Timestamp) -> Result<bool, Error> {
        self.store()?.take(id, now)
    }

    fn bind(&self, id: &GrantId, run: &RunId, now: Timestamp) -> Result<bool, Error> {
        self.store()?.bind(id, run, now)
    }

    fn end_run(&self, run: &RunId) -> Result<(), Error> {
        self.store()?.end_run(run)
    }

    fn record(&self, request: &RecordedRequest) -> Result<(), Error> {
        self.store()?.record(request)
    }

    fn deny(&self, id: &RequestId) -> Result<Option<RecordedRequest>, Error> {
        self.store()?.deny(id)
    }

    fn request(&self, id: &RequestId) -> Result<Option<RecordedRequest>, Error> {
        self.store()?.request(id)
    }

    fn requests(&self) -> Result<Vec<RecordedRequest>, Error> {
        self.store()?.requests()
    }

    fn grants(&self) -> Result<Vec<Grant>, Error> {
        self.store()?.grants()
    }

    fn restrict(&self, sandbox: &str, tool: Option<&str>, kind: Kind) -> Result<(), Error> {
        self.store()?.restrict(sandbox, tool, kind)
    }

    fn is_restricted(&self, sandbox: &str, tool: &str, kind: Kind) -> Result<bool, Error> {
        match self.outline() {
            Some(_) => Ok(false),
            None => self.store()?.is_restricted(sandbox, tool, kind),
        }
    }

    fn is_shared(&self) -> bool {
        true
    }
}

impl Sink for OneRun {
    fn offer(&self, lines: Vec<Line>) -> Offered {
        let has_ended = lines.last().is_some_and(|line| line.event == Event::End);
        if has_ended && self.outline().is_some() {
            let mut held = self.held();
            if held.is_empty() {
                *held = lines;
                return Offered::Taken;
            }
        }
        match self.store() {
            Ok(store) => store.offer(lines),
            Err(error) => Offered::Failed(error),
        }
    }

    fn commit(&self, lines: Vec<Line>) -> Result<(), Error> {
        self.store()?.commit(lines)
    }

    fn flush(&self) -> Result<(), Error> {
        if let Some(store) = self.store.get() {
            return store.flush();
        }
        let mut held = self.held();
        if held.is_empty() {
            return Ok(());
        }
        let length = spool::append(&self.path, &held)?;
        held.clear();
        drop(held);
        if length > spool::MAX_BYTES {
            self.store()?;
        }
        Ok(())
    }
}

/// Writes lines that nobody flushed, as [`Store`] does.
impl Drop for OneRun {
    fn drop(&mut self) {
        let _ = self.flush();
    }
}
