//! The [`Ledger`] of the broker, implemented by the store.
//!
//! Each method is one transaction; the SQL is in `grants` and `requests`.

use cofferdam_broker::{
    Changes, Error, Grant, GrantId, Key, Ledger, Part, RecordedRequest, RequestId, RequestStatus,
    RunId, Timestamp,
};
use cofferdam_caps::Kind;

use crate::grants::Bound;
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
        let key = self.reader()?.query_row("SELECT key FROM meta", [], |row| row.get(0));
        key.map_err(|error| self.fail(&error))
    }

    fn mark(&self) -> Result<u64, Error> {
        self.0.mark.read(|| generation(&*self.reader()?).map_err(|error| self.fail(&error)))
    }

    fn changes(&self, since: u64) -> Result<Changes, Error> {
        self.read(|transaction| {
            let floor: i64 =
                transaction.query_row("SELECT floor FROM meta", [], |row| row.get(0))?;
            let at = generation(transaction)?;
            // The file was replaced, or the changes since then are no longer recorded one by one.
            let whole = since == 0 || since > at || since < floor.unsigned_abs();
            let (grants, gone) = match whole {
                true => (Vec::new(), Vec::new()),
                false => grants::changed(transaction, since)?,
            };
            let requests = match whole {
                true => requests::denied(transaction)?,
                false => requests::changed(transaction, since)?,
            };
            Ok(Changes { at, whole, grants, gone, requests })
        })
    }

    fn grants_for(&self, tool: Option<&str>, part: Part<'_>) -> Result<Vec<Grant>, Error> {
        self.read(|transaction| grants::for_tool(transaction, tool, part))
    }

    fn has_more_than(&self, tool: Option<&str>, most: usize) -> Result<bool, Error> {
        grants::has_more_than(&*self.reader()?, tool, most).map_err(|error| self.fail(&error))
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

    fn bind(&self, id: &GrantId, run: &RunId, now: Timestamp) -> Result<bool, Error> {
        let mut is_ours = false;
        self.change(|transaction, generation| {
            let found = grants::bind(transaction, generation, (id, run), now)?;
            is_ours = found.as_ref().is_some_and(|(bound, _)| bound == run);
            Ok(matches!(found, Some((_, Bound::Now))).then_some(()))
        })?;
        Ok(is_ours)
    }

    fn end_run(&self, run: &RunId) -> Result<(), Error> {
        self.change(|transaction, generation| {
            let ended = grants::end(transaction, generation, "run = ?2", run.as_str())?;
            Ok((ended > 0).then_some(()))
        })?;
        Ok(())
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

    fn restrict(&self, sandbox: &str, tool: Option<&str>, kind: Kind) -> Result<(), Error> {
        self.change(|transaction, _| {
            let sql =
                "INSERT OR IGNORE INTO restrictions (sandbox, tool, kind) VALUES (?1, ?2, ?3)";
            transaction.execute(sql, [sandbox, tool.unwrap_or_default(), &kind.to_string()])?;
            Ok(Some(()))
        })?;
        Ok(())
    }

    fn is_restricted(&self, sandbox: &str, tool: &str, kind: Kind) -> Result<bool, Error> {
        self.read(|transaction| {
            let sql = "SELECT EXISTS (SELECT 1 FROM restrictions
                WHERE sandbox = ?1 AND tool IN ('', ?2) AND kind = ?3)";
            transaction.query_row(sql, [sandbox, tool, &kind.to_string()], |row| row.get(0))
        })
    }

    fn is_shared(&self) -> bool {
        self.0.writer.is_some()
    }
}
