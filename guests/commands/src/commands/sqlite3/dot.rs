//! Dot commands.

use std::fs::File;
use std::io::{BufReader, Write};

use super::database::{Cell, Database, Trouble};
use super::show::Mode;
use super::{Next, Shell};
use crate::output::{self, reason};

const HELP: &str = "\
.bail on|off             stop after an error, or not
.databases               names and files of databases
.dump ?TABLE?            the database as SQL
.exit ?CODE?             end
.headers on|off          names of columns, or not
.help                    show this
.import FILE TABLE       read a file into a table; with .mode csv, --csv or a separator
.indexes ?TABLE?         names of indexes
.mode MODE               box, column, csv, insert ?TABLE?, json, line, list, markdown, quote, table, tabs
.nullvalue TEXT          what NULL is shown as
.once FILE               write what the next statement gives to FILE
.open FILE               use another database
.output ?FILE?           write to FILE, or to standard output again
.print TEXT...           write TEXT
.quit                    end
.read FILE               run what a file says
.schema ?PATTERN?        how tables were made
.separator TEXT          between columns
.tables ?PATTERN?        names of tables and views
";

/// Deepest nesting of `.read`.
const MAX_READS: usize = 8;

/// Line width for lists of names.
const LINE: usize = 80;

impl Shell {
    pub(super) fn dot(&mut self, line: &str) -> Next {
        let words = words(line);
        let Some((name, rest)) = words.split_first() else { return Next::On };
        let rest: Vec<&str> = rest.iter().map(String::as_str).collect();
        match self.dotted(name, &rest) {
            Ok(next) => next,
            Err(message) => {
                self.error(&message);
                Next::On
            }
        }
    }

    fn dotted(&mut self, name: &str, rest: &[&str]) -> Result<Next, String> {
        let first = rest.first().copied();
        let needed = |what: &str| format!("Usage: {name} {what}");
        match name {
            ".quit" | ".exit" | ".q" => {
                return Ok(Next::Quit(first.and_then(|code| code.parse().ok()).unwrap_or(0)));
            }
            ".bail" => self.bail = is_on(first).ok_or_else(|| needed("on|off"))?,
            ".headers" | ".header" => {
                self.form.headers = Some(is_on(first).ok_or_else(|| needed("on|off"))?);
            }
            ".help" => self.write(HELP)?,
            ".mode" => {
                let mode = first.and_then(Mode::named);
                let known: Vec<_> = Mode::NAMES.iter().map(|(name, _)| *name).collect();
                let unknown = || format!("Error: mode should be one of: {}", known.join(" "));
                self.form.mode = mode.ok_or_else(unknown)?;
                self.form.csv_end = "\r\n";
                if self.form.mode == Mode::Column {
                    self.form.headers.get_or_insert(true);
                }
                if let Some(table) = rest.get(1) {
                    self.form.table = (*table).to_owned();
                }
            }
            ".nullvalue" => self.form.null = first.ok_or_else(|| needed("TEXT"))?.to_owned(),
            ".separator" => {
                self.form.separator = Some(first.ok_or_else(|| needed("TEXT"))?.to_owned());
            }
            ".print" => self.write(&format!("{}\n", rest.join(" ")))?,
            ".output" | ".once" => {
                let _ = self.out.flush();
                self.out =
                    match first {
                        None | Some("stdout") => Box::new(output::stdout()),
                        Some(file) => Box::new(File::create(file).map_err(|e| {
                            format!("Error: cannot open \"{file}\": {}", reason(&e))
                        })?),
                    };
                self.is_once = name == ".once" && first.is_some();
            }
            ".open" => {
                let file = first.unwrap_or(":memory:");
                self.database = Database::open(file, false)
                    .map_err(|e| format!("Error: unable to open database \"{file}\": {e}"))?;
            }
            ".read" => return self.read_file(first.ok_or_else(|| needed("FILE"))?),
            ".tables" => self.tables(first)?,
            ".schema" => self.schema(first)?,
            ".indexes" | ".indices" => {
                let of = first.map_or(String::new(), |t| format!(" AND tbl_name LIKE {}", sql(t)));
                let names =
                    format!("SELECT name FROM sqlite_schema WHERE type='index'{of} ORDER BY 1");
                let names = self.texts(&names)?;
                self.columns(&names)?;
            }
            ".databases" => {
                for row in rows(&self.database, "PRAGMA database_list")? {
                    let cell = |at: usize| row.get(at).map_or(String::new(), text);
                    let file = Some(cell(2)).filter(|f| !f.is_empty()).unwrap_or("\"\"".into());
                    self.write(&format!("{}: {file} r/w\n", cell(1)))?;
                }
            }
            ".dump" => self.dump(first)?,
            ".import" => self.import(rest)?,
            _ => {
                let name = name.trim_start_matches('.');
                let message = format!(
                    "Error: unknown command or invalid arguments:  \"{name}\". Enter \".help\" for help"
                );
                return Err(message);
            }
        }
        Ok(Next::On)
    }

    fn write(&mut self, text: &str) -> Result<(), String> {
        self.out.write_all(text.as_bytes()).map_err(|e| reason(&e))
    }

    fn read_file(&mut self, file: &str) -> Result<Next, String> {
        use std::cell::Cell as Counter;
        thread_local!(static DEPTH: Counter<usize> = const { Counter::new(0) });
        let opened = File::open(file)
            .map_err(|e| format!("Error: cannot open \"{file}\": {}", reason(&e)))?;
        if DEPTH.get() >= MAX_READS {
            return Err(format!("Error: .read nested deeper than {MAX_READS} levels"));
        }
        DEPTH.set(DEPTH.get() + 1);
        let next = self.read(BufReader::new(opened));
        DEPTH.set(DEPTH.get() - 1);
        Ok(next)
    }

    fn texts(&self, query: &str) -> Result<Vec<String>, String> {
        Ok(rows(&self.database, query)?.iter().filter_map(|row| row.first().map(text)).collect())
    }

    fn tables(&mut self, pattern: Option<&str>) -> Result<(), String> {
        let like = sql(pattern.unwrap_or("%"));
        let names = self.texts(&format!(
            "SELECT name FROM sqlite_schema WHERE type IN ('table','view') \
             AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name LIKE {like} ORDER BY 1"
        ))?;
        self.columns(&names)
    }

    /// Prints names in columns, ordered downwards.
    fn columns(&mut self, names: &[String]) -> Result<(), String> {
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let across = (LINE / (width + 2)).max(1);
        let down = names.len().div_ceil(across);
        for row in 0..down {
            let cells = names.iter().skip(row).step_by(down);
            let line: Vec<String> = cells.map(|name| format!("{name:width$}")).collect();
            self.write(&format!("{}\n", line.join("  ")))?;
        }
        Ok(())
    }

    fn schema(&mut self, pattern: Option<&str>) -> Result<(), String> {
        let like = sql(pattern.unwrap_or("%"));
        let made = self.texts(&format!(
            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name LIKE {like} \
             AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY tbl_name, type DESC, rowid"
        ))?;
        made.iter().try_for_each(|sql| self.write(&format!("{sql};\n")))
    }

    fn dump(&mut self, table: Option<&str>) -> Result<(), String> {
        self.write("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n")?;
        let like = sql(table.unwrap_or("%"));
        let tables = rows(
            &self.database,
            &format!(
                "SELECT name, sql FROM sqlite_schema WHERE type='table' AND sql IS NOT NULL \
                 AND name LIKE {like} ORDER BY name='sqlite_sequence', rowid"
            ),
        )?;
        for row in tables {
            let [name, made] = row.as_slice() else { continue };
            let (name, made) = (text(name), text(made));
            match name.as_str() {
                "sqlite_sequence" => self.write("DELETE FROM sqlite_sequence;\n")?,
                name if name.starts_with("sqlite_stat") => {
                    self.write("ANALYZE sqlite_schema;\n")?
                }
                _ => self.write(&format!("{made};\n"))?,
            }
            let columns =
                self.texts(&format!("SELECT name FROM pragma_table_info({})", sql(&name)))?;
            let values: Vec<String> =
                columns.iter().map(|column| format!("quote({})", identifier(column))).collect();
            let into = sql(&format!("INSERT INTO {} VALUES(", shown(&name)));
            let query = format!(
                "SELECT {into}||{}||');' FROM {}",
                values.join("||','||"),
                identifier(&name)
            );
            let out = &mut self.out;
            let written = self.database.run(&query, |_, cells| {
                let line = cells.first().and_then(Cell::bytes).unwrap_or_default();
                let written = out.write_all(line).and_then(|()| out.write_all(b"\n"));
                written.map_err(|e| reason(&e))
            });
            written.map_err(said)?;
        }
        let rest = self.texts(&format!(
            "SELECT sql FROM sqlite_schema WHERE type IN ('index','trigger','view') \
             AND sql IS NOT NULL AND tbl_name LIKE {like} ORDER BY type='view', rowid"
        ))?;
        rest.iter().try_for_each(|sql| self.write(&format!("{sql};\n")))?;
        self.write("COMMIT;\n")
    }

    fn import(&mut self, rest: &[&str]) -> Result<(), String> {
        let mut is_csv = self.form.mode == Mode::Csv;
        let (mut skipped, mut names) = (0, Vec::new());
        let mut words = rest.iter();
        while let Some(word) = words.next() {
            match *word {
                "--csv" | "-csv" => is_csv = true,
                "--skip" | "-skip" => {
                    skipped = words.next().and_then(|n| n.parse().ok()).unwrap_or(0);
                }
                word => names.push(word),
            }
        }
        let [file, table] = names.as_slice() else {
            return Err("Usage: .import [--csv] [--skip N] FILE TABLE".into());
        };
        if self.form.mode == Mode::Csv {
            // As in SQLite's own shell, an import leaves plain line ends behind.
            self.form.csv_end = "\n";
        }
        let bytes = std::fs::read(file)
            .map_err(|e| format!("Error: cannot open \"{file}\": {}", reason(&e)))?;
        let text = String::from_utf8_lossy(&bytes);
        let separator =
            self.form.separator.clone().unwrap_or(if is_csv { "," } else { "|" }.into());
        let mut records = match is_csv {
            true => csv(&text, &separator),
            false => text
                .lines()
                .map(|line| line.split(separator.as_str()).map(str::to_owned).collect())
                .collect(),
        };
        records.drain(..skipped.min(records.len()));
        let exists = format!("SELECT 1 FROM sqlite_schema WHERE name={}", sql(table));
        if self.texts(&exists)?.is_empty() {
            if records.is_empty() {
                return Ok(());
            }
            let columns: Vec<String> =
                records.remove(0).iter().map(|name| format!("{} ANY", quoted_name(name))).collect();
            let make = format!("CREATE TABLE {}({})", quoted_name(table), columns.join(", "));
            self.database.run(&make, |_, _| Ok(())).map_err(said)?;
        }
        let count =
            self.texts(&format!("SELECT name FROM pragma_table_info({})", sql(table)))?.len();
        self.database.run("SAVEPOINT import", |_, _| Ok(())).map_err(said)?;
        for mut record in records {
            record.resize(count, String::new());
            let values: Vec<String> = record.iter().map(|value| sql(value)).collect();
            let insert = format!("INSERT INTO {} VALUES({})", quoted_name(table), values.join(","));
            if let Err(trouble) = self.database.run(&insert, |_, _| Ok(())) {
                let message = format!("{file}: INSERT failed: {}", said(trouble));
                self.error(&message);
            }
        }
        self.database.run("RELEASE import", |_, _| Ok(())).map_err(said)
    }
}

fn is_on(word: Option<&str>) -> Option<bool> {
    match word? {
        "on" | "yes" | "1" | "true" => Some(true),
        "off" | "no" | "0" | "false" => Some(false),
        _ => None,
    }
}

fn rows(database: &Database, query: &str) -> Result<Vec<Vec<Cell>>, String> {
    database.rows(query).map_err(said)
}

fn said(trouble: Trouble) -> String {
    match trouble {
        Trouble::Prepare(message) | Trouble::Run(message) => format!("Error: {message}"),
        Trouble::Output(message) => message,
    }
}

fn text(cell: &Cell) -> String {
    String::from_utf8_lossy(cell.bytes().unwrap_or_default()).into_owned()
}

/// Returns a text as an SQL string literal.
fn sql(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn quoted_name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn identifier(name: &str) -> String {
    quoted_name(name)
}

/// Returns a name as it appears in a dump: quoted only if necessary.
fn shown(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let starts = |c: char| c.is_ascii_alphabetic() || c == '_';
    match name.starts_with(starts) && name.chars().all(is_plain) {
        true => name.to_owned(),
        false => quoted_name(name),
    }
}

/// Splits a line into words; quotes protect blanks, and `\t` and `\n` are escapes as in C.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut chars = line.chars().peekable();
    loop {
        while chars.next_if(|c| c.is_whitespace()).is_some() {}
        let Some(first) = chars.next() else { return words };
        let mut word = String::new();
        if first == '"' || first == '\'' {
            while let Some(c) = chars.next_if(|c| *c != first) {
                word.push(match c {
                    '\\' if first == '"' => match chars.next() {
                        Some('t') => '\t',
                        Some('n') => '\n',
                        Some('r') => '\r',
                        Some(c) => c,
                        None => '\\',
                    },
                    c => c,
                });
            }
            chars.next();
        } else {
            word.push(first);
            while let Some(c) = chars.next_if(|c| !c.is_whitespace()) {
                word.push(c);
            }
        }
        words.push(word);
    }
}

/// Parses CSV into records. A quoted field may contain separators and line ends.
fn csv(text: &str, separator: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut field) = (Vec::new(), Vec::new(), String::new());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        if field.is_empty() && c == '"' {
            rest = &rest[1..];
            while let Some(end) = rest.find('"') {
                field.push_str(&rest[..end]);
                rest = &rest[end + 1..];
                match rest.strip_prefix('"') {
                    Some(more) => {
                        field.push('"');
                        rest = more;
                    }
                    None => break,
                }
            }
            if !rest.starts_with(separator) && !rest.starts_with(['\r', '\n']) {
                let end = rest.find(['\r', '\n']).unwrap_or(rest.len());
                let end = rest.find(separator).unwrap_or(end).min(end);
                field.push_str(&rest[..end]);
                rest = &rest[end..];
            }
            if rest.is_empty() || rest.starts_with(separator) || rest.starts_with(['\r', '\n']) {
                // An empty quoted text at the end is a field too.
                if rest.is_empty() {
                    record.push(std::mem::take(&mut field));
                    records.push(std::mem::take(&mut record));
                    return records;
                }
            }
        } else if !separator.is_empty() && rest.starts_with(separator) {
            record.push(std::mem::take(&mut field));
            rest = &rest[separator.len()..];
        } else if c == '\n' || rest.starts_with("\r\n") {
            record.push(std::mem::take(&mut field));
            records.push(std::mem::take(&mut record));
            rest = &rest[if c == '\n' { 1 } else { 2 }..];
        } else {
            field.push(c);
            rest = &rest[c.len_utf8()..];
        }
    }
    if !field.is_empty() || !record.is_empty() {
        record.push(field);
        records.push(record);
    }
    records
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_what_is_in_quotes() {
        assert_eq!(words(".separator \"\\t\" x"), [".separator", "\t", "x"]);
        assert_eq!(words(".import 'a b' t"), [".import", "a b", "t"]);
        assert_eq!(words(".print \"open"), [".print", "open"]);
    }

    #[test]
    fn csv_knows_quotes() {
        let records = csv("a,\"b,\"\"c\",\r\n1,\"x\ny\",3", ",");
        assert_eq!(records, [vec!["a", "b,\"c", ""], vec!["1", "x\ny", "3"]]);
        assert_eq!(csv("\"open", ","), [["open"]]);
        assert!(csv("", ",").is_empty());
    }
}
