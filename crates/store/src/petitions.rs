//! The table of requests.
//!
//! Separate from `ledger`, which holds the transactions: functions here are SQL on one table.

use std::sync::Arc;

use cofferdam_broker::{Petition, RequestId, Standing};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use crate::grants::{micros, parsed, stamp};

/// Most requests that are kept. The oldest are deleted first, but never denied ones.
pub const MAX_PETITIONS: u32 = 10_000;

const COLUMNS: &str = "id, capability, tool, sandbox, first, last, times, standing";

/// Adds a request or increments its count. A granted request that is made again, because its grant
/// is used up, becomes open. The broker counts repeated requests of one process only once.
pub(crate) fn remember(transaction: &Transaction<'_>, petition: &Petition) -> rusqlite::Result<()> {
    let again = "UPDATE requests SET last = max(last, ?2), times = min(times + 1, 4294967295),
        standing = CASE standing WHEN 'granted' THEN 'open' ELSE standing END WHERE id = ?1";
    let id = petition.id.as_str();
    if transaction.prepare_cached(again)?.execute(params![id, micros(petition.last)])? == 1 {
        return Ok(());
    }
    let sql = format!(
        "INSERT INTO requests ({COLUMNS}, changed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 0)"
    );
    transaction.prepare_cached(&sql)?.execute(params![
        id,
        petition.capability.to_string(),
        petition.tool,
        petition.sandbox,
        micros(petition.first),
        micros(petition.last),
        petition.times,
        petition.standing.name(),
    ])?;
    let trim = "DELETE FROM requests WHERE id IN (SELECT id FROM requests
        WHERE standing <> 'denied' ORDER BY last DESC LIMIT -1 OFFSET ?1)";
    transaction.prepare_cached(trim)?.execute([MAX_PETITIONS])?;
    Ok(())
}

/// Sets the standing of a request. Returns `None` if no such request exists.
pub(crate) fn decide(
    transaction: &Transaction<'_>,
    generation: u64,
    id: &RequestId,
    standing: Standing,
) -> rusqlite::Result<Option<Petition>> {
    transaction.execute(
        "UPDATE requests SET standing = ?2, changed = ?3 WHERE id = ?1",
        params![id.as_str(), standing.name(), generation as i64],
    )?;
    one(transaction, id)
}

pub(crate) fn one(connection: &Connection, id: &RequestId) -> rusqlite::Result<Option<Petition>> {
    let sql = format!("SELECT {COLUMNS} FROM requests WHERE id = ?1");
    connection.query_row(&sql, [id.as_str()], read).optional()
}

/// Returns all requests, latest first.
pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<Petition>> {
    let sql = format!("SELECT {COLUMNS} FROM requests ORDER BY last DESC, id DESC");
    connection.prepare(&sql)?.query_map([], read)?.collect()
}

/// Returns the requests decided after `since`.
pub(crate) fn changed(
    connection: &Connection,
    since: u64,
) -> rusqlite::Result<Vec<(RequestId, Standing)>> {
    let mut select = connection
        .prepare_cached("SELECT id, standing FROM requests WHERE changed > ?1 AND changed > 0")?;
    let rows = select.query_map([since as i64], |row| Ok((parsed(row, 0)?, parsed(row, 1)?)))?;
    rows.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<Petition> {
    Ok(Petition {
        id: parsed(row, 0)?,
        capability: parsed(row, 1)?,
        tool: row.get::<_, Arc<str>>(2)?,
        sandbox: row.get::<_, Arc<str>>(3)?,
        first: stamp(row, 4)?,
        last: stamp(row, 5)?,
        times: row.get(6)?,
        standing: parsed(row, 7)?,
    })
}
