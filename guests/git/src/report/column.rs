//! Columns and lines in formats: `%<(20)` pads the next value, `%w(72)` wraps what follows.

use crate::bytes::text;

/// `%<(n)`, `%>(n)` and `%><(n)`: pads the next placeholder; with `|`, up to a column.
pub(super) struct Pad {
    width: usize,
    is_column: bool,
    side: Side,
    cut: Option<Cut>,
}

#[derive(Clone, Copy)]
enum Side {
    Left,
    Right,
    Both,
}

/// End of a value that is cut because it is too wide.
#[derive(Clone, Copy)]
enum Cut {
    Start,
    Middle,
    End,
}

/// Widest column that a format may ask for.
const MAX_WIDTH: usize = 10_000;

impl Pad {
    pub(super) fn parse(text: &str) -> Option<(Pad, &str)> {
        let (side, rest) = if let Some(rest) = text.strip_prefix("><") {
            (Side::Both, rest)
        } else if let Some(rest) = text.strip_prefix('<') {
            (Side::Left, rest)
        } else {
            (Side::Right, text.strip_prefix('>')?.trim_start_matches('>'))
        };
        let (is_column, rest) = match rest.strip_prefix('|') {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let rest = rest.strip_prefix('(')?;
        let end = rest.find(')')?;
        let mut words = rest[..end].split(',').map(str::trim);
        let width = words.next()?.parse::<usize>().ok()?.min(MAX_WIDTH);
        let cut = match words.next() {
            None => None,
            Some("trunc") => Some(Cut::End),
            Some("ltrunc") => Some(Cut::Start),
            Some("mtrunc") => Some(Cut::Middle),
            Some(_) => return None,
        };
        Some((Pad { width, is_column, side, cut }, &rest[end + 1..]))
    }

    /// Pads a value that begins at a column.
    pub(super) fn apply(&self, value: &[u8], column: usize) -> Vec<u8> {
        let width = match self.is_column {
            true => self.width.saturating_sub(column),
            false => self.width,
        };
        let mut shown = text(value);
        let length = shown.chars().count();
        if let Some(cut) = self.cut.filter(|_| length > width) {
            let kept = width.saturating_sub(2);
            let first = |n: usize| shown.chars().take(n).collect::<String>();
            let last = |n: usize| shown.chars().skip(length - n).collect::<String>();
            shown = match cut {
                Cut::End => first(kept) + "..",
                Cut::Start => "..".to_owned() + &last(kept),
                Cut::Middle => first(kept / 2) + ".." + &last(kept - kept / 2),
            };
        }
        match self.side {
            Side::Left => format!("{shown:<width$}"),
            Side::Right => format!("{shown:>width$}"),
            Side::Both => format!("{shown:^width$}"),
        }
        .into_bytes()
    }
}

/// `%w(width,first,rest)`: wraps the text up to the next one.
pub(super) struct Wrap {
    /// Place in the output at which the text begins.
    start: usize,
    width: usize,
    first: usize,
    rest: usize,
}

impl Wrap {
    pub(super) fn parse(text: &str, start: usize) -> Option<(Wrap, &str)> {
        let inside = text.strip_prefix("w(")?;
        let end = inside.find(')')?;
        let mut numbers = inside[..end].split(',').map(|word| match word.trim() {
            "" => Some(0),
            word => word.parse::<usize>().ok().map(|n| n.min(MAX_WIDTH)),
        });
        let mut next = || numbers.next().unwrap_or(Some(0));
        Some((Wrap { start, width: next()?, first: next()?, rest: next()? }, &inside[end + 1..]))
    }

    /// Wraps the text at the end of the output.
    pub(super) fn apply(&self, out: &mut Vec<u8>) {
        if (self.width, self.first, self.rest) == (0, 0, 0) {
            return;
        }
        let plain = text(&out.split_off(self.start));
        let mut indent = self.first;
        let mut lines: Vec<String> = Vec::new();
        for paragraph in plain.split('\n') {
            if self.width == 0 {
                lines.push(match paragraph {
                    "" => String::new(),
                    text => " ".repeat(indent) + text,
                });
                indent = self.rest;
                continue;
            }
            let mut line = String::new();
            let mut length = indent;
            for word in paragraph.split(' ').filter(|word| !word.is_empty()) {
                let size = word.chars().count();
                let space = usize::from(!line.is_empty());
                if !line.is_empty() && length + space + size > self.width {
                    lines.push(std::mem::take(&mut line));
                    indent = self.rest;
                    length = indent;
                }
                if line.is_empty() {
                    line = " ".repeat(indent);
                } else {
                    line.push(' ');
                    length += 1;
                }
                line += word;
                length += size;
            }
            lines.push(line);
            indent = self.rest;
        }
        out.extend(lines.join("\n").bytes());
    }
}
