//! Writes changes in the forms that `patch`, `ed` and people read.

use std::io::{self, Write};

use super::hunk::{Hunk, Trivial, hunks};
use super::script::Change;
use super::settings::{Form, Settings};
use super::text::Text;
use super::{groups, side};
use crate::output::Output;

/// Longest part of a function's line in the head of a hunk, in bytes.
const MAX_FUNCTION: usize = 40;

/// Two texts and their changes.
pub(super) struct Report<'a> {
    pub(super) old: &'a Text,
    pub(super) new: &'a Text,
    pub(super) changes: &'a [Change],
    /// Names and times of the files, for the heads.
    pub(super) heads: [String; 2],
    pub(super) settings: &'a Settings,
}

/// The colours of a report.
#[derive(Clone, Copy)]
enum Colour {
    Head,
    Place,
    Old,
    New,
}

impl Report<'_> {
    /// Writes the report. Returns false if nothing was to be written.
    pub(super) fn write(&self, out: &mut Output) -> io::Result<bool> {
        let context = match self.settings.form {
            Form::Unified(context) | Form::Context(context) => context,
            Form::Normal | Form::Ed | Form::ForwardEd | Form::Rcs | Form::Side | Form::Groups => 0,
        };
        let texts = (self.old, self.new);
        if matches!(self.settings.form, Form::Side | Form::Groups) {
            let differs = !hunks(self.changes, texts, &self.settings.trivial, 0).is_empty();
            match self.settings.form {
                Form::Side => side::write(self, out)?,
                _ => groups::write(self, out)?,
            }
            return Ok(differs);
        }
        let mut list = hunks(self.changes, texts, &self.settings.trivial, context);
        if list.is_empty() {
            return Ok(false);
        }
        if self.settings.form == Form::Ed {
            list.reverse();
        }
        if let Form::Unified(_) | Form::Context(_) = self.settings.form {
            let signs = match self.settings.form {
                Form::Unified(_) => ["---", "+++"],
                _ => ["***", "---"],
            };
            for (sign, head) in signs.iter().zip(&self.heads) {
                self.coloured(out, Colour::Head, format!("{sign} {head}").as_bytes())?;
                out.write_all(b"\n")?;
            }
        }
        // The line of a function that the last hunk showed; the search goes back to it.
        let mut function = (0, None);
        for hunk in &list {
            match self.settings.form {
                Form::Unified(_) => self.unified(out, hunk, &mut function)?,
                Form::Context(_) => self.context(out, hunk, &mut function)?,
                Form::Normal => self.normal(out, &hunk.changes[0])?,
                Form::Ed | Form::ForwardEd | Form::Rcs => self.editor(out, &hunk.changes[0])?,
                Form::Side | Form::Groups => {}
            }
        }
        Ok(true)
    }

    fn coloured(&self, out: &mut Output, colour: Colour, text: &[u8]) -> io::Result<()> {
        if !self.settings.colour {
            return out.write_all(text);
        }
        let code: &[u8] = match colour {
            Colour::Head => b"\x1b[1m",
            Colour::Place => b"\x1b[36m",
            Colour::Old => b"\x1b[31m",
            Colour::New => b"\x1b[32m",
        };
        out.write_all(code)?;
        out.write_all(text)?;
        out.write_all(b"\x1b[0m")
    }

    /// Writes a line after a sign, and a note if the line has no end.
    fn line(
        &self,
        out: &mut Output,
        colour: Option<Colour>,
        sign: &str,
        text: &Text,
        at: usize,
    ) -> io::Result<()> {
        let mut line = sign.as_bytes().to_vec();
        if self.settings.initial_tab && !sign.is_empty() {
            if line.ends_with(b" ") && line.len() > 1 {
                line.pop();
            }
            line.push(b'\t');
        }
        let body = text.line(at);
        if body.is_empty() && self.settings.suppress_blank_empty && sign.trim().is_empty() {
            line.clear();
        }
        match self.settings.expand_tabs {
            true => line.extend(side::expanded(body, self.settings.tab_size)),
            false => line.extend_from_slice(body),
        }
        match colour {
            Some(colour) => self.coloured(out, colour, &line)?,
            None => out.write_all(&line)?,
        }
        out.write_all(b"\n")?;
        if !text.ends(at) {
            out.write_all(b"\\ No newline at end of file\n")?;
        }
        Ok(())
    }

    fn normal(&self, out: &mut Output, change: &Change) -> io::Result<()> {
        let Change { old, new } = change;
        let letter = letter(change);
        let place = format!("{}{letter}{}", numbers(old), numbers(new));
        self.coloured(out, Colour::Place, place.as_bytes())?;
        out.write_all(b"\n")?;
        for at in old.clone() {
            self.line(out, Some(Colour::Old), "< ", self.old, at)?;
        }
        if letter == 'c' {
            out.write_all(b"---\n")?;
        }
        for at in new.clone() {
            self.line(out, Some(Colour::New), "> ", self.new, at)?;
        }
        Ok(())
    }

    fn unified(
        &self,
        out: &mut Output,
        hunk: &Hunk<'_>,
        function: &mut (usize, Option<Vec<u8>>),
    ) -> io::Result<()> {
        let place = format!("@@ -{} +{} @@", span(&hunk.old), span(&hunk.new));
        self.coloured(out, Colour::Place, place.as_bytes())?;
        if let Some(line) = self.function(hunk, function) {
            out.write_all(b" ")?;
            out.write_all(&line)?;
        }
        out.write_all(b"\n")?;
        let mut at = hunk.old.start;
        for change in hunk.changes {
            for at in at..change.old.start {
                self.line(out, None, " ", self.old, at)?;
            }
            for at in change.old.clone() {
                self.line(out, Some(Colour::Old), "-", self.old, at)?;
            }
            for at in change.new.clone() {
                self.line(out, Some(Colour::New), "+", self.new, at)?;
            }
            at = change.old.end;
        }
        for at in at..hunk.old.end {
            self.line(out, None, " ", self.old, at)?;
        }
        Ok(())
    }

    fn context(
        &self,
        out: &mut Output,
        hunk: &Hunk<'_>,
        function: &mut (usize, Option<Vec<u8>>),
    ) -> io::Result<()> {
        out.write_all(b"***************")?;
        if let Some(line) = self.function(hunk, function) {
            out.write_all(b" ")?;
            out.write_all(&line)?;
        }
        out.write_all(b"\n")?;
        let place = |range: &std::ops::Range<usize>| match range.len() {
            0 => range.start.to_string(),
            1 => (range.start + 1).to_string(),
            _ => format!("{},{}", range.start + 1, range.end),
        };
        let old = format!("*** {} ****", place(&hunk.old));
        self.coloured(out, Colour::Place, old.as_bytes())?;
        out.write_all(b"\n")?;
        if hunk.changes.iter().any(|change| !change.old.is_empty()) {
            for at in hunk.old.clone() {
                let change = hunk.changes.iter().find(|change| change.old.contains(&at));
                let sign = match change {
                    None => "  ",
                    Some(change) if change.new.is_empty() => "- ",
                    Some(_) => "! ",
                };
                self.line(out, Some(Colour::Old), sign, self.old, at)?;
            }
        }
        let new = format!("--- {} ----", place(&hunk.new));
        self.coloured(out, Colour::Place, new.as_bytes())?;
        out.write_all(b"\n")?;
        if hunk.changes.iter().any(|change| !change.new.is_empty()) {
            for at in hunk.new.clone() {
                let change = hunk.changes.iter().find(|change| change.new.contains(&at));
                let sign = match change {
                    None => "  ",
                    Some(change) if change.old.is_empty() => "+ ",
                    Some(_) => "! ",
                };
                self.line(out, Some(Colour::New), sign, self.new, at)?;
            }
        }
        Ok(())
    }

    /// Returns the last line before a hunk that begins a function, if such lines are wanted.
    fn function(&self, hunk: &Hunk<'_>, known: &mut (usize, Option<Vec<u8>>)) -> Option<Vec<u8>> {
        let patterns = &self.settings.functions;
        if patterns.is_empty() {
            return None;
        }
        let begins = |at: &usize| {
            let line = self.old.line(*at);
            patterns.iter().any(|pattern| pattern.is_match(line))
        };
        if let Some(at) = (known.0..hunk.old.start).rev().find(begins) {
            let line = self.old.line(at).trim_ascii_start();
            let line = line[..line.len().min(MAX_FUNCTION)].trim_ascii_end();
            known.1 = Some(line.to_vec());
        }
        known.0 = hunk.old.start;
        known.1.clone()
    }

    /// Writes a change as a command of an editor.
    fn editor(&self, out: &mut Output, change: &Change) -> io::Result<()> {
        let Change { old, new } = change;
        if self.settings.form == Form::Rcs {
            if !old.is_empty() {
                writeln!(out, "d{} {}", old.start + 1, old.len())?;
            }
            if !new.is_empty() {
                writeln!(out, "a{} {}", old.end, new.len())?;
            }
            for at in new.clone() {
                out.write_all(self.new.line(at))?;
                if self.new.ends(at) {
                    out.write_all(b"\n")?;
                }
            }
            return Ok(());
        }
        let (place, letter) = (numbers(old), letter(change));
        match self.settings.form {
            Form::ForwardEd => writeln!(out, "{letter}{}", place.replace(',', " "))?,
            _ => writeln!(out, "{place}{letter}")?,
        }
        if new.is_empty() {
            return Ok(());
        }
        let mut open = true;
        for at in new.clone() {
            if !open {
                writeln!(out, "a")?;
                open = true;
            }
            let line = self.new.line(at);
            // A lone dot would end the input of `ed`.
            if line == b"." && self.settings.form == Form::Ed {
                out.write_all(b"..\n.\ns/.//\n")?;
                open = false;
                continue;
            }
            out.write_all(line)?;
            out.write_all(b"\n")?;
        }
        if open {
            out.write_all(b".\n")?;
        }
        Ok(())
    }
}

fn letter(change: &Change) -> char {
    match (change.old.is_empty(), change.new.is_empty()) {
        (true, _) => 'a',
        (_, true) => 'd',
        (false, false) => 'c',
    }
}

/// Returns line numbers as in `2,5`; the line before an empty range.
fn numbers(range: &std::ops::Range<usize>) -> String {
    match range.len() {
        0 => range.start.to_string(),
        1 => range.end.to_string(),
        _ => format!("{},{}", range.start + 1, range.end),
    }
}

/// Returns the first line and the number of lines, as in `@@ -1,3 +1,4 @@`.
fn span(range: &std::ops::Range<usize>) -> String {
    match range.len() {
        0 => format!("{},0", range.start),
        1 => (range.start + 1).to_string(),
        len => format!("{},{len}", range.start + 1),
    }
}

/// Returns true if the changes are all ones that do not count.
pub(super) fn all_trivial(changes: &[Change], old: &Text, new: &Text, trivial: &Trivial) -> bool {
    changes.iter().all(|change| trivial.covers(change, old, new))
}
