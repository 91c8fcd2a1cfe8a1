//! Sandboxes that were saved to disk: an entry in the store, and the content in a file beside it.
//!
//! The file is complete and on disk before the entry exists, so that a crash leaves either both or
//! a file that nothing names.

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use cofferdam_broker::{Error, Timestamp};
use rusqlite::{OptionalExtension, Row, params};

use crate::grants::{micros, stamp};
use crate::store::Store;
use crate::{failure, place};

/// A sandbox that was saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedSandbox {
    /// Id of the sandbox.
    pub id: String,
    /// Agent that it belongs to.
    pub agent: String,
    /// Name that the agent chose.
    pub name: Option<String>,
    /// Parameters that it was made with, as JSON.
    pub settings: String,
    /// Time at which it was saved.
    pub at: Timestamp,
}

const COLUMNS: &str = "id, agent, name, settings, at";

impl Store {
    /// Saves a sandbox and its content, durably; replaces what was saved before.
    pub fn save_sandbox(&self, saved: &SavedSandbox, content: &[u8]) -> Result<(), Error> {
        let path = self.content_path(&saved.id);
        let next = place::beside(&path, ".next");
        let failed = |error: std::io::Error| failure::io(&path, &error);
        let _ = std::fs::remove_file(&next);
        let mut file = place::open(&next)?;
        file.write_all(content).and_then(|()| file.sync_all()).map_err(failed)?;
        std::fs::rename(&next, &path).map_err(failed)?;
        if let Some(folder) = path.parent() {
            File::open(folder).and_then(|folder| folder.sync_all()).map_err(failed)?;
        }
        self.write(|transaction| {
            let sql =
                format!("INSERT OR REPLACE INTO sandboxes ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5)");
            let at = micros(saved.at);
            transaction
                .execute(&sql, params![saved.id, saved.agent, saved.name, saved.settings, at])
                .map(drop)
        })
    }

    /// Returns the sandboxes that were saved, latest first.
    pub fn saved_sandboxes(&self) -> Result<Vec<SavedSandbox>, Error> {
        let sql = format!("SELECT {COLUMNS} FROM sandboxes ORDER BY at DESC, id");
        self.read(|transaction| transaction.prepare(&sql)?.query_map([], read)?.collect())
    }

    /// Returns a saved sandbox and its content.
    pub fn saved_sandbox(&self, id: &str) -> Result<Option<(SavedSandbox, Vec<u8>)>, Error> {
        let sql = format!("SELECT {COLUMNS} FROM sandboxes WHERE id = ?1");
        let found = self.read(|transaction| transaction.query_row(&sql, [id], read).optional())?;
        let Some(saved) = found else { return Ok(None) };
        let path = self.content_path(&saved.id);
        let content = std::fs::read(&path).map_err(|error| failure::io(&path, &error))?;
        Ok(Some((saved, content)))
    }

    /// Removes a saved sandbox. Returns false if there is none with this id.
    pub fn forget_sandbox(&self, id: &str) -> Result<bool, Error> {
        let removed = self.write(|transaction| {
            transaction.execute("DELETE FROM sandboxes WHERE id = ?1", [id])
        })?;
        if removed == 1 {
            let _ = std::fs::remove_file(self.content_path(id));
        }
        Ok(removed == 1)
    }

    fn content_path(&self, id: &str) -> PathBuf {
        place::beside(self.path(), &format!("-{id}.sandbox"))
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<SavedSandbox> {
    Ok(SavedSandbox {
        id: row.get(0)?,
        agent: row.get(1)?,
        name: row.get(2)?,
        settings: row.get(3)?,
        at: stamp(row, 4)?,
    })
}
