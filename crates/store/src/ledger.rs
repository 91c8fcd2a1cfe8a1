//! The [`Ledger`] of the broker, implemented by the store.
//!
//! Each method is one transaction; the SQL is in `grants` and `requests`.

use cofferdam_broker::{
    Changes, Error, Grant, GrantId, Key, Ledger, RecordedRequest, RequestId, RequestStatus,
    Timestamp,
};

use crate::store::{Store, generation};
use crate::{grants, requests};

impl Store {
    /// Adds all grants in one transaction, or none.
    pub fn add_all(&self, grants: &[Grant]) -> Result<(), Error> {
        self.change(|transaction, generation| {
            grants.iter().try_for_each(|grant| grants::insert(transaction, generation, grant))?;
            Ok(Some(()))
        })?;
        Ok(())
    }
}

impl Ledger for Store {
    fn key(&self) -> Result<Key, Error> {
        self.read(|transaction| transaction.query_row("SELECT key FROM meta", [], |row| row.get(0)))
    }

    fn mark(&self) -> Result<u64, Error> {
        self.0.mark.read(|| generation(&self.reader()).map_err(|error| self.fail(&error)))
    }

    fn changes(&self, since: u64) -> Result<Changes, Error> {
        self.read(|transaction| {
            let floor: i64 =
                transaction.query_row("SELECT floor FROM meta", [], |row| row.get(0))?;
            let at = generation(transaction)?;
            // The file was replaced, or the changes since then are no longer recorded one by one.
            let whole = since == 0 || since > at || since < floor.unsigned_abs();
            let since = if whole { 0 } else { since };
            let (live, gone) = grants::changed(transaction, since)?;
            let requests = requests::changed(transaction, since)?;
            Ok(Changes { at, whole, grants: live, gone, requests })
        })
    }

    fn add(&self, grant: &Grant, answers: Option<&RequestId>) -> Result<(), Error> {
        self.change(|transaction, generation| {
            grants::insert(transaction, generation, grant)?;
            if let Some(id) = answers {
                requests::decide(transaction, generation, id, RequestStatus::Granted)?;
            }
            Ok(Some(()))
        })?;
        Ok(())
    }

    fn revoke(&self, id: &GrantId) -> Result<Option<Grant>, Error> {
        self.change(|transaction, generation| grants::revoke(transaction, generation, id))
    }

    fn take(&self, id: &GrantId, now: Timestamp) -> Result<bool, Error> {
        let mut was_taken = false;
        // Only the last permit is announced: a process that tries earlier finds out from the table.
        self.change(|transaction, generation| {
            let left = grants::take(transaction, id, now)?;
            was_taken = left.is_some();
            if left == Some(0) {
                grants::end(transaction, generation, "id = ?2", id.as_str())?;
            }
            Ok((left == Some(0)).then_some(()))
        })?;
        Ok(was_taken)
    }

    fn record(&self, request: &RecordedRequest) -> Result<(), Error> {
        self.write(|transaction| requests::record(transaction, request))
    }

    fn deny(&self, id: &RequestId) -> Result<Option<RecordedRequest>, Error> {
        self.change(|transaction, generation| {
            requests::decide(transaction, generation, id, RequestStatus::Denied)
        })
    }

    fn request(&self, id: &RequestId) -> Result<Option<RecordedRequest>, Error> {
        self.read(|transaction| requests::one(transaction, id))
    }

    fn requests(&self) -> Result<Vec<RecordedRequest>, Error> {
        self.read(|transaction| requests::all(transaction))
    }

    fn grants(&self) -> Result<Vec<Grant>, Error> {
        self.read(|transaction| grants::all(transaction))
    }

    fn is_shared(&self) -> bool {
        self.0.writer.is_some()
    }
}
