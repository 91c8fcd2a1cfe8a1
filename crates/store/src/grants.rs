//! The table of grants.
//!
//! Separate from `ledger`, which holds the transactions: functions here are SQL on one table.

use std::sync::Arc;

use cofferdam_broker::{
    Grant, GrantId, Holder, MAX_SESSION, Part, RequestKeys, RunId, SecretHeaders, Span, Timestamp,
    grant_key,
};
use cofferdam_caps::Kind;
use rusqlite::types::{Type, ValueRef};
use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

/// Most rows of ended grants that are kept; beyond that, other processes reload all grants.
const MAX_GONE: i64 = 10_000;

const COLUMNS: &str =
    "id, capability, span, tool, sandbox, by, at, expires, uses, headers, run, folder";

pub(crate) fn insert(
    transaction: &Transaction<'_>,
    generation: u64,
    grant: &Grant,
) -> rusqlite::Result<()> {
    let headers: String =
        grant.headers.expose().map(|(name, value)| format!("{name}:{value}\n")).collect();
    let sql = format!(
        "INSERT INTO grants ({COLUMNS}, changed, kind, key) VALUES
            (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)"
    );
    transaction.prepare_cached(&sql)?.execute(params![
        grant.id.as_str(),
        grant.capability.to_string(),
        grant.span.name(),
        grant.holder.tool,
        grant.holder.sandbox,
        grant.by,
        micros(grant.at),
        grant.expires.map(micros),
        grant.uses,
        headers,
        grant.run.as_ref().map(RunId::as_str),
        grant.holder.folder,
        generation as i64,
        grant.capability.kind().name(),
        grant_key(&grant.capability),
    ])?;
    Ok(())
}

pub(crate) fn revoke(
    transaction: &Transaction<'_>,
    generation: u64,
    id: &GrantId,
) -> rusqlite::Result<Option<Grant>> {
    let sql = format!("SELECT {COLUMNS} FROM grants WHERE id = ?1 AND NOT gone");
    let grant = transaction.query_row(&sql, [id.as_str()], read).optional()?;
    if grant.is_some() {
        end(transaction, generation, "id = ?2", id.as_str())?;
    }
    Ok(grant)
}

/// Uses up one permit. Returns the number left, or `None` if there was none.
pub(crate) fn take(
    transaction: &Transaction<'_>,
    id: &GrantId,
    now: Timestamp,
) -> rusqlite::Result<Option<u32>> {
    let sql = "UPDATE grants SET uses = uses - 1
        WHERE id = ?1 AND NOT gone AND uses > 0 AND (expires IS NULL OR expires > ?2)
        RETURNING uses";
    let mut update = transaction.prepare_cached(sql)?;
    update.query_row(params![id.as_str(), micros(now)], |row| row.get(0)).optional()
}

/// Binds a grant for one run to the first run that uses it. Returns its run, or `None` if there is
/// no such grant.
pub(crate) fn bind(
    transaction: &Transaction<'_>,
    generation: u64,
    (id, run): (&GrantId, &RunId),
    now: Timestamp,
) -> rusqlite::Result<Option<(RunId, Bound)>> {
    let sql = "UPDATE grants SET run = ?2, expires = min(coalesce(expires, ?4), ?4), changed = ?5
        WHERE id = ?1 AND NOT gone AND run IS NULL AND (expires IS NULL OR expires > ?3)";
    let latest = micros(now.after(MAX_SESSION));
    let values = params![id.as_str(), run.as_str(), micros(now), latest, generation as i64];
    let bound = match transaction.execute(sql, values)? {
        0 => Bound::Before,
        _ => Bound::Now,
    };
    let sql = "SELECT run FROM grants
        WHERE id = ?1 AND NOT gone AND (expires IS NULL OR expires > ?2)";
    let values = params![id.as_str(), micros(now)];
    transaction.query_row(sql, values, |row| Ok((parsed(row, 0)?, bound))).optional()
}

/// Time at which a grant was bound to its run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bound {
    Before,
    Now,
}

/// Marks grants as ended and erases their secret headers. Returns their number.
pub(crate) fn end(
    transaction: &Transaction<'_>,
    generation: u64,
    which: &str,
    value: impl rusqlite::ToSql,
) -> rusqlite::Result<usize> {
    let sql = format!(
        "UPDATE grants SET gone = 1, headers = '', changed = ?1 WHERE NOT gone AND {which}"
    );
    transaction.execute(&sql, params![generation as i64, value])
}

/// Returns true if a grant has expired and was not ended.
pub(crate) fn has_expired(connection: &Connection, now: Timestamp) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM grants
        WHERE NOT gone AND expires IS NOT NULL AND expires <= ?1)";
    connection.query_row(sql, [micros(now)], |row| row.get(0))
}

/// Ends expired grants. Returns `Some` if there were any.
pub(crate) fn sweep(
    transaction: &Transaction<'_>,
    generation: u64,
    now: Timestamp,
) -> rusqlite::Result<Option<()>> {
    let ended = end(transaction, generation, "expires <= ?2", micros(now))?;
    Ok((ended > 0).then_some(()))
}

/// Deletes the oldest of the ended grants.
pub(crate) fn trim(transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let last: Option<i64> = transaction
        .query_row(
            "SELECT changed FROM grants WHERE gone ORDER BY changed DESC LIMIT 1 OFFSET ?1",
            [MAX_GONE],
            |row| row.get(0),
        )
        .optional()?;
    if let Some(last) = last {
        transaction.execute("DELETE FROM grants WHERE gone AND changed <= ?1", [last])?;
        transaction.execute("UPDATE meta SET floor = max(floor, ?1)", [last])?;
    }
    Ok(())
}

/// Returns the live grants changed after `since`, and the ids of those ended since.
pub(crate) fn changed(
    connection: &Connection,
    since: u64,
) -> rusqlite::Result<(Vec<Grant>, Vec<GrantId>)> {
    let sql = format!("SELECT {COLUMNS} FROM grants WHERE changed > ?1 AND NOT gone");
    let live = connection
        .prepare_cached(&sql)?
        .query_map([since as i64], read)?
        .collect::<Result<_, _>>()?;
    let mut select =
        connection.prepare_cached("SELECT id FROM grants WHERE changed > ?1 AND gone")?;
    let gone = select.query_map([since as i64], |row| parsed(row, 0))?.collect::<Result<_, _>>()?;
    Ok((live, gone))
}

/// Returns a part of the live grants for one tool, or of those for every tool.
pub(crate) fn for_tool(
    connection: &Connection,
    tool: Option<&str>,
    part: Part<'_>,
) -> rusqlite::Result<Vec<Grant>> {
    match part {
        Part::All => select(connection, "", params![tool]),
        Part::Kind(kind) => select(connection, "AND kind = ?2", params![tool, kind.name()]),
        Part::Keys(keys) => for_keys(connection, tool, keys),
        Part::Signs { kinds, sandbox } => signs(connection, tool, kinds, sandbox),
    }
}

fn signs(
    connection: &Connection,
    tool: Option<&str>,
    kinds: &[Kind],
    sandbox: &str,
) -> rusqlite::Result<Vec<Grant>> {
    let mut found = Vec::new();
    // Few kinds are granted, and looking for each of the others takes longer than finding these.
    let sql = "SELECT kind FROM grants WHERE tool IS ?1 AND NOT gone AND kind > ?2
        ORDER BY kind LIMIT 1";
    let mut next = connection.prepare_cached(sql)?;
    let mut last = String::new();
    while let Some(kind) = next.query_row(params![tool, last], |row| row.get(0)).optional()? {
        if kinds.iter().any(|wanted| wanted.name() == kind) {
            for end in ["IS NULL LIMIT 1", "IS NOT NULL ORDER BY expires DESC LIMIT 1"] {
                let which =
                    format!("AND kind = ?2 AND sandbox IS ?3 AND run IS NULL AND expires {end}");
                let before = found.len();
                for sandbox in [None, Some(sandbox)] {
                    found.extend(select(connection, &which, params![tool, kind, sandbox])?);
                }
                if found.len() > before {
                    break;
                }
            }
        }
        last = kind;
    }
    Ok(found)
}

fn for_keys(
    connection: &Connection,
    tool: Option<&str>,
    keys: &RequestKeys,
) -> rusqlite::Result<Vec<Grant>> {
    let kind = keys.kind.name();
    let at = |key: &str| select(connection, "AND kind = ?2 AND key = ?3", params![tool, kind, key]);
    let mut found = Vec::new();
    for key in &keys.exact {
        found.extend(at(key)?);
    }
    // The last key that is not behind a text is a beginning of it, or differs from it behind the
    // longest beginning that can be a key. So the steps are as many as the beginnings that are keys
    // and the places where another key differs, and not as many as the text is long.
    let sql = "SELECT key FROM grants WHERE tool IS ?1 AND NOT gone AND kind = ?2
        AND key <= ?3 AND key >= ?4 ORDER BY key DESC LIMIT 1";
    let mut last = connection.prepare_cached(sql)?;
    for (text, shortest) in &keys.starting {
        let (head, mut rest) = (&text[..*shortest], text.as_str());
        while rest.len() >= *shortest {
            let key =
                last.query_row(params![tool, kind, rest, head], |row| row.get::<_, String>(0));
            let Some(key) = key.optional()? else { break };
            let same = common(&key, rest);
            if same == key.len() {
                found.extend(at(&key)?);
                let Some((before, _)) = rest[..same].char_indices().next_back() else { break };
                rest = &rest[..before];
            } else {
                rest = &rest[..same];
            }
        }
    }
    Ok(found)
}

/// Returns the length of the longest common beginning of two texts.
fn common(one: &str, other: &str) -> usize {
    let same = one.bytes().zip(other.bytes()).take_while(|(a, b)| a == b).count();
    other.floor_char_boundary(same)
}

fn select(
    connection: &Connection,
    which: &str,
    values: &[&dyn rusqlite::ToSql],
) -> rusqlite::Result<Vec<Grant>> {
    let sql = format!("SELECT {COLUMNS} FROM grants WHERE tool IS ?1 AND NOT gone {which}");
    connection.prepare_cached(&sql)?.query_map(values, read)?.collect()
}

/// Returns true if there are more than `most` live grants for one tool, or for every tool.
pub(crate) fn has_more_than(
    connection: &Connection,
    tool: Option<&str>,
    most: usize,
) -> rusqlite::Result<bool> {
    let sql =
        "SELECT EXISTS (SELECT 1 FROM grants WHERE tool IS ?1 AND NOT gone LIMIT 1 OFFSET ?2)";
    connection.prepare_cached(sql)?.query_row(params![tool, most as i64], |row| row.get(0))
}

/// Returns all live grants, newest first.
pub(crate) fn all(connection: &Connection) -> rusqlite::Result<Vec<Grant>> {
    let sql = format!("SELECT {COLUMNS} FROM grants WHERE NOT gone ORDER BY at DESC, id DESC");
    connection.prepare(&sql)?.query_map([], read)?.collect()
}

fn read(row: &Row<'_>) -> rusqlite::Result<Grant> {
    Ok(Grant {
        id: parsed(row, 0)?,
        capability: parsed(row, 1)?,
        span: parsed::<Span>(row, 2)?,
        holder: Holder {
            tool: row.get::<_, Option<Arc<str>>>(3)?,
            sandbox: row.get::<_, Option<Arc<str>>>(4)?,
            folder: row.get::<_, Option<Arc<str>>>(11)?,
        },
        by: row.get::<_, Arc<str>>(5)?,
        at: stamp(row, 6)?,
        expires: row
            .get::<_, Option<i64>>(7)?
            .map(|micros| Timestamp::from_micros(micros.unsigned_abs())),
        uses: row.get(8)?,
        headers: headers(row, 9)?,
        run: match row.get_ref(10)? {
            ValueRef::Null => None,
            _ => Some(parsed(row, 10)?),
        },
    })
}

fn headers(row: &Row<'_>, index: usize) -> rusqlite::Result<SecretHeaders> {
    let text: String = row.get(index)?;
    let mut headers = SecretHeaders::default();
    for line in text.lines() {
        // The message omits the line, which contains a secret.
        let unreadable = || conversion(index, "a header that cannot be read");
        let (name, value) = line.split_once(':').ok_or_else(unreadable)?;
        headers.set(name, value).map_err(|_| unreadable())?;
    }
    Ok(headers)
}

/// Parses the text of a column.
pub(crate) fn parsed<T>(row: &Row<'_>, index: usize) -> rusqlite::Result<T>
where
    T: std::str::FromStr,
    T::Err: std::fmt::Display,
{
    let text = row.get_ref(index)?.as_str()?;
    text.parse().map_err(|error: T::Err| conversion(index, error))
}

pub(crate) fn stamp(row: &Row<'_>, index: usize) -> rusqlite::Result<Timestamp> {
    row.get::<_, i64>(index).map(|micros| Timestamp::from_micros(micros.unsigned_abs()))
}

pub(crate) fn micros(stamp: Timestamp) -> i64 {
    i64::try_from(stamp.micros()).unwrap_or(i64::MAX)
}

fn conversion(index: usize, why: impl std::fmt::Display) -> rusqlite::Error {
    rusqlite::Error::FromSqlConversionFailure(index, Type::Text, why.to_string().into())
}
