//! column: arranges lines in columns or as a table.

use std::ffi::OsString;
use std::io::{Read as _, Write};

use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Input, reason};
use crate::width;

const USAGE: Usage = Usage {
    name: "column",
    text: "\
Usage: column [OPTION]... [FILE]...
Columnate lists.

  -t, --table                 create a table
  -s, --separator=STRING      possible table delimiters
  -o, --output-separator=STRING  columns separator for table output (default two spaces)
  -N, --table-columns=NAMES   comma separated columns names
  -R, --table-right=COLUMNS   right align text in these columns
  -c, --output-width=WIDTH    width of output in number of characters
  -x, --fillrows              fill rows before columns
  -n, -L                      accepted
      --help                  display this help
",
    trouble: 1,
};

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    column(args).unwrap_or_else(|code| code)
}

fn column(args: Vec<OsString>) -> Result<i32, i32> {
    let specs = [
        ('t', "table", Value::None),
        ('s', "separator", Value::Required),
        ('o', "output-separator", Value::Required),
        ('N', "table-columns", Value::Required),
        ('R', "table-right", Value::Required),
        ('c', "output-width", Value::Required),
        ('x', "fillrows", Value::None),
        ('n', "", Value::None),
        ('L', "keep-empty-lines", Value::None),
    ];
    let (mut table, mut rows_first, mut terminal) = (false, false, 80_usize);
    let mut separators: Option<String> = None;
    let mut between = "  ".to_owned();
    let mut names: Option<String> = None;
    let mut right: Vec<usize> = Vec::new();
    let mut text = Vec::new();
    let mut files = Vec::new();
    for item in options::parse(&USAGE, args, &specs, Order::Anywhere)? {
        match item {
            Item::Option(Key::Short('t'), _) => table = true,
            Item::Option(Key::Short('x'), _) => rows_first = true,
            Item::Option(Key::Short(which), Some(value)) => {
                let value = value.to_string_lossy().into_owned();
                match which {
                    's' => separators = Some(value),
                    'o' => between = value,
                    'N' => names = Some(value),
                    'R' => right = value.split(',').filter_map(|n| n.parse().ok()).collect(),
                    'c' => {
                        terminal = value.parse().map_err(|_| {
                            USAGE.wrong(&format!("invalid columns argument: '{value}'"))
                        })?;
                    }
                    _ => {}
                }
            }
            Item::Option(..) => {}
            Item::Operand(file) => files.push(file),
        }
    }
    let mut code = 0;
    if files.is_empty() {
        files.push("-".into());
    }
    for file in &files {
        let read = if file == "-" {
            Input.read_to_end(&mut text).map(drop)
        } else {
            std::fs::read(file).map(|content| text.extend(content))
        };
        if let Err(error) = read {
            eprintln!("column: {}: {}", file.to_string_lossy(), reason(&error));
            code = 1;
        }
    }
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let mut out = output::stdout();
    let done = if table {
        let mut rows: Vec<Vec<&str>> = Vec::new();
        if let Some(names) = &names {
            rows.push(names.split(',').collect());
        }
        rows.extend(lines.iter().map(|line| match &separators {
            None => line.split_whitespace().collect(),
            Some(set) => line.split(|c| set.contains(c)).collect::<Vec<_>>(),
        }));
        write_table(&mut out, &rows, &between, &right)
    } else {
        write_list(&mut out, &lines, terminal, rows_first)
    };
    if done.is_err() {
        code = 1;
    }
    Ok(output::finish("column", &mut out, code))
}

fn write_table(
    out: &mut output::Output,
    rows: &[Vec<&str>],
    between: &str,
    right: &[usize],
) -> std::io::Result<()> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let mut widths = vec![0; columns];
    for row in rows {
        for (cell, widest) in row.iter().zip(&mut widths) {
            *widest = (*widest).max(width::of(cell.as_bytes()));
        }
    }
    for row in rows {
        let mut line = String::new();
        for (number, widest) in widths.iter().enumerate() {
            let cell = row.get(number).copied().unwrap_or("");
            let fill = " ".repeat(widest - width::of(cell.as_bytes()));
            let last = number + 1 == columns;
            if right.contains(&(number + 1)) {
                line.push_str(&fill);
                line.push_str(cell);
            } else {
                line.push_str(cell);
                if !last {
                    line.push_str(&fill);
                }
            }
            if !last {
                line.push_str(between);
            }
        }
        writeln!(out, "{line}")?;
    }
    Ok(())
}

fn write_list(
    out: &mut output::Output,
    entries: &[&str],
    terminal: usize,
    rows_first: bool,
) -> std::io::Result<()> {
    const TAB: usize = 8;
    let widest = entries.iter().map(|entry| width::of(entry.as_bytes())).max().unwrap_or(0);
    let cell = (widest / TAB + 1) * TAB;
    // More columns than entries make no difference.
    let columns = (terminal / cell).clamp(1, entries.len().max(1));
    let rows = entries.len().div_ceil(columns);
    if columns == 1 {
        return entries.iter().try_for_each(|entry| writeln!(out, "{entry}"));
    }
    for row in 0..rows {
        let mut at = 0;
        let mut line = String::new();
        for column in 0..columns {
            let number = if rows_first { row * columns + column } else { column * rows + row };
            let Some(entry) = entries.get(number) else { continue };
            // Columns are separated by tabs, as in the traditional command.
            while at < column * cell {
                line.push('\t');
                at = (at / TAB + 1) * TAB;
            }
            line.push_str(entry);
            at += width::of(entry.as_bytes());
        }
        writeln!(out, "{line}")?;
    }
    Ok(())
}
