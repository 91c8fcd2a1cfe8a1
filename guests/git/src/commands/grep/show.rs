//! Output of `git grep`.

use super::pattern::Patterns;
use crate::Output;
use crate::bytes;

/// Thing that is printed of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    Lines,
    /// Only the parts of lines that fit.
    Parts,
    Names,
    NamesWithout,
    Counts,
    Nothing,
}

/// Options of the output.
pub(super) struct Form {
    pub(super) shown: Shown,
    pub(super) has_name: bool,
    pub(super) has_number: bool,
    pub(super) has_column: bool,
    pub(super) is_inverted: bool,
    pub(super) is_text: bool,
    pub(super) skips_binary: bool,
    pub(super) is_nul: bool,
    pub(super) is_coloured: bool,
    pub(super) has_heading: bool,
    pub(super) has_break: bool,
    pub(super) has_function: bool,
    pub(super) has_whole_functions: bool,
    pub(super) before: usize,
    pub(super) after: usize,
    pub(super) most: Option<usize>,
}

impl Default for Form {
    fn default() -> Form {
        Form {
            shown: Shown::Lines,
            has_name: true,
            has_number: false,
            has_column: false,
            is_inverted: false,
            is_text: false,
            skips_binary: false,
            is_nul: false,
            is_coloured: false,
            has_heading: false,
            has_break: false,
            has_function: false,
            has_whole_functions: false,
            before: 0,
            after: 0,
            most: None,
        }
    }
}

/// Prints what is found in one file after another.
pub(super) struct Printer<'a> {
    form: &'a Form,
    patterns: &'a Patterns,
    pub(super) is_found: bool,
    has_printed: bool,
}

impl<'a> Printer<'a> {
    /// Creates a printer.
    pub(super) fn new(form: &'a Form, patterns: &'a Patterns) -> Printer<'a> {
        Printer { form, patterns, is_found: false, has_printed: false }
    }

    /// Searches a file.
    pub(super) fn file(&mut self, name: &[u8], data: &[u8], is_binary: bool, out: &mut Output) {
        let form = self.form;
        let is_binary = is_binary && !form.is_text;
        if is_binary && form.skips_binary {
            return;
        }
        let lines: Vec<&[u8]> =
            bytes::lines(data).map(|line| line.strip_suffix(b"\n").unwrap_or(line)).collect();
        let is_hit = |line: &&[u8]| self.patterns.matches(line) != form.is_inverted;
        let mut hits: Vec<usize> = match self.patterns.fits_file(data) {
            true => (0..lines.len()).filter(|n| is_hit(&lines[*n])).collect(),
            false => Vec::new(),
        };
        hits.truncate(form.most.unwrap_or(usize::MAX));
        let end: &[u8] = if form.is_nul { b"\0" } else { b"\n" };
        let shown = self.painted(b"\x1b[35m", name);
        match form.shown {
            Shown::NamesWithout => {
                if hits.is_empty() {
                    self.is_found = true;
                    out.text([&shown, end].concat());
                }
            }
            _ if hits.is_empty() => {}
            Shown::Nothing => self.is_found = true,
            Shown::Names => {
                self.is_found = true;
                out.text([&shown, end].concat());
            }
            Shown::Counts => {
                self.is_found = true;
                let head = match form.has_name {
                    true if form.is_nul => [name, b"\0"].concat(),
                    true => [shown, self.separator(b':')].concat(),
                    false => Vec::new(),
                };
                out.line([head, hits.len().to_string().into_bytes()].concat());
            }
            Shown::Lines | Shown::Parts if is_binary => {
                self.is_found = true;
                out.line([b"Binary file ".as_slice(), name, b" matches"].concat());
            }
            Shown::Lines | Shown::Parts => {
                self.is_found = true;
                self.lines(&shown, &lines, &hits, out);
            }
        }
    }

    fn painted(&self, colour: &[u8], text: &[u8]) -> Vec<u8> {
        match self.form.is_coloured {
            true => [colour, text, b"\x1b[m"].concat(),
            false => text.to_vec(),
        }
    }

    fn separator(&self, mark: u8) -> Vec<u8> {
        self.painted(b"\x1b[36m", &[mark])
    }

    fn lines(&mut self, name: &[u8], lines: &[&[u8]], hits: &[usize], out: &mut Output) {
        let form = self.form;
        if form.has_break && self.has_printed {
            out.line("");
        }
        let has_context = form.before + form.after > 0 || form.has_whole_functions;
        let is_broken = has_context && self.has_printed && !form.has_break;
        self.has_printed = true;
        if form.has_heading && form.has_name {
            out.line(name);
        }
        // Marks of lines: `:` fits, `-` is context, `=` is the start of a function.
        let mut marks: Vec<u8> = vec![0; lines.len()];
        for &hit in hits {
            let (mut from, mut to) =
                (hit.saturating_sub(form.before), hit.saturating_add(form.after));
            if form.has_whole_functions {
                let start = (0..=hit).rev().find(|n| is_heading(lines[*n]));
                from = from.min(start.unwrap_or(0));
                if let Some(start) = start {
                    marks[start] = b'=';
                }
                let next = (hit + 1..lines.len()).find(|n| is_heading(lines[*n]));
                let mut last = next.unwrap_or(lines.len()) - 1;
                while last > hit && next.is_some() && lines[last].trim_ascii().is_empty() {
                    last -= 1;
                }
                to = to.max(last);
            }
            for mark in &mut marks[from..=to.min(lines.len() - 1)] {
                if *mark == 0 {
                    *mark = b'-';
                }
            }
            if form.has_function
                && let Some(start) = (0..hit).rev().find(|n| is_heading(lines[*n]))
                && marks[start] == 0
            {
                marks[start] = b'=';
            }
        }
        for &hit in hits {
            marks[hit] = b':';
        }
        let mut last = None;
        for (n, mark) in marks.iter().enumerate().filter(|(_, mark)| **mark != 0) {
            let is_gap = match last {
                Some(last) => last + 1 < n,
                None => is_broken,
            };
            if has_context && is_gap {
                out.line(self.separator_line());
            }
            last = Some(n);
            self.line(name, n, lines[n], *mark, out);
        }
    }

    fn separator_line(&self) -> Vec<u8> {
        self.painted(b"\x1b[36m", b"--")
    }

    fn line(&self, name: &[u8], n: usize, line: &[u8], mark: u8, out: &mut Output) {
        let form = self.form;
        let separator = self.separator(mark);
        let mut head = Vec::new();
        if form.has_name && !form.has_heading {
            head.extend(name);
            match form.is_nul {
                true => head.push(0),
                false => head.extend(&separator),
            }
        }
        if form.has_number {
            head.extend(self.painted(b"\x1b[32m", (n + 1).to_string().as_bytes()));
            head.extend(&separator);
        }
        let found = match mark == b':' && !form.is_inverted {
            true => self.patterns.found(line),
            false => Vec::new(),
        };
        let column = |at: usize| match form.has_column && mark == b':' {
            true => [self.painted(b"\x1b[32m", (at + 1).to_string().as_bytes()), separator.clone()]
                .concat(),
            false => Vec::new(),
        };
        if form.shown == Shown::Parts {
            for (at, part) in found {
                out.line([head.clone(), column(at), self.painted(b"\x1b[1;31m", part)].concat());
            }
            return;
        }
        let first = found.first().map_or(0, |(at, _)| *at);
        let mut text = [head, column(first)].concat();
        let mut end = 0;
        for (at, part) in found.iter().filter(|_| form.is_coloured) {
            text.extend(&line[end..*at]);
            text.extend(self.painted(b"\x1b[1;31m", part));
            end = at + part.len();
        }
        text.extend(&line[end..]);
        out.line(text);
    }
}

/// Returns true for a line that begins a function, as in the heading of a hunk.
fn is_heading(line: &[u8]) -> bool {
    line.first().is_some_and(|b| b.is_ascii_alphabetic() || matches!(b, b'_' | b'$'))
}
