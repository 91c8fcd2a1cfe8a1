//! The table of requests.
//!
//! Separate from `ledger`, which holds the transactions: functions here are SQL on one table.

use std::sync::Arc;

use cofferdam_broker::{RecordedRequest, RequestId, RequestStatus};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use crate::grants::{micros, parsed, stamp};

/// Most requests that are kept. The oldest are deleted first, but never denied ones.
pub const MAX_REQUESTS: u32 = 10_000;

const COLUMNS: &str = "id, capability, tool, sandbox, first, last, times, standing, folder";

/// Adds a request or increments its count. A granted request that is made again, because its grant
/// is used up, becomes open. The broker counts repeated requests of one process only once.
pub(crate) fn record(
    transaction: &Transaction<'_>,
    request: &RecordedRequest,
) -> rusqlite::Result<()> {
    let again = "UPDATE requests SET last = max(last, ?2), times = min(times + 1, 4294967295),
        standing = CASE standing WHEN 'granted' THEN 'open' ELSE standing END WHERE id = ?1";
    let id = request.id.as_str();
    if transaction.prepare_cached(again)?.execute(params![id, micros(request.last)])? == 1 {
        return Ok(());
    }
    let sql = format!(
        "INSERT INTO requests ({COLUMNS}, changed) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 0)"
    );
    transaction.prepare_cached(&sql)?.execute(params![
        id,
        request.capability.to_string(),
        request.tool,
        request.sandbox,
        micros(request.first),
        micros(request.last),
        request.times,
        request.status.name(),
        request.folder,
    ])?;
    let trim = "DELETE FROM requests WHERE id IN (SELECT id FROM requests
        WHERE standing <> 'denied' ORDER BY last DESC LIMIT -1 OFFSET ?1)";
    transaction.prepare_cached(trim)?.execute([MAX_REQUESTS])?;
    Ok(())
}

/// Sets the standing of a request. Returns `None` if no such request exists.
pub(crate) fn decide(
    transaction: &Transaction<'_>,
    generation: u64,
    id: &RequestId,
    status: RequestStatus,
) -> rusqlite::Result<Option<RecordedRequest>> {
    transaction.execute(
        "UPDATE requests SET standing = ?2, changed = ?3 WHERE id = ?1",
        params![id.as_str(), status.name(), generation as i64],
    )?;
    one(transaction, id)
}

pub(crate) fn one(
    connection: &Connection,
    id: &RequestId,
) -> rusqlite::Result<Option<RecordedRequest>> {
    let sql = format!("SELECT {COLUMNS} FROM requests WHERE id = ?1");
    connection.query_row(&sql, [id.as_str()], read).optional()
}

/// Returns all requests, latest first.
pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<RecordedRequest>> {
    let sql = format!("SELECT {COLUMNS} FROM requests ORDER BY last DESC, id DESC");
    connection.prepare(&sql)?.query_map([], read)?.collect()
}

/// Returns the requests that are denied for good.
pub(crate) fn denied(connection: &Connection) -> rusqlite::Result<Vec<(RequestId, RequestStatus)>> {
    let mut select =
        connection.prepare_cached("SELECT id FROM requests WHERE standing = 'denied'")?;
    let rows = select.query_map([], |row| Ok((parsed(row, 0)?, RequestStatus::Denied)))?;
    rows.collect()
}

/// Returns the requests decided after `since`.
pub(crate) fn changed(
    connection: &Connection,
    since: u64,
) -> rusqlite::Result<Vec<(RequestId, RequestStatus)>> {
    let mut select = connection
        .prepare_cached("SELECT id, standing FROM requests WHERE changed > ?1 AND changed > 0")?;
    let rows = select.query_map([since as i64], |row| Ok((parsed(row, 0)?, parsed(row, 1)?)))?;
    rows.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<RecordedRequest> {
    Ok(RecordedRequest {
        id: parsed(row, 0)?,
        capability: parsed(row, 1)?,
        tool: row.get::<_, Arc<str>>(2)?,
        sandbox: row.get::<_, Arc<str>>(3)?,
        first: stamp(row, 4)?,
        last: stamp(row, 5)?,
        times: row.get(6)?,
        status: parsed(row, 7)?,
        folder: row.get::<_, Option<Arc<str>>>(8)?,
    })
}
