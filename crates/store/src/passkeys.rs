//! Passkeys of approvers: public keys of their authenticators.

use cofferdam_broker::{Error, Timestamp};
use rusqlite::params;

use crate::grants::{micros, stamp};
use crate::store::Store;

/// Public key of an authenticator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passkey {
    /// Id that the authenticator knows it by.
    pub id: Vec<u8>,
    /// Approver that it belongs to.
    pub name: String,
    /// Point of the curve P-256, uncompressed.
    pub key: Vec<u8>,
    /// Time at which it was added.
    pub at: Timestamp,
}

impl Store {
    /// Adds a passkey. Returns false if there is one with this id already.
    pub fn add_passkey(&self, passkey: &Passkey) -> Result<bool, Error> {
        let Passkey { id, name, key, at } = passkey;
        let added = self.write(|transaction| {
            transaction.execute(
                "INSERT OR IGNORE INTO passkeys (id, name, key, at) VALUES (?1, ?2, ?3, ?4)",
                params![id, name, key, micros(*at)],
            )
        })?;
        Ok(added > 0)
    }

    /// Returns the passkeys of an approver, oldest first.
    pub fn passkeys(&self, name: &str) -> Result<Vec<Passkey>, Error> {
        let sql = "SELECT id, name, key, at FROM passkeys WHERE name = ?1 ORDER BY at, id";
        self.read(|transaction| {
            let read = |row: &rusqlite::Row<'_>| {
                let (id, name, key) = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok(Passkey { id, name, key, at: stamp(row, 3)? })
            };
            transaction.prepare_cached(sql)?.query_map([name], read)?.collect()
        })
    }

    /// Removes the passkeys of an approver, and returns their number.
    pub fn forget_passkeys(&self, name: &str) -> Result<usize, Error> {
        self.write(|transaction| {
            transaction.execute("DELETE FROM passkeys WHERE name = ?1", [name])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passkey_belongs_to_one_approver() {
        let store = Store::in_memory().unwrap();
        let passkey = |id: u8, name: &str| Passkey {
            id: vec![id],
            name: name.to_owned(),
            key: vec![4; 65],
            at: Timestamp::from_micros(u64::from(id)),
        };
        assert!(store.add_passkey(&passkey(1, "ada")).unwrap());
        assert!(store.add_passkey(&passkey(2, "ada")).unwrap());
        // An id that is known cannot be taken over.
        assert!(!store.add_passkey(&passkey(1, "eve")).unwrap());
        assert_eq!(store.passkeys("ada").unwrap(), [passkey(1, "ada"), passkey(2, "ada")]);
        assert!(store.passkeys("eve").unwrap().is_empty());
        assert_eq!(store.forget_passkeys("ada").unwrap(), 2);
        assert!(store.passkeys("ada").unwrap().is_empty());
    }
}
