//! The table of audit lines: inserting, trimming and filtering.
//!
//! Separate from `sink` and `writer`, which decide when lines are written.

use std::sync::Arc;

use cofferdam_broker::{Cost, Error, Event, Line, Ruling, Sink, Timestamp};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};

use crate::grants::{micros, parsed, stamp};
use crate::store::Store;

/// Most lines of the audit log that are kept; the oldest are deleted first.
pub const MAX_LINES: i64 = 500_000;

/// Lines beyond the cap that are tolerated, so that not every insertion deletes.
const SLACK: i64 = 10_000;

const COLUMNS: &str =
    "time, event, sandbox, run, capability, target, verdict, about, note, times, micros, bytes";

/// Selects lines of the audit log. The default selects all.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only lines after this number, for following the log.
    pub after: Option<i64>,
    /// Only lines at or after this time.
    pub since: Option<Timestamp>,
    /// Only lines of this sandbox.
    pub sandbox: Option<String>,
    /// Only lines of this run.
    pub run: Option<String>,
    /// Only lines of this event.
    pub event: Option<Event>,
    /// Only lines with this ruling.
    pub ruling: Option<Ruling>,
    /// Only lines about this grant, request or question.
    pub id: Option<String>,
    /// Most lines returned; the latest ones.
    pub last: Option<u32>,
}

impl Store {
    /// Returns the selected lines of the audit log with their numbers, oldest first. Writes offered
    /// lines first.
    pub fn lines(&self, filter: &Filter) -> Result<Vec<(i64, Line)>, Error> {
        self.flush()?;
        self.read(|transaction| select(transaction, filter))
    }
}

/// Adds lines and trims the log if it is far beyond its cap.
pub(crate) fn insert(connection: &Connection, lines: &[Line]) -> rusqlite::Result<()> {
    let sql = format!(
        "INSERT INTO audit ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"
    );
    let mut insert = connection.prepare_cached(&sql)?;
    for line in lines {
        insert.execute(params![
            micros(line.time),
            line.event.name(),
            line.sandbox,
            line.run,
            line.capability,
            line.target,
            line.ruling.map(Ruling::name),
            line.id,
            line.note,
            line.times,
            i64::try_from(line.cost.micros).unwrap_or(i64::MAX),
            i64::try_from(line.cost.bytes).unwrap_or(i64::MAX),
        ])?;
    }
    trim(connection, MAX_LINES, SLACK)
}

/// Deletes the oldest lines. Numbers have gaps only at the front, so the first and the last one
/// determine the count.
fn trim(connection: &Connection, most: i64, slack: i64) -> rusqlite::Result<()> {
    let mut ends = connection.prepare_cached(
        "SELECT (SELECT min(number) FROM audit), (SELECT max(number) FROM audit)",
    )?;
    let (first, last): (Option<i64>, Option<i64>) =
        ends.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if let (Some(first), Some(last)) = (first, last)
        && last - first >= most + slack
    {
        connection.execute("DELETE FROM audit WHERE number <= ?1", [last - most])?;
    }
    Ok(())
}

fn select(connection: &Connection, filter: &Filter) -> rusqlite::Result<Vec<(i64, Line)>> {
    let mut wheres = vec!["1"];
    let mut values: Vec<Value> = Vec::new();
    let mut limit = |condition: &'static str, value: Option<Value>| {
        if let Some(value) = value {
            wheres.push(condition);
            values.push(value);
        }
    };
    let text = |text: &Option<String>| text.clone().map(Value::Text);
    limit("number > ?", filter.after.map(Value::Integer));
    limit("time >= ?", filter.since.map(|since| Value::Integer(micros(since))));
    limit("sandbox = ?", text(&filter.sandbox));
    limit("run = ?", text(&filter.run));
    limit("event = ?", filter.event.map(|event| Value::Text(event.name().to_owned())));
    limit("verdict = ?", filter.ruling.map(|ruling| Value::Text(ruling.name().to_owned())));
    limit("about = ?", text(&filter.id));
    values.push(Value::Integer(filter.last.map_or(-1, i64::from)));
    let sql = format!(
        "SELECT {COLUMNS}, number FROM audit WHERE {} ORDER BY number DESC LIMIT ?",
        wheres.join(" AND ")
    );
    let mut select = connection.prepare(&sql)?;
    let rows = select.query_map(params_from_iter(values), |row| Ok((row.get(12)?, read(row)?)))?;
    let mut lines: Vec<_> = rows.collect::<Result<_, _>>()?;
    lines.reverse();
    Ok(lines)
}

fn read(row: &Row<'_>) -> rusqlite::Result<Line> {
    let text = |index: usize| row.get::<_, Option<Arc<str>>>(index);
    let number = |index: usize| row.get::<_, i64>(index).map(i64::unsigned_abs);
    let ruling = match row.get_ref(6)? {
        rusqlite::types::ValueRef::Null => None,
        _ => Some(parsed(row, 6)?),
    };
    let mut line = Line::new(stamp(row, 0)?, parsed(row, 1)?);
    line.sandbox = text(2)?;
    line.run = text(3)?;
    line.capability = text(4)?;
    line.target = text(5)?;
    line.ruling = ruling;
    line.id = text(7)?;
    line.note = text(8)?;
    line.times = row.get(9)?;
    line.cost = Cost { micros: number(10)?, bytes: number(11)? };
    Ok(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(target: usize) -> Line {
        let mut line = Line::new(Timestamp::from_micros(target as u64), Event::Check);
        line.target = Some(target.to_string().into());
        line.sandbox = Some(["a", "b"][target % 2].into());
        line.ruling = Some(Ruling::Deny);
        line.cost = Cost { micros: 7, bytes: u64::MAX };
        line
    }

    fn store(lines: usize) -> Store {
        let store = Store::in_memory().unwrap();
        store.commit((0..lines).map(line).collect()).unwrap();
        store
    }

    fn check(filter: Filter, expect: &[usize]) {
        let lines = store(6).lines(&filter).unwrap();
        let times: Vec<_> = lines.iter().map(|(_, line)| line.time.micros() as usize).collect();
        assert_eq!(times, expect, "{filter:?}");
    }

    #[test]
    fn line_reads_back_as_it_was() {
        let lines = store(1).lines(&Filter::default()).unwrap();
        let mut expect = line(0);
        expect.cost.bytes = i64::MAX as u64;
        assert_eq!(lines, [(1, expect)]);
    }

    #[test]
    fn filters_narrow_down() {
        check(Filter::default(), &[0, 1, 2, 3, 4, 5]);
        check(Filter { sandbox: Some("b".into()), ..Filter::default() }, &[1, 3, 5]);
        check(Filter { sandbox: Some("b".into()), last: Some(2), ..Filter::default() }, &[3, 5]);
        check(Filter { after: Some(4), ..Filter::default() }, &[4, 5]);
        check(Filter { since: Some(Timestamp::from_micros(5)), ..Filter::default() }, &[5]);
        check(Filter { event: Some(Event::Kill), ..Filter::default() }, &[]);
        check(Filter { ruling: Some(Ruling::Deny), last: Some(1), ..Filter::default() }, &[5]);
        check(Filter { run: Some("' OR 1 --".into()), ..Filter::default() }, &[]);
    }

    #[test]
    fn oldest_lines_make_room() {
        let store = store(100);
        trim(&store.connection(), 90, 20).unwrap();
        assert_eq!(store.lines(&Filter::default()).unwrap().len(), 100);
        trim(&store.connection(), 10, 5).unwrap();
        let numbers: Vec<_> =
            store.lines(&Filter::default()).unwrap().iter().map(|l| l.0).collect();
        assert_eq!(numbers, (91..=100).collect::<Vec<_>>());
        store.commit(vec![line(0)]).unwrap();
        assert_eq!(
            store.lines(&Filter { after: Some(100), ..Filter::default() }).unwrap()[0].0,
            101
        );
    }
}
