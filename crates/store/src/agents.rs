//! Agents: clients that run things and never decide.
//!
//! A token is stored as a hash alone. Whoever reads the store cannot use it to pass for an agent.

use cofferdam_broker::{Error, Timestamp};
use cofferdam_caps::Capability;
use rusqlite::types::Type;
use rusqlite::{OptionalExtension, Row, params};

use crate::grants::{micros, stamp};
use crate::store::Store;

/// An agent and the capabilities that its sandboxes begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// Id by which the token is revoked.
    pub id: String,
    /// Name that a person chose.
    pub name: String,
    /// Capabilities that its sandboxes may begin with.
    pub capabilities: Vec<Capability>,
    /// Time at which the token was made.
    pub at: Timestamp,
    /// Time at which the token was revoked.
    pub revoked: Option<Timestamp>,
}

const COLUMNS: &str = "id, name, capabilities, at, revoked";

impl Store {
    /// Adds an agent with the hash of its token.
    pub fn add_agent(&self, agent: &Agent, hash: &[u8; 32]) -> Result<(), Error> {
        let capabilities: String = agent.capabilities.iter().map(|c| format!("{c}\n")).collect();
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO agents (id, name, hash, capabilities, at) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![agent.id, agent.name, &hash[..], capabilities, micros(agent.at)],
            )
        })?;
        Ok(())
    }

    /// Returns the agent whose token has this hash, unless it was revoked.
    pub fn agent_by_token(&self, hash: &[u8; 32]) -> Result<Option<Agent>, Error> {
        let sql = format!("SELECT {COLUMNS} FROM agents WHERE hash = ?1 AND revoked IS NULL");
        self.read(|transaction| {
            transaction.prepare_cached(&sql)?.query_row([&hash[..]], read).optional()
        })
    }

    /// Returns all agents, latest first.
    pub fn agents(&self) -> Result<Vec<Agent>, Error> {
        let sql = format!("SELECT {COLUMNS} FROM agents ORDER BY at DESC, id");
        self.read(|transaction| transaction.prepare(&sql)?.query_map([], read)?.collect())
    }

    /// Revokes the token of an agent, by its id or name. Returns the number of tokens revoked.
    pub fn revoke_agent(&self, id_or_name: &str, now: Timestamp) -> Result<usize, Error> {
        self.write(|transaction| {
            transaction.execute(
                "UPDATE agents SET revoked = ?2 WHERE (id = ?1 OR name = ?1) AND revoked IS NULL",
                params![id_or_name, micros(now)],
            )
        })
    }
}

fn read(row: &Row<'_>) -> rusqlite::Result<Agent> {
    let text: String = row.get(2)?;
    let parse = |line: &str| {
        line.parse::<Capability>().map_err(|error| {
            rusqlite::Error::FromSqlConversionFailure(2, Type::Text, error.to_string().into())
        })
    };
    Ok(Agent {
        id: row.get(0)?,
        name: row.get(1)?,
        capabilities: text.lines().map(parse).collect::<Result<_, _>>()?,
        at: stamp(row, 3)?,
        revoked: row
            .get::<_, Option<i64>>(4)?
            .map(|micros| Timestamp::from_micros(micros.unsigned_abs())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_revoked_token_finds_no_agent() {
        let store = Store::in_memory().unwrap();
        let agent = Agent {
            id: "agt_1".into(),
            name: "ci".into(),
            capabilities: vec!["fs:read:/a b".parse().unwrap(), "env:read".parse().unwrap()],
            at: Timestamp::from_micros(5),
            revoked: None,
        };
        store.add_agent(&agent, &[1; 32]).unwrap();
        assert_eq!(store.agent_by_token(&[1; 32]).unwrap(), Some(agent));
        assert_eq!(store.agent_by_token(&[2; 32]).unwrap(), None);
        assert_eq!(store.revoke_agent("ci", Timestamp::from_micros(9)).unwrap(), 1);
        assert_eq!(store.agent_by_token(&[1; 32]).unwrap(), None);
        assert_eq!(store.agents().unwrap()[0].revoked, Some(Timestamp::from_micros(9)));
        assert_eq!(store.revoke_agent("ci", Timestamp::from_micros(9)).unwrap(), 0);
    }
}
