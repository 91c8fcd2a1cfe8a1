//! Servers that use the store at this moment, each with a lock that the system releases when the
//! process ends, however it ends.

use std::fs::File;
use std::path::PathBuf;

use cofferdam_broker::{Error, Timestamp};
use rusqlite::{Connection, params};
use rustix::fs::{FlockOperation, flock};

use crate::grants::micros;
use crate::place;
use crate::store::Store;

/// A running server. Dropping it removes its entry and its questions.
#[derive(Debug)]
pub struct Front {
    store: Store,
    id: String,
    /// `None` for a store in memory.
    lock: Option<(File, PathBuf)>,
}

/// The entry of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontInfo {
    /// Id of the server.
    pub id: String,
    /// Address of its console.
    pub url: Option<String>,
    /// Addresses that it listens on.
    pub addresses: Vec<String>,
}

/// Notices that something in the store was changed, by any process.
#[derive(Debug)]
pub struct Pulse {
    store: Store,
    connection: Option<Connection>,
    version: i64,
}

impl Store {
    /// Registers a server, and removes the entries of servers that have ended.
    pub fn front(&self, id: &str, url: Option<&str>, addresses: &[String]) -> Result<Front, Error> {
        let lock = match self.is_in_memory() {
            true => None,
            false => {
                let path = self.lock_path(id);
                let file = place::open(&path)?;
                flock(&file, FlockOperation::NonBlockingLockExclusive)
                    .map_err(|error| crate::failure::io(&path, &error.into()))?;
                Some((file, path))
            }
        };
        self.bury()?;
        let (addresses, now) = (addresses.join("\n"), micros(Timestamp::now()));
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO fronts (id, url, addresses, at) VALUES (?1, ?2, ?3, ?4)",
                params![id, url, addresses, now],
            )
        })?;
        Ok(Front { store: self.clone(), id: id.to_owned(), lock })
    }

    /// Returns the servers that are running, latest first.
    pub fn fronts(&self) -> Result<Vec<FrontInfo>, Error> {
        self.bury()?;
        self.entries()
    }

    fn entries(&self) -> Result<Vec<FrontInfo>, Error> {
        self.read(|transaction| {
            let mut select = transaction
                .prepare_cached("SELECT id, url, addresses FROM fronts ORDER BY at DESC, id")?;
            let rows = select.query_map([], |row| {
                let addresses: String = row.get(2)?;
                let addresses = addresses.lines().map(str::to_owned).collect();
                Ok(FrontInfo { id: row.get(0)?, url: row.get(1)?, addresses })
            })?;
            rows.collect()
        })
    }

    /// Removes the entries of servers that have ended without removing them.
    fn bury(&self) -> Result<(), Error> {
        if self.is_in_memory() {
            return Ok(());
        }
        for front in self.entries()? {
            let path = self.lock_path(&front.id);
            let file = place::open(&path)?;
            if flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok() {
                self.remove_front(&front.id)?;
                let _ = std::fs::remove_file(&path);
            }
        }
        Ok(())
    }

    fn remove_front(&self, id: &str) -> Result<(), Error> {
        self.write(|transaction| {
            transaction.execute("DELETE FROM questions WHERE front = ?1", [id])?;
            transaction.execute("DELETE FROM answers WHERE front = ?1", [id])?;
            transaction.execute("DELETE FROM fronts WHERE id = ?1", [id])
        })?;
        Ok(())
    }

    fn lock_path(&self, id: &str) -> PathBuf {
        place::beside(self.path(), &format!("-{id}"))
    }

    /// Returns a handle that notices changes of the store.
    pub fn pulse(&self) -> Result<Pulse, Error> {
        Ok(Pulse { store: self.clone(), connection: self.connect()?, version: -1 })
    }
}

impl Front {
    /// Returns the id of the server.
    pub fn id(&self) -> &str {
        &self.id
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        // An entry that stays is removed by the next server.
        if self.store.remove_front(&self.id).is_ok()
            && let Some((_, path)) = &self.lock
        {
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Pulse {
    /// Returns true if the store was changed since the last call, and for the first call.
    pub fn has_changed(&mut self) -> Result<bool, Error> {
        // In memory there is one connection, which does not count its own changes.
        let Some(connection) = &self.connection else { return Ok(true) };
        let version = connection
            .pragma_query_value(None, "data_version", |row| row.get(0))
            .map_err(|error| self.store.fail(&error))?;
        Ok(std::mem::replace(&mut self.version, version) != version)
    }
}
