//! Writes two texts side by side.

use std::io::{self, Write};

use super::report::Report;
use crate::output::Output;

/// Fewest columns between the two texts.
const GUTTER: usize = 3;

/// Writes all lines of both texts in two columns, with a sign between lines that differ.
pub(super) fn write(report: &Report<'_>, out: &mut Output) -> io::Result<()> {
    let columns = Columns::new(report);
    let mut at = 0;
    for change in report.changes {
        columns.common(report, out, at..change.old.start, change.new.start)?;
        let trivial = report.settings.trivial.covers(change, report.old, report.new);
        let both = change.old.len().min(change.new.len());
        for step in 0..both {
            let sign = if trivial { ' ' } else { '|' };
            let lines = (Some(change.old.start + step), Some(change.new.start + step));
            columns.line(report, out, lines, sign)?;
        }
        for line in change.old.clone().skip(both) {
            columns.line(report, out, (Some(line), None), if trivial { '(' } else { '<' })?;
        }
        for line in change.new.clone().skip(both) {
            columns.line(report, out, (None, Some(line)), if trivial { ')' } else { '>' })?;
        }
        at = change.old.end;
    }
    let end = report.new.len();
    columns.common(report, out, at..report.old.len(), end)
}

/// The places of the columns.
struct Columns {
    /// Width of a text.
    half: usize,
    /// First column of the second text.
    second: usize,
    tab: usize,
    expand: bool,
}

impl Columns {
    fn new(report: &Report<'_>) -> Self {
        let settings = report.settings;
        let (width, expand) = (settings.width, settings.expand_tabs);
        let tab = if expand { 1 } else { settings.tab_size };
        let offset = (width + tab + GUTTER) / (2 * tab) * tab;
        let half = offset.saturating_sub(GUTTER).min(width.saturating_sub(offset));
        let second = if half > 0 { offset } else { width };
        Columns { half, second, tab: settings.tab_size, expand }
    }

    /// Writes lines that both texts have, of which the last is before `new_end` in the second.
    fn common(
        &self,
        report: &Report<'_>,
        out: &mut Output,
        old: std::ops::Range<usize>,
        new_end: usize,
    ) -> io::Result<()> {
        if report.settings.suppress_common {
            return Ok(());
        }
        let first = new_end.saturating_sub(old.len());
        for (step, line) in old.enumerate() {
            if report.settings.left_column {
                self.line(report, out, (Some(line), None), '(')?;
            } else {
                self.line(report, out, (Some(line), Some(first + step)), ' ')?;
            }
        }
        Ok(())
    }

    fn line(
        &self,
        report: &Report<'_>,
        out: &mut Output,
        (left, right): (Option<usize>, Option<usize>),
        mut sign: char,
    ) -> io::Result<()> {
        let mut at = 0;
        let mut newline = false;
        if let Some(line) = left {
            newline |= report.old.ends(line);
            at = self.half_line(out, report.old.line(line), 0)?;
        }
        if sign != ' ' {
            if sign == '|'
                && let (Some(left), Some(right)) = (left, right)
            {
                sign = match (report.old.ends(left), report.new.ends(right)) {
                    (true, false) => '/',
                    (false, true) => '\\',
                    _ => '|',
                };
            }
            at = self.pad(out, at, (self.half + self.second - 1) / 2)? + 1;
            write!(out, "{sign}")?;
        }
        if let Some(line) = right {
            newline |= report.new.ends(line);
            if !report.new.line(line).is_empty() {
                let at = self.pad(out, at, self.second)?;
                self.half_line(out, report.new.line(line), at)?;
            }
        }
        if newline {
            out.write_all(b"\n")?;
        }
        Ok(())
    }

    /// Moves to a column, and returns it.
    fn pad(&self, out: &mut Output, from: usize, to: usize) -> io::Result<usize> {
        let mut at = from;
        if !self.expand {
            let mut stop = at + self.tab - at % self.tab;
            while stop <= to {
                out.write_all(b"\t")?;
                at = stop;
                stop += self.tab;
            }
        }
        while at < to {
            out.write_all(b" ")?;
            at += 1;
        }
        Ok(at)
    }

    /// Writes as much of a line as fits, and returns the column after it.
    fn half_line(&self, out: &mut Output, line: &[u8], indent: usize) -> io::Result<usize> {
        let (mut column, mut written) = (0, 0);
        let text = String::from_utf8_lossy(line);
        for c in text.chars() {
            match c {
                '\t' => {
                    let stop = column + self.tab - column % self.tab;
                    if written == column && stop <= self.half {
                        if self.expand {
                            write!(out, "{:1$}", "", stop - column)?;
                        } else {
                            out.write_all(b"\t")?;
                        }
                        written = stop;
                    }
                    column = stop;
                }
                c => {
                    let width = crate::width::of(c.encode_utf8(&mut [0; 4]).as_bytes());
                    column += width;
                    if column <= self.half {
                        written = column;
                        write!(out, "{c}")?;
                    }
                }
            }
        }
        Ok(indent + written)
    }
}

/// Returns a line with blanks in place of tabs.
pub(super) fn expanded(line: &[u8], tab: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(line.len());
    for byte in line.iter().copied() {
        if byte == b'\t' {
            let width = tab - out.len() % tab;
            out.resize(out.len() + width, b' ');
        } else {
            out.push(byte);
        }
    }
    out
}
