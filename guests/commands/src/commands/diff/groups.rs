//! Writes both texts as one, in formats that the caller gives: `--line-format`,
//! `--changed-group-format`, `-D` and the like.

use std::io::{self, Write};
use std::ops::Range;

use super::report::Report;
use super::text::Text;
use crate::output::Output;

/// Formats of lines and of groups of lines.
#[derive(Default)]
pub(super) struct Formats {
    pub(super) old_line: Option<Vec<u8>>,
    pub(super) new_line: Option<Vec<u8>>,
    pub(super) unchanged_line: Option<Vec<u8>>,
    pub(super) old_group: Option<Vec<u8>>,
    pub(super) new_group: Option<Vec<u8>>,
    pub(super) unchanged_group: Option<Vec<u8>>,
    pub(super) changed_group: Option<Vec<u8>>,
}

/// Widest number of a format.
const MAX_WIDTH: usize = 1000;

/// The kinds of groups.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Old,
    New,
    Unchanged,
    Changed,
}

impl Formats {
    /// Sets the formats that preprocessors of C understand.
    pub(super) fn merge(&mut self, name: &str) {
        let text = |text: String| Some(text.into_bytes());
        self.old_group = text(format!("#ifndef {name}\n%<#endif /* ! {name} */\n"));
        self.new_group = text(format!("#ifdef {name}\n%>#endif /* {name} */\n"));
        self.unchanged_group = text("%=".to_owned());
        self.changed_group =
            text(format!("#ifndef {name}\n%<#else /* {name} */\n%>#endif /* {name} */\n"));
    }

    fn group(&self, kind: Kind) -> Vec<u8> {
        let own = match kind {
            Kind::Old => self.old_group.clone(),
            Kind::New => self.new_group.clone(),
            Kind::Unchanged => self.unchanged_group.clone(),
            Kind::Changed => self.changed_group.clone(),
        };
        let changed = || self.changed_group.clone();
        own.unwrap_or_else(|| match kind {
            Kind::Old => changed().unwrap_or_else(|| b"%<".to_vec()),
            Kind::New => changed().unwrap_or_else(|| b"%>".to_vec()),
            Kind::Unchanged => b"%=".to_vec(),
            Kind::Changed => [self.group(Kind::Old), self.group(Kind::New)].concat(),
        })
    }
}

pub(super) fn write(report: &Report<'_>, out: &mut Output) -> io::Result<()> {
    let (mut i, mut j) = (0, 0);
    for change in report.changes {
        group(report, out, Kind::Unchanged, i..change.old.start, j..change.new.start)?;
        let kind = match (change.old.is_empty(), change.new.is_empty()) {
            (true, _) => Kind::New,
            (_, true) => Kind::Old,
            (false, false) => Kind::Changed,
        };
        group(report, out, kind, change.old.clone(), change.new.clone())?;
        (i, j) = (change.old.end, change.new.end);
    }
    group(report, out, Kind::Unchanged, i..report.old.len(), j..report.new.len())
}

fn group(
    report: &Report<'_>,
    out: &mut Output,
    kind: Kind,
    old: Range<usize>,
    new: Range<usize>,
) -> io::Result<()> {
    if old.is_empty() && new.is_empty() {
        return Ok(());
    }
    let formats = &report.settings.formats;
    let format = formats.group(kind);
    let mut rest = format.as_slice();
    while let Some((plain, after)) = split(rest) {
        out.write_all(plain)?;
        let (text, range, line) = match after.first() {
            Some(b'<') => (report.old, &old, &formats.old_line),
            Some(b'>') => (report.new, &new, &formats.new_line),
            Some(b'=') => (report.old, &old, &formats.unchanged_line),
            _ => {
                let numbers = [("f", &old), ("F", &new)];
                rest = directive(out, after, &numbers)?;
                continue;
            }
        };
        for at in range.clone() {
            match line {
                Some(format) => self::line(out, format, text, at)?,
                None => {
                    out.write_all(text.line(at))?;
                    out.write_all(b"\n")?;
                }
            }
        }
        rest = &after[1..];
    }
    out.write_all(rest)
}

/// Splits a format at its next directive: the text before, and the directive without its sign.
fn split(format: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = memchr::memchr(b'%', format)?;
    Some((&format[..at], &format[at + 1..]))
}

fn line(out: &mut Output, format: &[u8], text: &Text, at: usize) -> io::Result<()> {
    let mut rest = format;
    while let Some((plain, after)) = split(rest) {
        out.write_all(plain)?;
        match after.first() {
            Some(b'l') => out.write_all(text.line(at))?,
            Some(b'L') => {
                out.write_all(text.line(at))?;
                if text.ends(at) {
                    out.write_all(b"\n")?;
                }
            }
            _ => {
                rest = directive(out, after, &[("n", &(at..at + 1))])?;
                continue;
            }
        }
        rest = &after[1..];
    }
    out.write_all(rest)
}

/// Writes a character or a number, and returns the format after it. `numbers` has the ranges of
/// lines whose numbers are known, with the letters for the first line; the letters for the last
/// line and for the count follow in the alphabet as GNU has them.
fn directive<'f>(
    out: &mut Output,
    format: &'f [u8],
    numbers: &[(&str, &Range<usize>)],
) -> io::Result<&'f [u8]> {
    match format {
        [b'%', rest @ ..] => {
            out.write_all(b"%")?;
            return Ok(rest);
        }
        [b'c', b'\'', body @ ..] => {
            if let Some(end) = memchr::memchr(b'\'', body) {
                let (value, rest) = (&body[..end], &body[end + 1..]);
                match value.strip_prefix(b"\\").map(|digits| std::str::from_utf8(digits)) {
                    Some(Ok(digits)) => {
                        let byte = u8::from_str_radix(digits, 8).unwrap_or(b'\\');
                        out.write_all(&[byte])?;
                    }
                    _ => out.write_all(value)?,
                }
                return Ok(rest);
            }
        }
        _ => {}
    }
    let digits = format.iter().take_while(|b| b.is_ascii_digit() || matches!(b, b'-' | b'.'));
    let digits = digits.count();
    let base = format.get(digits).copied();
    let letter = format.get(digits + 1).copied().map(char::from);
    let known = numbers.iter().find_map(|(letters, range)| {
        let [first, last, count] = match *letters {
            "f" => ['f', 'l', 'n'],
            "F" => ['F', 'L', 'N'],
            _ => ['n', '\0', '\0'],
        };
        match letter? {
            c if c == first => Some(range.start + 1),
            c if c == last => Some(range.end),
            c if c == count => Some(range.len()),
            _ => None,
        }
    });
    let (Some(number), Some(base @ (b'd' | b'o' | b'x' | b'X'))) = (known, base) else {
        out.write_all(b"%")?;
        return Ok(format);
    };
    let text = match base {
        b'o' => format!("{number:o}"),
        b'x' => format!("{number:x}"),
        b'X' => format!("{number:X}"),
        _ => number.to_string(),
    };
    let spec = std::str::from_utf8(&format[..digits]).unwrap_or_default();
    let left = spec.starts_with('-');
    let width: usize =
        spec.trim_start_matches('-').split('.').next().unwrap_or_default().parse().unwrap_or(0);
    let width = width.min(MAX_WIDTH);
    match left {
        true => write!(out, "{text:<width$}")?,
        false if spec.starts_with('0') => write!(out, "{text:0>width$}")?,
        false => write!(out, "{text:>width$}")?,
    }
    Ok(&format[digits + 2..])
}
