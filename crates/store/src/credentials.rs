//! Credentials of approvers: one-time login codes, and the cookies that they are exchanged for.
//!
//! Both are stored as hashes. A code is removed in the transaction that uses it, so that two
//! attempts at once cannot both succeed.

use cofferdam_broker::{Error, Timestamp};
use rusqlite::{OptionalExtension, params};

use crate::grants::micros;
use crate::store::Store;

/// Kind of credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Credential {
    /// A login code, good for one use.
    Code,
    /// The cookie of a browser.
    Cookie,
}

impl Credential {
    fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Cookie => "cookie",
        }
    }
}

impl Store {
    /// Adds a credential of the approver `name`, and removes those that have expired.
    pub fn add_credential(
        &self,
        kind: Credential,
        hash: &[u8; 32],
        name: &str,
        (now, expires): (Timestamp, Timestamp),
    ) -> Result<(), Error> {
        self.write(|transaction| {
            transaction.execute("DELETE FROM credentials WHERE expires <= ?1", [micros(now)])?;
            transaction.execute(
                "INSERT INTO credentials (hash, kind, name, expires) VALUES (?1, ?2, ?3, ?4)",
                params![&hash[..], kind.name(), name, micros(expires)],
            )
        })?;
        Ok(())
    }

    /// Returns the name of the approver with this credential, unless it has expired.
    pub fn credential(
        &self,
        kind: Credential,
        hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<String>, Error> {
        let sql = "SELECT name FROM credentials WHERE hash = ?1 AND kind = ?2 AND expires > ?3";
        self.read(|transaction| {
            transaction
                .prepare_cached(sql)?
                .query_row(params![&hash[..], kind.name(), micros(now)], |row| row.get(0))
                .optional()
        })
    }

    /// Removes a credential and returns the name of its approver. Returns `None` if it was used or
    /// has expired.
    pub fn take_credential(
        &self,
        kind: Credential,
        hash: &[u8; 32],
        now: Timestamp,
    ) -> Result<Option<String>, Error> {
        let sql = "DELETE FROM credentials WHERE hash = ?1 AND kind = ?2 AND expires > ?3
            RETURNING name";
        self.write(|transaction| {
            transaction
                .query_row(sql, params![&hash[..], kind.name(), micros(now)], |row| row.get(0))
                .optional()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_taken_once_and_only_in_time() {
        let store = Store::in_memory().unwrap();
        let at = Timestamp::from_micros;
        store.add_credential(Credential::Code, &[1; 32], "ann", (at(0), at(10))).unwrap();
        let take = |now| store.take_credential(Credential::Code, &[1; 32], at(now)).unwrap();
        assert_eq!(store.take_credential(Credential::Cookie, &[1; 32], at(5)).unwrap(), None);
        assert_eq!(take(10), None);
        assert_eq!(take(9).as_deref(), Some("ann"));
        assert_eq!(take(9), None);
    }
}
