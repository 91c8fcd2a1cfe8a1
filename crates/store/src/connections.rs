//! The connections of a store to its file, each opened when it is first needed.
//!
//! Opening one takes a tenth of a millisecond, and most processes run one tool and need one.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError, TryLockError};
use std::time::Duration;

use cofferdam_broker::Error;
use rusqlite::{Connection, OpenFlags};

use crate::schema::{self, Sync};
use crate::{failure, place};

/// Longest log that is left for the next process, in bytes: some twenty runs of tools. Writing it
/// back takes several waits for the disk, and reading it a fraction of a millisecond.
const MAX_LOG: u64 = 256 * 1024;

/// State of the log when a store is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Log {
    /// Has nothing but audit lines, as far as this process knows.
    Lines,
    /// May hold headers of a grant that has ended.
    Grants,
}

/// Connections for durable writes, for writes that need not be durable, and for reading.
pub(crate) struct Connections {
    place: Place,
    durable: Mutex<Connection>,
    soon: OnceLock<Mutex<Connection>>,
    reader: OnceLock<Mutex<Connection>>,
}

/// Way to open a further connection.
#[derive(Clone)]
pub(crate) enum Place {
    /// Each connection would open its own store, so there is only one.
    Memory,
    File(PathBuf, Duration),
}

impl Connections {
    /// Takes the connection that the store was opened with.
    pub(crate) fn new(durable: Connection, place: Place) -> Self {
        let (soon, reader) = (OnceLock::new(), OnceLock::new());
        Self { place, durable: Mutex::new(durable), soon, reader }
    }

    pub(crate) fn place(&self) -> &Place {
        &self.place
    }

    /// Returns the connection for durable writes.
    pub(crate) fn durable(&self) -> MutexGuard<'_, Connection> {
        lock(&self.durable)
    }

    /// Returns the connection for writes that need not be durable.
    pub(crate) fn soon(&self) -> Result<MutexGuard<'_, Connection>, Error> {
        self.open(&self.soon)
    }

    /// Returns a connection for reading, which does not wait for a writer of this process.
    pub(crate) fn reader(&self) -> Result<MutexGuard<'_, Connection>, Error> {
        if self.reader.get().is_none() {
            match self.durable.try_lock() {
                Ok(free) => return Ok(free),
                Err(TryLockError::Poisoned(free)) => return Ok(free.into_inner()),
                Err(TryLockError::WouldBlock) => {}
            }
        }
        self.open(&self.reader)
    }

    /// Writes the log back into the file if it is long or holds more than audit lines. Does
    /// nothing if another process is in the way: that process comes here later.
    pub(crate) fn settle(&self, log: Log) {
        let Place::File(path, _) = &self.place else { return };
        let len = std::fs::metadata(place::beside(path, "-wal")).map_or(0, |found| found.len());
        if len == 0 || (log == Log::Lines && len <= MAX_LOG) {
            return;
        }
        let connection = self.durable();
        // A failure loses nothing: the log stays.
        let _ = connection.busy_timeout(Duration::ZERO);
        let _ = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }

    fn open<'a>(
        &'a self,
        opened: &'a OnceLock<Mutex<Connection>>,
    ) -> Result<MutexGuard<'a, Connection>, Error> {
        if let Some(connection) = opened.get() {
            return Ok(lock(connection));
        }
        Ok(match self.place.connect(Sync::Normal)? {
            // Two threads may connect at once; one of the connections is closed again.
            Some(connection) => lock(opened.get_or_init(|| Mutex::new(connection))),
            None => self.durable(),
        })
    }
}

impl Place {
    /// Opens a connection, or returns `None` in memory.
    pub(crate) fn connect(&self, sync: Sync) -> Result<Option<Connection>, Error> {
        match self {
            Place::Memory => Ok(None),
            Place::File(path, patience) => connect(path, sync, *patience).map(Some),
        }
    }
}

/// Opens a connection to the file of a store.
pub(crate) fn connect(path: &Path, sync: Sync, patience: Duration) -> Result<Connection, Error> {
    // Not opened as a URI, because a path may contain any character.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let failed = |error: rusqlite::Error| failure::sql(path, &error);
    let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
    schema::configure(&connection, sync, patience).map_err(failed)?;
    Ok(connection)
}

fn lock(connection: &Mutex<Connection>) -> MutexGuard<'_, Connection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reader_does_not_wait_for_a_writer() {
        let path =
            std::env::temp_dir().join(format!("cofferdam-connections-{}", std::process::id()));
        std::fs::write(&path, "").unwrap();
        let patience = Duration::from_secs(1);
        let durable = connect(&path, Sync::Full, patience).unwrap();
        let connections = Connections::new(durable, Place::File(path.clone(), patience));
        // Nobody writes: no further connection is opened.
        drop(connections.reader().unwrap());
        assert!(connections.reader.get().is_none());
        let writing = connections.durable();
        let read = connections.reader().unwrap();
        assert_eq!(read.query_row("SELECT 1", [], |row| row.get::<_, i64>(0)), Ok(1));
        drop((read, writing));
        assert!(connections.reader.get().is_some());
        std::fs::remove_file(&path).unwrap();
    }
}
