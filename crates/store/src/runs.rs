//! Runs that a client must not start twice, by the key that it chose.
//!
//! The key is durable before the run starts. After a crash the outcome is not known, and a run with
//! the same key is refused rather than repeated.

use cofferdam_broker::{Error, Timestamp};
use rusqlite::{OptionalExtension, params};

use crate::grants::micros;
use crate::store::Store;

/// Most runs that are kept; the oldest are removed first.
const MAX_RUNS: i64 = 100_000;

/// A run with the key of its client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyedRun {
    /// Id of the run.
    pub id: String,
    /// Agent that started it.
    pub agent: String,
    /// Key that the agent chose.
    pub key: String,
    /// Hash of the parameters.
    pub digest: [u8; 32],
    /// Server that runs it.
    pub front: String,
    /// Outcome as JSON, once the run has ended.
    pub outcome: Option<String>,
}

/// Result of claiming a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claim {
    /// The key is new: the run may start.
    New,
    /// The key belongs to this run.
    Taken(KeyedRun),
}

impl Store {
    /// Claims a key for a run, durably, unless the agent has used it before.
    pub fn claim_run(&self, run: &KeyedRun, now: Timestamp) -> Result<Claim, Error> {
        self.write(|transaction| {
            let sql = "INSERT INTO runs (id, agent, key, digest, front, at)
                VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (agent, key) DO NOTHING";
            let values =
                params![run.id, run.agent, run.key, &run.digest[..], run.front, micros(now)];
            if transaction.execute(sql, values)? == 1 {
                let trim = "DELETE FROM runs WHERE at <=
                    (SELECT at FROM runs ORDER BY at DESC LIMIT 1 OFFSET ?1)";
                transaction.execute(trim, [MAX_RUNS])?;
                return Ok(Claim::New);
            }
            let sql = "SELECT id, digest, front, outcome FROM runs WHERE agent = ?1 AND key = ?2";
            transaction.query_row(sql, params![run.agent, run.key], |row| {
                Ok(Claim::Taken(KeyedRun {
                    id: row.get(0)?,
                    agent: run.agent.clone(),
                    key: run.key.clone(),
                    digest: row.get(1)?,
                    front: row.get(2)?,
                    outcome: row.get(3)?,
                }))
            })
        })
    }

    /// Releases the key of a run that was not started.
    pub fn release_run(&self, id: &str) -> Result<(), Error> {
        self.write(|transaction| {
            transaction.execute("DELETE FROM runs WHERE id = ?1 AND outcome IS NULL", [id])
        })?;
        Ok(())
    }

    /// Keeps the outcome of a run, durably.
    pub fn finish_run(&self, id: &str, outcome: &str) -> Result<(), Error> {
        self.write(|transaction| {
            let sql = "UPDATE runs SET outcome = ?2 WHERE id = ?1";
            transaction.execute(sql, params![id, outcome]).map(drop)
        })
    }

    /// Returns a run by its id.
    pub fn keyed_run(&self, id: &str) -> Result<Option<KeyedRun>, Error> {
        let sql = "SELECT id, agent, key, digest, front, outcome FROM runs WHERE id = ?1";
        self.read(|transaction| {
            let read = |row: &rusqlite::Row<'_>| {
                Ok(KeyedRun {
                    id: row.get(0)?,
                    agent: row.get(1)?,
                    key: row.get(2)?,
                    digest: row.get(3)?,
                    front: row.get(4)?,
                    outcome: row.get(5)?,
                })
            };
            transaction.query_row(sql, [id], read).optional()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_claimed_once_for_each_agent() {
        let store = Store::in_memory().unwrap();
        let run = |id: &str, agent: &str| KeyedRun {
            id: id.into(),
            agent: agent.into(),
            key: "k".into(),
            digest: [7; 32],
            front: "f".into(),
            outcome: None,
        };
        let claim = |run: &KeyedRun| store.claim_run(run, Timestamp::from_micros(1)).unwrap();
        assert_eq!(claim(&run("r1", "a")), Claim::New);
        assert_eq!(claim(&run("r2", "a")), Claim::Taken(run("r1", "a")));
        assert_eq!(claim(&run("r3", "b")), Claim::New);
        store.finish_run("r1", "{}").unwrap();
        let Claim::Taken(taken) = claim(&run("r4", "a")) else { panic!("claimed twice") };
        assert_eq!(taken.outcome.as_deref(), Some("{}"));
        assert_eq!(store.keyed_run("r1").unwrap(), Some(taken));
        assert_eq!(store.keyed_run("r2").unwrap(), None);
    }
}
