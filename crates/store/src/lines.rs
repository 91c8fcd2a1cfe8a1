//! The table of audit lines: inserting, trimming and filtering.
//!
//! Separate from `sink` and `writer`, which decide when lines are written.

use std::sync::Arc;

use cofferdam_broker::{Cost, Error, Event, Line, Ruling, Sink, Timestamp};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};

use crate::grants::{micros, parsed, stamp};
use crate::store::Store;

/// Most lines of each [`Class`] that are kept; the oldest of the class are deleted first.
pub const MAX_LINES: i64 = 500_000;

/// Most denials that are kept.
const MAX_DENIALS: i64 = 100_000;

/// Lines beyond the cap that are tolerated, so that not every insertion deletes.
const SLACK: i64 = 10_000;

/// Lines that make room for each other. A tool can cause as many denials as it likes, and must not
/// be able to erase what people decided or what was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
// T-PERM-016: denials that erase the audit log.
enum Class {
    /// Checks that were denied.
    Denials,
    /// Decisions of people: grants, revocations, denials for good, answers.
    Decisions,
    /// Changes of files of the host.
    Changes,
    /// All other lines.
    Rest,
}

impl Class {
    const ALL: [Self; 4] = [Self::Denials, Self::Decisions, Self::Changes, Self::Rest];

    fn of(line: &Line) -> Self {
        match (line.event, line.ruling) {
            (Event::Check, Some(Ruling::Deny)) => Self::Denials,
            (Event::Grant | Event::Revoke | Event::Deny | Event::Answer, _) => Self::Decisions,
            (Event::Change, _) => Self::Changes,
            (_, _) => Self::Rest,
        }
    }

    /// Returns the condition that selects the lines of this class.
    fn condition(self) -> &'static str {
        match self {
            Self::Denials => "event = 'check' AND verdict IS 'deny'",
            Self::Decisions => "event IN ('grant', 'revoke', 'deny', 'answer')",
            Self::Changes => "event = 'change'",
            Self::Rest => {
                "event NOT IN ('grant', 'revoke', 'deny', 'answer', 'change')
                 AND NOT (event = 'check' AND verdict IS 'deny')"
            }
        }
    }

    fn most(self) -> i64 {
        match self {
            Self::Denials => MAX_DENIALS,
            Self::Decisions | Self::Changes | Self::Rest => MAX_LINES,
        }
    }
}

const COLUMNS: &str =
    "time, event, sandbox, run, capability, target, verdict, about, note, times, micros, bytes";

/// Selects lines of the audit log. The default selects all.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Only lines after this number, for following the log.
    pub after: Option<i64>,
    /// Only lines before this number, for reading the log in pages.
    pub before: Option<i64>,
    /// Only lines with this text in their capability, target, note or id.
    pub text: Option<String>,
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
    /// and spooled lines first.
    pub fn lines(&self, filter: &Filter) -> Result<Vec<(i64, Line)>, Error> {
        self.flush()?;
        self.take_over(self.patience())?;
        self.read(|transaction| select(transaction, filter))
    }
}

/// Adds lines and trims the log where it is far beyond its cap.
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
    for class in Class::ALL {
        let added = lines.iter().filter(|line| Class::of(line) == class).count();
        if added > 0 {
            trim(connection, class, added as i64, (class.most(), SLACK))?;
        }
    }
    Ok(())
}

/// Counts added lines of a class and deletes its oldest lines if there are too many.
fn trim(
    connection: &Connection,
    class: Class,
    added: i64,
    (most, slack): (i64, i64),
) -> rusqlite::Result<()> {
    let mut count = connection.prepare_cached(
        "INSERT INTO audit_counts (class, lines) VALUES (?1, ?2)
         ON CONFLICT (class) DO UPDATE SET lines = lines + ?2 RETURNING lines",
    )?;
    let lines: i64 = count.query_row(params![class as i64, added], |row| row.get(0))?;
    if lines < most + slack {
        return Ok(());
    }
    let which = class.condition();
    let sql = format!(
        "DELETE FROM audit WHERE {which} AND number <=
         (SELECT number FROM audit WHERE {which} ORDER BY number DESC LIMIT 1 OFFSET ?1)"
    );
    let deleted = connection.execute(&sql, [most])?;
    connection.execute(
        "UPDATE audit_counts SET lines = lines - ?2 WHERE class = ?1",
        params![class as i64, deleted as i64],
    )?;
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
    limit("number < ?", filter.before.map(Value::Integer));
    limit(
        "instr(coalesce(capability, '') || char(10) || coalesce(target, '') || char(10) ||
            coalesce(note, '') || char(10) || coalesce(about, ''), ?) > 0",
        text(&filter.text),
    );
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
        check(Filter { before: Some(3), ..Filter::default() }, &[0, 1]);
        check(Filter { text: Some("3".into()), ..Filter::default() }, &[3]);
        check(Filter { event: Some(Event::Kill), ..Filter::default() }, &[]);
        check(Filter { ruling: Some(Ruling::Deny), last: Some(1), ..Filter::default() }, &[5]);
        check(Filter { run: Some("' OR 1 --".into()), ..Filter::default() }, &[]);
    }

    fn numbers(store: &Store) -> Vec<i64> {
        store.lines(&Filter::default()).unwrap().iter().map(|line| line.0).collect()
    }

    #[test]
    fn oldest_lines_make_room() {
        let store = store(100);
        trim(&store.connection(), Class::Denials, 0, (90, 20)).unwrap();
        assert_eq!(numbers(&store).len(), 100);
        trim(&store.connection(), Class::Denials, 0, (10, 5)).unwrap();
        assert_eq!(numbers(&store), (91..=100).collect::<Vec<_>>());
        trim(&store.connection(), Class::Denials, 0, (10, 0)).unwrap();
        assert_eq!(numbers(&store).len(), 10);
        store.commit(vec![line(0)]).unwrap();
        assert_eq!(
            store.lines(&Filter { after: Some(100), ..Filter::default() }).unwrap()[0].0,
            101
        );
    }

    /// T-PERM-016.
    #[test]
    fn denials_never_make_room_for_themselves_at_the_cost_of_decisions() {
        let store = Store::in_memory().unwrap();
        let events = [Event::Grant, Event::Revoke, Event::Deny, Event::Answer, Event::Change];
        let event = |event: &Event| Line::new(Timestamp::from_micros(0), *event);
        store.commit(events.iter().map(event).collect()).unwrap();
        let mut permit = line(0);
        permit.ruling = Some(Ruling::Permit);
        store.commit(vec![permit]).unwrap();
        store.commit((0..50).map(line).collect()).unwrap();
        trim(&store.connection(), Class::Denials, 0, (10, 0)).unwrap();
        let expect: Vec<_> = (1..=6).chain(47..=56).collect();
        assert_eq!(numbers(&store), expect);
        for class in Class::ALL {
            trim(&store.connection(), class, 0, (0, 0)).unwrap();
        }
        assert!(numbers(&store).is_empty());
    }
}
