//! Registered tools: the current version of each, and its earlier versions.
//!
//! A tool belongs to an agent, or to the person of this store. An earlier version stays, so that a
//! person can see what has changed.

use cofferdam_broker::{Error, Timestamp};
use rusqlite::{OptionalExtension, Row, params};

use crate::grants::{micros, stamp};
use crate::store::Store;

/// Most earlier versions of one tool that are kept.
const MAX_EARLIER: i64 = 16;

/// One version of a registered tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolVersion {
    /// Agent that it belongs to; empty for a tool of the person.
    pub owner: String,
    /// Name by which it is called.
    pub name: String,
    /// Hash of the manifest.
    pub hash: String,
    /// The manifest as JSON.
    pub manifest: String,
    /// Time at which it was added.
    pub at: Timestamp,
    /// True for the version that is called.
    pub is_current: bool,
}

const COLUMNS: &str = "owner, name, hash, manifest, at, is_current";

impl Store {
    /// Adds a version of a tool and makes it the current one. Returns false if it is current
    /// already.
    pub fn add_tool(&self, tool: &ToolVersion) -> Result<bool, Error> {
        self.write(|transaction| {
            let sql =
                "SELECT 1 FROM tools WHERE owner = ?1 AND name = ?2 AND hash = ?3 AND is_current";
            let key = params![tool.owner, tool.name, tool.hash];
            if transaction.query_row(sql, key, |_| Ok(())).optional()?.is_some() {
                return Ok(false);
            }
            let now = micros(tool.at);
            transaction.execute(
                "UPDATE tools SET is_current = 0 WHERE owner = ?1 AND name = ?2",
                params![tool.owner, tool.name],
            )?;
            transaction.execute(
                "INSERT OR REPLACE INTO tools (owner, name, hash, manifest, at, is_current)
                    VALUES (?1, ?2, ?3, ?4, ?5, 1)",
                params![tool.owner, tool.name, tool.hash, tool.manifest, now],
            )?;
            transaction.execute(
                "DELETE FROM tools WHERE owner = ?1 AND name = ?2 AND NOT is_current AND hash NOT IN
                    (SELECT hash FROM tools WHERE owner = ?1 AND name = ?2 AND NOT is_current
                        ORDER BY at DESC LIMIT ?3)",
                params![tool.owner, tool.name, MAX_EARLIER],
            )?;
            Ok(true)
        })
    }

    /// Removes a tool with all its versions. Returns false if there is none.
    pub fn remove_tool(&self, owner: &str, name: &str) -> Result<bool, Error> {
        self.write(|transaction| {
            let sql = "DELETE FROM tools WHERE owner = ?1 AND name = ?2";
            transaction.execute(sql, params![owner, name]).map(|removed| removed > 0)
        })
    }

    /// Returns the current versions of all tools, by owner and name.
    pub fn tools(&self) -> Result<Vec<ToolVersion>, Error> {
        let sql = format!("SELECT {COLUMNS} FROM tools WHERE is_current ORDER BY owner, name");
        self.read(|transaction| transaction.prepare_cached(&sql)?.query_map([], read)?.collect())
    }

    /// Returns owner, name and hash of the current versions.
    pub fn tool_hashes(&self) -> Result<Vec<[String; 3]>, Error> {
        let sql = "SELECT owner, name, hash FROM tools WHERE is_current ORDER BY owner, name";
        self.read(|transaction| {
            let mut select = transaction.prepare_cached(sql)?;
            let rows = select.query_map([], |row| Ok([row.get(0)?, row.get(1)?, row.get(2)?]))?;
            rows.collect()
        })
    }

    /// Returns the current version of a tool.
    pub fn tool(&self, owner: &str, name: &str) -> Result<Option<ToolVersion>, Error> {
        let sql =
            format!("SELECT {COLUMNS} FROM tools WHERE owner = ?1 AND name = ?2 AND is_current");
        self.read(|transaction| {
            transaction.prepare_cached(&sql)?.query_row([owner, name], read).optional()
        })
    }

    /// Returns all versions of a tool, latest first.
    pub fn tool_versions(&self, owner: &str, name: &str) -> Result<Vec<ToolVersion>, Error> {
        let sql = format!(
            "SELECT {COLUMNS} FROM tools WHERE owner = ?1 AND name = ?2
                ORDER BY is_current DESC, at DESC, hash"
        );
        self.read(|transaction| {
            transaction.prepare(&sql)?.query_map([owner, name], read)?.collect()
        })
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<ToolVersion> {
    Ok(ToolVersion {
        owner: row.get(0)?,
        name: row.get(1)?,
        hash: row.get(2)?,
        manifest: row.get(3)?,
        at: stamp(row, 4)?,
        is_current: row.get(5)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(owner: &str, hash: &str, at: u64) -> ToolVersion {
        ToolVersion {
            owner: owner.into(),
            name: "sum".into(),
            hash: hash.into(),
            manifest: format!("{{\"of\":\"{hash}\"}}"),
            at: Timestamp::from_micros(at),
            is_current: true,
        }
    }

    #[test]
    fn the_latest_version_is_current_and_the_earlier_stay() {
        let store = Store::in_memory().unwrap();
        assert!(store.add_tool(&version("", "a", 1)).unwrap());
        assert!(!store.add_tool(&version("", "a", 2)).unwrap());
        assert!(store.add_tool(&version("", "b", 3)).unwrap());
        assert!(store.add_tool(&version("agt_1", "c", 4)).unwrap());
        assert_eq!(store.tool("", "sum").unwrap(), Some(version("", "b", 3)));
        let hashes = |owner: &str| -> Vec<String> {
            store.tool_versions(owner, "sum").unwrap().into_iter().map(|tool| tool.hash).collect()
        };
        assert_eq!(hashes(""), ["b", "a"]);
        // Back to an earlier version.
        assert!(store.add_tool(&version("", "a", 5)).unwrap());
        assert_eq!(hashes(""), ["a", "b"]);
        assert_eq!(store.tools().unwrap(), [version("", "a", 5), version("agt_1", "c", 4)]);
        assert!(store.remove_tool("", "sum").unwrap());
        assert!(!store.remove_tool("", "sum").unwrap());
        assert_eq!((hashes("").len(), hashes("agt_1").len()), (0, 1));
    }

    #[test]
    fn earlier_versions_are_bounded() {
        let store = Store::in_memory().unwrap();
        for at in 0..30 {
            store.add_tool(&version("", &format!("{at:02}"), at)).unwrap();
        }
        let versions = store.tool_versions("", "sum").unwrap();
        assert_eq!((versions.len(), &*versions[16].hash), (17, "13"));
    }
}
