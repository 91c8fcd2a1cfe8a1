//! Audit lines in a text file beside the store, until a process that opens the store takes them over.
//!
//! A process that runs one tool appends its lines here with one system call. Each line is in the
//! spool or in the table, never in both and never in neither: taking over renames the spool to a name
//! with a number, and the transaction that inserts its lines also records that number.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cofferdam_broker::{Cost, Error, Event, Line, Ruling, Timestamp};
use rusqlite::TransactionBehavior;

use crate::store::Store;
use crate::{failure, lines, place};

/// Length at which a process that appended takes the lines over itself.
pub(crate) const MAX_BYTES: u64 = 256 * 1024;

/// Number of fields of a line.
const FIELDS: usize = 12;

/// Appends lines to the spool of a store, all or none. Returns the length of the spool.
pub(crate) fn append(store: &Path, lines: &[Line]) -> Result<u64, Error> {
    let path = place::beside(store, "-spool");
    let failed = |error: std::io::Error| failure::io(&path, &error);
    let text: String = lines.iter().map(encode).collect();
    let mut file = locked(&path)?;
    let before = file.metadata().map_err(failed)?.len();
    let written = file.write_all(text.as_bytes());
    if written.is_err() {
        // The disk may be full, and half a line would spoil the next one.
        let _ = file.set_len(before);
    }
    written.map_err(failed)?;
    Ok(before + text.len() as u64)
}

/// Opens the spool for appending, and waits for other processes that append or take over.
fn locked(path: &Path) -> Result<File, Error> {
    let failed = |error: std::io::Error| failure::io(path, &error);
    loop {
        let file = place::open_to_append(path)?;
        file.lock().map_err(failed)?;
        // The file may have been taken over before the lock was ours.
        let number = file.metadata().map_err(failed)?.ino();
        if std::fs::symlink_metadata(path).is_ok_and(|found| found.ino() == number) {
            return Ok(file);
        }
    }
}

impl Store {
    /// Inserts the lines of the spool into the table. Waits for another writer for `patience`.
    pub(crate) fn take_over(&self, patience: Duration) -> Result<(), Error> {
        if self.is_in_memory() {
            return Ok(());
        }
        let path = place::beside(self.path(), "-spool");
        let taken = |number: i64| place::beside(self.path(), &format!("-spool-{number}"));
        let mut connection = self.connection();
        let fail = |error: rusqlite::Error| failure::sql(self.path(), &error);
        let number = "SELECT spooled FROM meta";
        let seen: i64 = connection.query_row(number, [], |row| row.get(0)).map_err(fail)?;
        if !path.exists() && !taken(seen).exists() && !taken(seen + 1).exists() {
            return Ok(());
        }
        connection.busy_timeout(patience).map_err(fail)?;
        let mut insert_next = || {
            // One process at a time. The number may have grown meanwhile.
            let transaction =
                connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done: i64 = transaction.query_row(number, [], |row| row.get(0))?;
            // Left by a process that was killed after its commit.
            let _ = std::fs::remove_file(taken(done));
            let text = match rename(&path, &taken(done + 1)) {
                Ok(Some(text)) => text,
                Ok(None) => return Ok(Ok(false)),
                Err(error) => return Ok(Err(failure::io(&path, &error))),
            };
            // A line that was cut off by a crash of the machine is none.
            let read: Vec<Line> = text.lines().filter_map(decode).collect();
            lines::insert(&transaction, &read)?;
            transaction.execute("UPDATE meta SET spooled = ?1", [done + 1])?;
            transaction.commit()?;
            let _ = std::fs::remove_file(taken(done + 1));
            Ok(Ok(true))
        };
        // The first may be one that a killed process had renamed, and the spool is the second.
        let inserted = loop {
            match insert_next() {
                Ok(Ok(true)) => {}
                Ok(Ok(false)) => break Ok(()),
                Ok(Err(error)) => break Err(error),
                Err(error) => break Err(fail(error)),
            }
        };
        let restored = connection.busy_timeout(self.patience());
        inserted?;
        restored.map_err(fail)
    }
}

/// Gives the spool the name `to`, unless an earlier process has done so and was killed, and returns
/// its text. Returns `None` if there is nothing to take.
fn rename(path: &Path, to: &PathBuf) -> std::io::Result<Option<String>> {
    if !to.exists() {
        let Ok(file) = File::open(path) else { return Ok(None) };
        // Whoever appends has finished then, and finds another file afterwards.
        file.lock()?;
        match std::fs::rename(path, to) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            renamed => renamed?,
        }
    }
    std::fs::read(to).map(|bytes| Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns a line as text: fields between tabs, and `=` before the content of a field that has one.
fn encode(line: &Line) -> String {
    let text = |field: &Option<std::sync::Arc<str>>| match field {
        Some(text) => format!("={}", escaped(text)),
        None => String::new(),
    };
    let ruling = line.ruling.map_or("", Ruling::name);
    [
        line.time.micros().to_string(),
        line.event.name().to_owned(),
        text(&line.sandbox),
        text(&line.run),
        text(&line.capability),
        text(&line.target),
        ruling.to_owned(),
        text(&line.id),
        text(&line.note),
        line.times.to_string(),
        line.cost.micros.to_string(),
        line.cost.bytes.to_string(),
    ]
    .join("\t")
        + "\n"
}

fn decode(text: &str) -> Option<Line> {
    let fields: [&str; FIELDS] = text.split('\t').collect::<Vec<_>>().try_into().ok()?;
    let [time, event, sandbox, run, capability, target, ruling, id, note, times, micros, bytes] =
        fields;
    let text = |field: &str| match field.strip_prefix('=') {
        Some(text) => unescaped(text).map(|text| Some(text.into())),
        None => field.is_empty().then_some(None),
    };
    let mut line =
        Line::new(Timestamp::from_micros(time.parse().ok()?), event.parse::<Event>().ok()?);
    line.sandbox = text(sandbox)?;
    line.run = text(run)?;
    line.capability = text(capability)?;
    line.target = text(target)?;
    line.ruling = match ruling {
        "" => None,
        ruling => Some(ruling.parse().ok()?),
    };
    line.id = text(id)?;
    line.note = text(note)?;
    line.times = times.parse().ok()?;
    line.cost = Cost { micros: micros.parse().ok()?, bytes: bytes.parse().ok()? };
    Some(line)
}

fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        plain.push(match letter {
            '\\' => match letters.next()? {
                '\\' => '\\',
                't' => '\t',
                'n' => '\n',
                'r' => '\r',
                _ => return None,
            },
            letter => letter,
        });
    }
    Some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(target: &str) -> Line {
        let mut line = Line::new(Timestamp::from_micros(7), Event::Check);
        line.target = Some(target.into());
        line.note = Some("".into());
        line.ruling = Some(Ruling::Permit);
        line.cost = Cost { micros: 1, bytes: u64::MAX };
        line
    }

    fn check(target: &str) {
        let line = line(target);
        let text = encode(&line);
        assert_eq!(text.matches('\n').count(), 1, "{text:?}");
        assert_eq!(text.lines().map(decode).collect::<Vec<_>>(), [Some(line)]);
    }

    #[test]
    fn line_reads_back_as_it_was() {
        ["", "a", "a\tb\\tc\\", "\n\r\n", "=\\=", "\u{85}\u{2028}ü"].into_iter().for_each(check);
    }

    #[test]
    fn line_that_was_cut_off_is_none() {
        let text = encode(&line("a\\b"));
        for end in 0..text.len() - "18446744073709551615\n".len() {
            assert_eq!(decode(&text[..end]), None, "{end}");
        }
    }
}
