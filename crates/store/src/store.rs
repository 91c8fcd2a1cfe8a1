//! Opening a store, and the transactions that all its parts use.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, MutexGuard};
use std::time::Duration;

use cofferdam_broker::{Error, Timestamp};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::connections::{Connections, Log, Place, connect};
use crate::mark::Mark;
use crate::schema::{self, Sync};
use crate::sink::Commits;
use crate::writer::{Writer, WriterStart};
use crate::{failure, grants, lines, outline, place};

/// Changes between two looks at the number of ended grants, which takes time.
const TRIM_EVERY: u64 = 1000;

/// Grants, requests and audit log in one file. Clones share the same store.
#[derive(Clone)]
pub struct Store(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    path: PathBuf,
    dropped: u32,
    connections: Connections,
    pub(crate) mark: Mark,
    pub(crate) commits: Commits,
    /// `None` in memory, where writing never waits.
    pub(crate) writer: Option<Writer>,
    /// True if this process has made the file, or changed grants.
    has_changed: AtomicBool,
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.writer.as_ref().is_some_and(Writer::has_no_thread) {
            // Nobody is left to be told of a failure.
            let _ = self.flush();
        }
        drop(self.writer.take());
        self.connections.settle(match *self.has_changed.get_mut() {
            true => Log::Grants,
            false => Log::Lines,
        });
    }
}

/// Options for opening a store.
#[derive(Debug, Clone)]
pub struct Options {
    /// Longest wait for another process that is writing.
    pub patience: Duration,
    /// Start of the thread that writes audit lines.
    pub writer: WriterStart,
}

impl Default for Options {
    fn default() -> Self {
        Self { patience: Duration::from_secs(5), writer: WriterStart::AtOnce }
    }
}

impl Inner {
    /// Writes every line that was offered.
    pub(crate) fn flush(&self) -> Result<(), Error> {
        let Some(writer) = &self.writer else { return Ok(()) };
        writer.flush(|lines| {
            let mut connection = self.connections.durable();
            let mut write = || {
                // As on the thread: lines that were only offered need not wait for the disk.
                schema::set_sync(&connection, Sync::Normal)?;
                let transaction =
                    connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
                lines::insert(&transaction, lines)?;
                transaction.commit()
            };
            let written = write();
            let restored = schema::set_sync(&connection, Sync::Full);
            written.and(restored).map_err(|error| failure::sql(&self.path, &error))
        })
    }
}

impl Store {
    /// Opens the store at `path`; creates it for its owner alone if needed.
    pub fn open(path: &Path) -> Result<Self, Error> {
        Self::open_with(path, &Options::default())
    }

    /// Opens the store at `path` with other options.
    pub fn open_with(path: &Path, options: &Options) -> Result<Self, Error> {
        place::secure_file(path)?;
        let is_new = std::fs::metadata(path).is_ok_and(|found| found.len() == 0);
        let mut connection = connect(path, Sync::Full, options.patience)?;
        let dropped = schema::create_tables(&mut connection, path, options.patience)?;
        let place = Place::File(path.to_owned(), options.patience);
        let store = Self(Arc::new(Inner {
            path: path.to_owned(),
            dropped,
            mark: Mark::beside(path)?,
            commits: Commits::default(),
            writer: Some(Writer::new(place.clone(), path.to_owned(), options.writer)?),
            connections: Connections::new(connection, place),
            has_changed: AtomicBool::new(is_new),
        }));
        let store = store.sweep()?;
        // Both are tried again by the next process.
        let _ = store.take_over(Duration::ZERO);
        let _ = store.write_outline();
        Ok(store)
    }

    /// Creates a store in memory, which is lost with its last clone.
    pub fn in_memory() -> Result<Self, Error> {
        let path = PathBuf::from(":memory:");
        let options = Options::default();
        let failed = |error: rusqlite::Error| failure::sql(&path, &error);
        let mut connection = Connection::open_in_memory().map_err(failed)?;
        schema::configure(&connection, Sync::Normal, options.patience).map_err(failed)?;
        let dropped = schema::create_tables(&mut connection, &path, options.patience)?;
        let store = Self(Arc::new(Inner {
            path,
            dropped,
            connections: Connections::new(connection, Place::Memory),
            mark: Mark::in_memory(),
            commits: Commits::default(),
            writer: None,
            has_changed: AtomicBool::new(false),
        }));
        store.sweep()
    }

    fn sweep(self) -> Result<Self, Error> {
        let now = Timestamp::now();
        let has_expired = grants::has_expired(&*self.reader()?, now);
        if has_expired.map_err(|error| self.fail(&error))? {
            self.change(|transaction, generation| grants::sweep(transaction, generation, now))?;
        }
        Ok(self)
    }

    /// Makes the outline of the store if there is none. Does not wait for another writer.
    fn write_outline(&self) -> Result<(), Error> {
        if outline::exists(self.path()) {
            return Ok(());
        }
        let mut connection = self.connection();
        let mut write = || {
            connection.busy_timeout(Duration::ZERO)?;
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            outline::write(self.path(), &transaction)
        };
        let written = write();
        let restored = connection.busy_timeout(self.patience());
        written.and(restored).map_err(|error| self.fail(&error))
    }

    /// Returns the longest wait for another process that is writing.
    pub(crate) fn patience(&self) -> Duration {
        match self.0.connections.place() {
            Place::Memory => Duration::ZERO,
            Place::File(_, patience) => *patience,
        }
    }

    /// Returns the path of the file, or `:memory:`.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Returns the number of grants that were dropped when this store was opened, because an
    /// earlier version knew their tools by a short hash only.
    pub fn dropped_grants(&self) -> u32 {
        self.0.dropped
    }

    pub(crate) fn connection(&self) -> MutexGuard<'_, Connection> {
        self.0.connections.durable()
    }

    pub(crate) fn reader(&self) -> Result<MutexGuard<'_, Connection>, Error> {
        self.0.connections.reader()
    }

    pub(crate) fn is_in_memory(&self) -> bool {
        matches!(self.0.connections.place(), Place::Memory)
    }

    /// Opens a further connection to the file; returns `None` in memory.
    pub(crate) fn connect(&self) -> Result<Option<Connection>, Error> {
        self.0.connections.place().connect(Sync::Normal)
    }

    /// Writes in one transaction, which survives a crash of the process but perhaps not one of the
    /// machine.
    pub(crate) fn write_soon<T>(
        &self,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        self.write_locked(&mut *self.0.connections.soon()?, write)
    }

    pub(crate) fn fail(&self, error: &rusqlite::Error) -> Error {
        failure::sql(&self.0.path, error)
    }

    /// Reads in one transaction, which sees a single state of the store.
    pub(crate) fn read<T>(
        &self,
        read: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let mut connection = self.reader()?;
        let transaction = connection.transaction().map_err(|error| self.fail(&error))?;
        read(&transaction).map_err(|error| self.fail(&error))
    }

    /// Writes in one transaction, which is durable on return.
    pub(crate) fn write<T>(
        &self,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        self.write_locked(&mut self.connection(), write)
    }

    pub(crate) fn write_locked<T>(
        &self,
        connection: &mut Connection,
        write: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, Error> {
        let run = || {
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let result = write(&transaction)?;
            transaction.commit()?;
            Ok(result)
        };
        run().map_err(|error| self.fail(&error))
    }

    /// Changes grants or standings in one transaction and announces the change to all processes.
    /// `change` receives the generation for the changed rows and returns `None` if nothing changed.
    pub(crate) fn change<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>, u64) -> rusqlite::Result<Option<T>>,
    ) -> Result<Option<T>, Error> {
        let mut not_removed = None;
        let done = self.write(|transaction| {
            // Before the commit: nobody may read in the outline that nothing was granted, once
            // somebody was told that something was.
            if !self.is_in_memory()
                && let Err(error) = outline::remove(self.path())
            {
                not_removed = Some(failure::io(self.path(), &error));
                return Ok(None);
            }
            let generation = generation(transaction)? + 1;
            let result = change(transaction, generation)?;
            if result.is_some() {
                transaction.execute("UPDATE meta SET generation = ?1", [generation as i64])?;
                if generation % TRIM_EVERY == 0 {
                    grants::trim(transaction)?;
                }
            }
            Ok(result.map(|result| (result, generation)))
        })?;
        not_removed.map_or(Ok(()), Err)?;
        if done.is_some() {
            self.0.has_changed.store(true, Ordering::Relaxed);
        }
        done.map(|(result, generation)| self.0.mark.tell(generation).map(|()| result)).transpose()
    }
}

/// Returns the number of the last change.
pub(crate) fn generation(transaction: &Connection) -> rusqlite::Result<u64> {
    let mut select = transaction.prepare_cached("SELECT generation FROM meta")?;
    select.query_row([], |row| row.get::<_, i64>(0)).map(i64::unsigned_abs)
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.0.path).finish()
    }
}

#[cfg(test)]
mod tests {
    use cofferdam_broker::{Broker, Discard, ErrorKind, Ledger, Span, Terms};

    use super::*;

    fn check(pragma: &str, value: i64, expect: ErrorKind) {
        let store = Store::in_memory().unwrap();
        let broker = Broker::setup(Arc::new(store.clone()), Arc::new(Discard)).open().unwrap();
        store.connection().pragma_update_and_check(None, pragma, value, |_| Ok(())).ok();
        let name = format!("function:call:{}", "x".repeat(4_000));
        let grant = || broker.grant(Terms::new(name.parse().unwrap(), Span::Always));
        let error = (0..1_000).find_map(|_| grant().err()).expect("an error");
        assert_eq!(error.kind(), expect, "{error}");
        assert!(error.hint().is_some());
        // Earlier writes are still there.
        assert!(store.grants().is_ok());
    }

    /// T-PERM-010.
    #[test]
    fn full_store_is_an_error_that_says_so() {
        check("max_page_count", 100, ErrorKind::Full);
    }

    #[test]
    fn store_that_cannot_be_written_is_an_error_that_says_so() {
        check("query_only", 1, ErrorKind::ReadOnly);
    }
}
