//! The `pr` command. Columns without headers are laid out here, with tabs as GNU's pr does; all
//! other forms are those of uutils.

use std::ffi::OsString;
use std::io::{self, Write as _};

use super::uutils;
use crate::bytes::{OsStrExt as _, OsStringExt as _};
use crate::table::uu;

/// Width of a page, if no option sets it.
const WIDTH: usize = 72;

/// Lines of a page, if no option sets them.
const LENGTH: usize = 66;

/// Largest width, length and number of columns.
const MAX_SIZE: usize = 100_000;

/// Distance of tab stops.
const TAB: usize = 8;

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    match Layout::parse(&args[1.min(args.len())..]) {
        Some(layout) => layout.run(),
        None => uu!(uu_pr, "pr")(args),
    }
}

/// A layout in columns without headers.
#[derive(Default)]
struct Layout {
    merge: bool,
    across: bool,
    columns: usize,
    width: usize,
    length: usize,
    /// Separator that replaces the padding.
    separator: Option<Vec<u8>>,
    files: Vec<OsString>,
}

impl Layout {
    /// Parses the arguments. Returns `None` if they ask for anything but plain columns.
    fn parse(args: &[OsString]) -> Option<Layout> {
        let mut layout = Layout { width: WIDTH, length: LENGTH, ..Layout::default() };
        let mut plain = false;
        let mut args = args.iter();
        let size = |text: &[u8]| {
            let number = std::str::from_utf8(text).ok()?.parse().ok()?;
            (1..=MAX_SIZE).contains(&number).then_some(number)
        };
        while let Some(arg) = args.next() {
            let text = arg.as_bytes();
            match text {
                b"--merge" => layout.merge = true,
                b"--omit-header" | b"--omit-pagination" => plain = true,
                b"-" => layout.files.push(arg.clone()),
                [b'-', b'-', ..] => return None,
                [b'-', letters @ ..] => {
                    let mut rest = letters;
                    while let Some((letter, more)) = rest.split_first() {
                        rest = more;
                        match letter {
                            b'm' => layout.merge = true,
                            b't' | b'T' => plain = true,
                            b'a' => layout.across = true,
                            b'w' | b'W' | b'l' => {
                                let value = std::mem::take(&mut rest);
                                let value =
                                    if value.is_empty() { args.next()?.as_bytes() } else { value };
                                match letter {
                                    b'l' => layout.length = size(value)?,
                                    _ => layout.width = size(value)?,
                                }
                            }
                            b's' => {
                                let value = std::mem::take(&mut rest);
                                let value = if value.is_empty() { b"\t" } else { value };
                                layout.separator = Some(value.to_vec());
                            }
                            b'0'..=b'9' => {
                                let len = letters.len() - more.len() - 1;
                                let digits = &letters[len..];
                                let count =
                                    digits.iter().take_while(|c| c.is_ascii_digit()).count();
                                layout.columns = size(&digits[..count])?;
                                rest = &digits[count..];
                            }
                            _ => return None,
                        }
                    }
                }
                _ => layout.files.push(arg.clone()),
            }
        }
        if layout.merge {
            layout.columns = layout.files.len().max(1);
        }
        (plain && layout.columns > 1 && layout.columns < layout.width).then_some(layout)
    }

    fn run(&self) -> i32 {
        let mut code = 0;
        let stdin = [OsString::from_vec(b"-".to_vec())];
        let names = if self.files.is_empty() { &stdin[..] } else { &self.files };
        let mut texts = Vec::new();
        for name in names {
            match read(name) {
                Ok(lines) => texts.push(lines),
                Err(error) => {
                    eprintln!("pr: {}: {}", name.to_string_lossy(), crate::output::reason(&error));
                    code = 1;
                }
            }
        }
        let mut out = io::BufWriter::new(io::stdout().lock());
        let written = if self.merge {
            let rows = texts.iter().map(Vec::len).max().unwrap_or(0);
            (0..rows).try_for_each(|row| {
                let cells = texts.iter().map(|lines| lines.get(row).map(Vec::as_slice));
                self.row(&cells.collect::<Vec<_>>(), &mut out)
            })
        } else {
            texts.iter().try_for_each(|lines| self.pages(lines, &mut out))
        };
        match written.and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => 1,
            _ => code,
        }
    }

    /// Fills pages with the lines of one file; the columns of the last one have equal heights.
    fn pages(&self, lines: &[Vec<u8>], out: &mut impl io::Write) -> io::Result<()> {
        for page in lines.chunks(self.length.saturating_mul(self.columns).max(1)) {
            let rows = page.len().div_ceil(self.columns);
            // As many columns as possible get a line more than the others.
            let full = page.len() - (rows - 1) * self.columns;
            let start = |column: usize| column * rows - column.saturating_sub(full).min(column);
            for row in 0..rows {
                let cells = (0..self.columns).map(|column| {
                    if self.across {
                        return page.get(row * self.columns + column).map(Vec::as_slice);
                    }
                    let height = if column < full { rows } else { rows - 1 };
                    let line = page.get(start(column) + row).map(Vec::as_slice);
                    line.filter(|_| row < height)
                });
                self.row(&cells.collect::<Vec<_>>(), out)?;
            }
        }
        Ok(())
    }

    fn row(&self, cells: &[Option<&[u8]>], out: &mut impl io::Write) -> io::Result<()> {
        let mut line = Vec::new();
        let width = (self.width - (self.columns - 1)) / self.columns;
        let mut at = 0;
        for (column, cell) in cells.iter().enumerate() {
            let Some(cell) = cell else {
                if self.separator.is_some() && column > 0 && self.merge {
                    line.extend_from_slice(self.separator.as_deref().unwrap_or_default());
                }
                continue;
            };
            if let Some(separator) = &self.separator {
                if column > 0 {
                    line.extend_from_slice(separator);
                }
                line.extend_from_slice(cell);
                continue;
            }
            let goal = column * (width + 1);
            while (at / TAB + 1) * TAB <= goal {
                line.push(b'\t');
                at = (at / TAB + 1) * TAB;
            }
            line.resize(line.len() + goal.saturating_sub(at), b' ');
            let text = String::from_utf8_lossy(cell);
            let shown: String = text.chars().take(width).collect();
            at = goal.max(at) + shown.chars().count();
            line.extend_from_slice(shown.as_bytes());
        }
        line.push(b'\n');
        out.write_all(&line)
    }
}

/// Reads the lines of a file, or of standard input for `-`, without form feeds.
fn read(name: &OsString) -> io::Result<Vec<Vec<u8>>> {
    let mut text = Vec::new();
    if name == "-" {
        io::Read::read_to_end(&mut io::stdin().lock(), &mut text)?;
    } else {
        text = std::fs::read(name)?;
    }
    let end = text.strip_suffix(b"\n").unwrap_or(&text).len();
    if end == 0 && text.is_empty() {
        return Ok(Vec::new());
    }
    Ok(text[..end].split(|c| *c == b'\n').map(<[u8]>::to_vec).collect())
}
