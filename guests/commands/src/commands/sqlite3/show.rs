//! Formats rows.

use std::io::Write;

use super::database::Cell;
use crate::output::reason;

/// The output mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Mode {
    #[default]
    List,
    Csv,
    Json,
    Line,
    Column,
    Table,
    Box,
    Markdown,
    Quote,
    Tabs,
    Insert,
}

impl Mode {
    pub(super) const NAMES: [(&'static str, Mode); 11] = [
        ("box", Mode::Box),
        ("column", Mode::Column),
        ("csv", Mode::Csv),
        ("insert", Mode::Insert),
        ("json", Mode::Json),
        ("line", Mode::Line),
        ("list", Mode::List),
        ("markdown", Mode::Markdown),
        ("quote", Mode::Quote),
        ("table", Mode::Table),
        ("tabs", Mode::Tabs),
    ];

    pub(super) fn named(name: &str) -> Option<Mode> {
        Mode::NAMES.iter().find(|(known, _)| *known == name).map(|(_, mode)| *mode)
    }

    /// Returns true if the layout needs all rows before the first is printed.
    fn is_aligned(self) -> bool {
        matches!(self, Mode::Column | Mode::Table | Mode::Box | Mode::Markdown)
    }
}

/// The chosen output format.
#[derive(Debug, Clone)]
pub(super) struct Form {
    pub(super) mode: Mode,
    pub(super) headers: Option<bool>,
    pub(super) separator: Option<String>,
    pub(super) null: String,
    pub(super) table: String,
    /// Line end of CSV: `.mode csv` uses CRLF, `-csv` does not.
    pub(super) csv_end: &'static str,
}

impl Default for Form {
    fn default() -> Self {
        Form {
            mode: Mode::List,
            headers: None,
            separator: None,
            null: String::new(),
            table: "table".into(),
            csv_end: "\n",
        }
    }
}

impl Form {
    fn separator(&self) -> &str {
        match (&self.separator, self.mode) {
            (Some(separator), _) => separator,
            (None, Mode::Csv | Mode::Quote) => ",",
            (None, Mode::Tabs) => "\t",
            (None, _) => "|",
        }
    }
}

/// Prints the rows of one statement.
pub(super) struct Rows<'a> {
    form: &'a Form,
    count: usize,
    kept: Vec<Vec<String>>,
    names: Vec<String>,
}

impl<'a> Rows<'a> {
    pub(super) fn new(form: &'a Form) -> Self {
        Rows { form, count: 0, kept: Vec::new(), names: Vec::new() }
    }

    pub(super) fn row(
        &mut self,
        out: &mut dyn Write,
        names: &[String],
        cells: &[Cell],
    ) -> Result<(), String> {
        self.count += 1;
        if self.form.mode.is_aligned() {
            if self.names.is_empty() {
                self.names = names.to_vec();
            }
            self.kept.push(cells.iter().map(|cell| self.text(cell)).collect());
            return Ok(());
        }
        let bytes = self.line(names, cells);
        out.write_all(&bytes).map_err(|e| reason(&e))
    }

    fn text(&self, cell: &Cell) -> String {
        match cell.bytes() {
            Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            None => self.form.null.clone(),
        }
    }

    /// Formats one row in a mode that needs no other rows.
    fn line(&self, names: &[String], cells: &[Cell]) -> Vec<u8> {
        let form = self.form;
        let mut out = Vec::new();
        let join = |out: &mut Vec<u8>, parts: Vec<Vec<u8>>, end: &str| {
            out.extend_from_slice(&parts.join(form.separator().as_bytes()));
            out.extend_from_slice(end.as_bytes());
        };
        let is_first = self.count == 1;
        let shows_names = is_first && form.headers == Some(true);
        let raw = |cell: &Cell| cell.bytes().unwrap_or(form.null.as_bytes()).to_vec();
        match form.mode {
            Mode::List | Mode::Tabs => {
                if shows_names {
                    join(
                        &mut out,
                        names.iter().map(|name| name.clone().into_bytes()).collect(),
                        "\n",
                    );
                }
                join(&mut out, cells.iter().map(raw).collect(), "\n");
            }
            Mode::Csv => {
                let field = |bytes: &[u8]| csv(bytes, form.separator());
                if shows_names {
                    let names = names.iter().map(|name| field(name.as_bytes()));
                    join(&mut out, names.collect(), form.csv_end);
                }
                let cell = |cell: &Cell| match cell.bytes() {
                    Some(bytes) => field(bytes),
                    None => form.null.clone().into_bytes(),
                };
                join(&mut out, cells.iter().map(cell).collect(), form.csv_end);
            }
            Mode::Quote => {
                if shows_names {
                    let names = names.iter().map(|name| quoted(&Cell::Text(name.clone().into())));
                    join(&mut out, names.collect(), "\n");
                }
                join(&mut out, cells.iter().map(quoted).collect(), "\n");
            }
            Mode::Insert => {
                let columns = match form.headers {
                    Some(true) => format!("({})", names.join(",")),
                    Some(false) | None => String::new(),
                };
                let start = format!("INSERT INTO {}{columns} VALUES(", form.table);
                out.extend_from_slice(start.as_bytes());
                out.extend_from_slice(
                    &cells.iter().map(quoted).collect::<Vec<_>>().join(&b","[..]),
                );
                out.extend_from_slice(b");\n");
            }
            Mode::Line => {
                if !is_first {
                    out.push(b'\n');
                }
                let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(5);
                for (name, cell) in names.iter().zip(cells) {
                    out.extend_from_slice(format!("{name:>width$} = ").as_bytes());
                    out.extend_from_slice(&raw(cell));
                    out.push(b'\n');
                }
            }
            Mode::Json => {
                out.extend_from_slice(if is_first { b"[" } else { b",\n" });
                out.push(b'{');
                for (at, (name, cell)) in names.iter().zip(cells).enumerate() {
                    if at > 0 {
                        out.push(b',');
                    }
                    out.extend_from_slice(json(name.as_bytes()).as_bytes());
                    out.push(b':');
                    match cell {
                        Cell::Null => out.extend_from_slice(b"null"),
                        Cell::Number(bytes) => out.extend_from_slice(&json_number(bytes)),
                        Cell::Text(bytes) | Cell::Blob(bytes) => {
                            out.extend_from_slice(json(bytes).as_bytes());
                        }
                    }
                }
                out.push(b'}');
            }
            Mode::Column | Mode::Table | Mode::Box | Mode::Markdown => {}
        }
        out
    }

    /// Finishes a statement: prints the collected rows of an aligned layout, or closes a JSON array.
    pub(super) fn end(self, out: &mut dyn Write) -> Result<(), String> {
        let text = match self.form.mode {
            _ if self.count == 0 => return Ok(()),
            Mode::Json => "]\n".to_owned(),
            mode if mode.is_aligned() => self.aligned(),
            _ => return Ok(()),
        };
        out.write_all(text.as_bytes()).map_err(|e| reason(&e))
    }

    fn aligned(&self) -> String {
        let count = |text: &str| unicode_width::UnicodeWidthStr::width(text);
        let widths: Vec<usize> = (0..self.names.len())
            .map(|at| {
                let cells = self.kept.iter().map(|row| count(&row[at]));
                cells.chain([count(&self.names[at])]).max().unwrap_or(0)
            })
            .collect();
        let padded = |text: &str, width: usize| {
            format!("{text}{}", " ".repeat(width.saturating_sub(count(text))))
        };
        let centred = |text: &str, width: usize| {
            let room = width.saturating_sub(count(text));
            format!("{}{text}{}", " ".repeat(room / 2), " ".repeat(room - room / 2))
        };
        let mut lines = Vec::new();
        if self.form.mode == Mode::Column {
            let row = |cells: Vec<String>| cells.join("  ");
            let all = |row: &[String]| {
                row.iter().zip(&widths).map(|(text, width)| padded(text, *width)).collect()
            };
            if self.form.headers == Some(true) {
                lines.push(row(all(&self.names)));
                lines.push(
                    widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>().join("  "),
                );
            }
            lines.extend(self.kept.iter().map(|cells| row(all(cells))));
            return lines.join("\n") + "\n";
        }
        let (bar, dash, corners) = match self.form.mode {
            Mode::Box => ("│", "─", [["┌", "┬", "┐"], ["├", "┼", "┤"], ["└", "┴", "┘"]]),
            Mode::Markdown => ("|", "-", [["|", "|", "|"]; 3]),
            _ => ("|", "-", [["+", "+", "+"]; 3]),
        };
        let rule = |at: usize| {
            let [left, middle, right] = corners[at];
            let dashes: Vec<String> = widths.iter().map(|width| dash.repeat(width + 2)).collect();
            format!("{left}{}{right}", dashes.join(middle))
        };
        let row = |cells: Vec<String>| format!("{bar} {} {bar}", cells.join(&format!(" {bar} ")));
        let is_markdown = self.form.mode == Mode::Markdown;
        if !is_markdown {
            lines.push(rule(0));
        }
        lines.push(row(self.names.iter().zip(&widths).map(|(n, w)| centred(n, *w)).collect()));
        lines.push(rule(1));
        for cells in &self.kept {
            lines.push(row(cells.iter().zip(&widths).map(|(c, w)| padded(c, *w)).collect()));
        }
        if !is_markdown {
            lines.push(rule(2));
        }
        lines.join("\n") + "\n"
    }
}

/// Formats a CSV field, quoted if necessary.
fn csv(bytes: &[u8], separator: &str) -> Vec<u8> {
    let odd = |byte: &u8| matches!(byte, b'"' | b'\'' | b' ') || *byte < b' ' || *byte > b'~';
    let has_separator = !separator.is_empty()
        && bytes.windows(separator.len()).any(|window| window == separator.as_bytes());
    if !has_separator && !bytes.is_empty() && !bytes.iter().any(odd) {
        return bytes.to_vec();
    }
    let mut out = vec![b'"'];
    for byte in bytes {
        if *byte == b'"' {
            out.push(b'"');
        }
        out.push(*byte);
    }
    out.push(b'"');
    out
}

/// Formats a value as an SQL literal.
fn quoted(cell: &Cell) -> Vec<u8> {
    match cell {
        Cell::Null => b"NULL".to_vec(),
        Cell::Number(bytes) => bytes.clone(),
        Cell::Text(bytes) => {
            let mut out = vec![b'\''];
            for byte in bytes {
                if *byte == b'\'' {
                    out.push(b'\'');
                }
                out.push(*byte);
            }
            out.push(b'\'');
            out
        }
        Cell::Blob(bytes) => {
            let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("X'{digits}'").into_bytes()
        }
    }
}

fn json_number(bytes: &[u8]) -> Vec<u8> {
    match bytes {
        b"Inf" => b"9.0e+999".to_vec(),
        b"-Inf" => b"-9.0e+999".to_vec(),
        bytes => bytes.to_vec(),
    }
}

fn json(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for c in String::from_utf8_lossy(bytes).chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
