//! Searches files and prints the results.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::ops::Range;

use crate::bytes::OsStrExt as _;
use crate::output::{self, Input, Output, reason};

use super::matcher::Matcher;
use super::{Binary, Directories, Report, Settings, walk};

/// Bytes read at once.
const BLOCK: usize = 64 * 1024;
/// Longest line; a longer line is reported as an error and ends the search of the file.
const MAX_LINE: usize = 48 << 20;

pub(super) struct Searcher<'a> {
    pub(super) settings: &'a Settings,
    matcher: &'a Matcher,
    pub(super) out: Output,
    found: bool,
    pub(super) trouble: bool,
    names: bool,
    printed_any: bool,
}

/// The state of the search in one file.
struct State<'n> {
    name: &'n [u8],
    selected: u64,
    line: u64,
    offset: u64,
    /// Lines kept as possible context of the next match.
    before: VecDeque<(u64, u64, Vec<u8>)>,
    /// Number of lines still to be printed as context of the last match.
    after: usize,
    /// Number of the last line printed.
    last: Option<u64>,
    binary: bool,
}

/// The decision to continue with a file or not.
#[derive(PartialEq, Eq)]
enum Step {
    On,
    Done,
}

impl<'a> Searcher<'a> {
    pub(super) fn new(settings: &'a Settings, matcher: &'a Matcher) -> Self {
        Searcher {
            settings,
            matcher,
            out: output::stdout(),
            found: false,
            trouble: false,
            names: false,
            printed_any: false,
        }
    }

    /// Searches all files and returns the exit code.
    pub(super) fn run(&mut self, files: Vec<OsString>) -> i32 {
        let recursive = matches!(self.settings.directories, Directories::Recurse { .. });
        self.names = self.settings.names.unwrap_or(
            files.len() > 1
                || (recursive
                    && files.first().is_none_or(|file| std::path::Path::new(file).is_dir())),
        );
        if files.is_empty() && recursive {
            walk::directory(self, b".", b"");
        } else if files.is_empty() {
            self.standard_input();
        }
        for file in &files {
            if self.finished() {
                break;
            }
            match file.as_bytes() {
                b"-" => self.standard_input(),
                name => walk::operand(self, name),
            }
        }
        if self.trouble && !(self.settings.report == Report::Quiet && self.found) {
            2
        } else {
            i32::from(!self.found)
        }
    }

    /// Returns true if the exit code is already determined.
    pub(super) fn finished(&self) -> bool {
        self.settings.report == Report::Quiet && self.found
    }

    fn standard_input(&mut self) {
        let label = self.settings.label.clone();
        self.search(&mut Input, &label);
    }

    pub(super) fn complain(&mut self, name: &[u8], error: &io::Error) {
        self.trouble = true;
        if !self.settings.silent {
            let _ = self.out.flush();
            eprintln!("grep: {}: {}", String::from_utf8_lossy(name), reason(error));
        }
    }

    /// Prints a warning, which leaves the exit code as it is.
    pub(super) fn warn(&mut self, name: &[u8], message: &str) {
        let _ = self.out.flush();
        eprintln!("grep: {}: {message}", String::from_utf8_lossy(name));
    }

    /// Searches a file that is not a directory.
    pub(super) fn file(&mut self, path: &[u8], shown: &[u8]) {
        match File::open(std::ffi::OsStr::from_bytes(path)) {
            Ok(mut file) => self.search(&mut file, shown),
            Err(error) => self.complain(shown, &error),
        }
    }

    fn search(&mut self, source: &mut dyn Read, name: &[u8]) {
        let mut state = State {
            name,
            selected: 0,
            line: 0,
            offset: 0,
            before: VecDeque::new(),
            after: 0,
            last: None,
            binary: false,
        };
        if let Err(error) = self.blocks(source, &mut state) {
            self.complain(name, &error);
        }
        self.found |= state.selected > 0;
        let listed = match self.settings.report {
            Report::FilesWith => state.selected > 0,
            Report::FilesWithout => state.selected == 0,
            Report::Count => {
                if self.names {
                    self.name(name, b':');
                }
                let _ = writeln!(self.out, "{}", state.selected);
                false
            }
            Report::Lines | Report::Quiet => false,
        };
        if listed {
            let _ = self.out.write_all(name);
            let end = if self.settings.null_names { b"\0" } else { b"\n" };
            let _ = self.out.write_all(end);
        }
    }

    fn blocks(&mut self, source: &mut dyn Read, state: &mut State<'_>) -> io::Result<()> {
        let end = self.settings.line_end;
        if self.settings.most == Some(0) {
            return Ok(());
        }
        let mut buf: Vec<u8> = Vec::new();
        let mut filled = 0;
        loop {
            if buf.len() < filled + BLOCK {
                buf.resize((filled + BLOCK).max(filled * 2), 0);
            }
            let count = source.read(&mut buf[filled..])?;
            let fresh = filled..filled + count;
            filled += count;
            if !state.binary
                && end == b'\n'
                && self.settings.binary != Binary::Text
                && memchr::memchr(0, &buf[fresh.clone()]).is_some()
            {
                state.binary = true;
                if self.settings.binary == Binary::Skip {
                    state.selected = 0;
                    return Ok(());
                }
            }
            let whole = if count == 0 {
                filled
            } else {
                match memchr::memrchr(end, &buf[fresh.clone()]) {
                    Some(at) => fresh.start + at + 1,
                    None if filled > MAX_LINE => {
                        return Err(io::Error::from_raw_os_error(libc::ENOMEM));
                    }
                    None => continue,
                }
            };
            if self.lines(&buf[..whole], state)? == Step::Done || count == 0 {
                return Ok(());
            }
            state.offset += whole as u64;
            buf.copy_within(whole..filled, 0);
            filled -= whole;
        }
    }

    /// Searches a block of whole lines.
    fn lines(&mut self, block: &[u8], state: &mut State<'_>) -> io::Result<Step> {
        let by_block = self.matcher.takes_blocks() && self.settings.line_end == b'\n';
        let mut at = 0;
        while at < block.len() {
            let hit = if by_block { self.hit(block, at) } else { self.hit_by_line(block, at) };
            let (gap, line) = match hit {
                Some(line) => (at..line.start, Some(line)),
                None => (at..block.len(), None),
            };
            at = line.as_ref().map_or(block.len(), |line| line.end);
            if self.run_of_lines(block, gap, self.settings.invert, state)? == Step::Done {
                return Ok(Step::Done);
            }
            if let Some(line) = line
                && self.run_of_lines(block, line, !self.settings.invert, state)? == Step::Done
            {
                return Ok(Step::Done);
            }
        }
        Ok(Step::On)
    }

    /// Returns the next line with a match, including its line end.
    fn hit(&self, block: &[u8], at: usize) -> Option<Range<usize>> {
        // The newline at the end of the block does not start another line.
        let text = block.strip_suffix(b"\n").unwrap_or(block);
        let found = self.matcher.find_at(text, at)?;
        let start = memchr::memrchr(b'\n', &block[at..found.start]).map_or(at, |i| at + i + 1);
        let end =
            memchr::memchr(b'\n', &block[found.end..]).map_or(block.len(), |i| found.end + i + 1);
        Some(start..end)
    }

    fn hit_by_line(&self, block: &[u8], at: usize) -> Option<Range<usize>> {
        let mark = self.settings.line_end;
        let mut start = at;
        while start < block.len() {
            let end = memchr::memchr(mark, &block[start..]).map_or(block.len(), |i| start + i + 1);
            if self.matcher.find_at(bare(&block[start..end], mark), 0).is_some() {
                return Some(start..end);
            }
            start = end;
        }
        None
    }

    /// Handles a run of lines that are either all selected or all not.
    fn run_of_lines(
        &mut self,
        block: &[u8],
        run: Range<usize>,
        selected: bool,
        state: &mut State<'_>,
    ) -> io::Result<Step> {
        let settings = self.settings;
        let mark = settings.line_end;
        let needs_lines = selected || state.after > 0 || settings.before > 0;
        if run.is_empty() {
            return Ok(Step::On);
        }
        if !needs_lines {
            if settings.line_numbers {
                state.line += memchr::memchr_iter(mark, &block[run]).count() as u64;
            }
            return Ok(Step::On);
        }
        if selected && self.prints_plain_lines() && self.whole_run(&block[run.clone()], state)? {
            return Ok(Step::On);
        }
        let mut start = run.start;
        while start < run.end {
            let end =
                memchr::memchr(mark, &block[start..run.end]).map_or(run.end, |i| start + i + 1);
            state.line += 1;
            let offset = state.offset + start as u64;
            let line = bare(&block[start..end], mark);
            if selected {
                if self.select(line, offset, state)? == Step::Done {
                    return Ok(Step::Done);
                }
            } else if state.after > 0 {
                state.after -= 1;
                self.line(line, state.line, offset, b'-', state)?;
            } else if settings.before > 0 {
                if state.before.len() == settings.before {
                    state.before.pop_front();
                }
                state.before.push_back((state.line, offset, line.to_vec()));
            }
            if settings.most == Some(state.selected) && state.after == 0 {
                return Ok(Step::Done);
            }
            start = end;
        }
        Ok(Step::On)
    }

    /// Returns true if selected lines are printed as they are, whatever is around them.
    fn prints_plain_lines(&self) -> bool {
        let settings = self.settings;
        let has_prefix = self.names || settings.line_numbers || settings.offsets;
        let has_context = settings.before > 0 || settings.after > 0;
        settings.report == Report::Lines
            && !(has_prefix || has_context || settings.only_matching || settings.line_buffered)
            && (!settings.color || settings.invert)
            && settings.most.is_none()
    }

    /// Prints a run of selected lines at once. Returns false, and prints nothing, if one of them is
    /// not text.
    fn whole_run(&mut self, run: &[u8], state: &mut State<'_>) -> io::Result<bool> {
        let is_text = self.settings.binary == Binary::Text
            || (!state.binary && std::str::from_utf8(run).is_ok());
        if !is_text {
            return Ok(false);
        }
        let mark = self.settings.line_end;
        let is_cut = !run.ends_with(&[mark]);
        let lines = memchr::memchr_iter(mark, run).count() as u64 + u64::from(is_cut);
        state.line += lines;
        state.selected += lines;
        state.last = Some(state.line);
        self.printed_any = true;
        self.out.write_all(run)?;
        if is_cut {
            self.out.write_all(&[mark])?;
        }
        Ok(true)
    }

    fn select(&mut self, line: &[u8], offset: u64, state: &mut State<'_>) -> io::Result<Step> {
        if self.settings.most == Some(state.selected) {
            // After the last selected line only context is printed, and this line would be
            // selected.
            return Ok(Step::Done);
        }
        state.selected += 1;
        match self.settings.report {
            Report::Count => return Ok(Step::On),
            Report::FilesWith | Report::FilesWithout | Report::Quiet => return Ok(Step::Done),
            Report::Lines => {}
        }
        let text = self.settings.binary == Binary::Text || std::str::from_utf8(line).is_ok();
        if state.binary || !text {
            let _ = self.out.flush();
            let name = String::from_utf8_lossy(state.name).into_owned();
            eprintln!("grep: {name}: binary file matches");
            return Ok(Step::Done);
        }
        let number = state.line;
        let first_context = state.before.front().map_or(number, |(line, ..)| *line);
        let gap = match state.last {
            Some(last) => last + 1 < first_context,
            None => self.printed_any,
        };
        let has_context = self.settings.before > 0 || self.settings.after > 0;
        if gap
            && has_context
            && let Some(separator) = &self.settings.separator
        {
            self.out.write_all(separator)?;
            self.out.write_all(b"\n")?;
        }
        while let Some((line, offset, text)) = state.before.pop_front() {
            self.line(&text, line, offset, b'-', state)?;
        }
        self.line(line, number, offset, b':', state)?;
        state.after = self.settings.after;
        if self.settings.line_buffered {
            self.out.flush()?;
        }
        Ok(Step::On)
    }

    /// Prints a line, marked as selected (`:`) or as context (`-`).
    fn line(
        &mut self,
        line: &[u8],
        number: u64,
        offset: u64,
        mark: u8,
        state: &mut State<'_>,
    ) -> io::Result<()> {
        self.printed_any = true;
        state.last = Some(number);
        let end = [self.settings.line_end];
        if !self.settings.only_matching {
            self.prefix(state.name, number, offset, mark)?;
            if self.settings.color && mark == b':' && !self.settings.invert {
                self.colored(line)?;
            } else {
                self.out.write_all(line)?;
            }
            return self.out.write_all(&end);
        }
        if mark == b'-' || self.settings.invert {
            return Ok(());
        }
        let mut at = 0;
        while let Some(found) = self.matcher.find_at(line, at) {
            at = if found.is_empty() { found.end + 1 } else { found.end };
            if !found.is_empty() {
                self.prefix(state.name, number, offset + found.start as u64, mark)?;
                self.colored_part(&line[found])?;
                self.out.write_all(&end)?;
            }
            if at > line.len() {
                break;
            }
        }
        Ok(())
    }

    fn colored_part(&mut self, part: &[u8]) -> io::Result<()> {
        if !self.settings.color {
            return self.out.write_all(part);
        }
        self.out.write_all(b"\x1b[01;31m\x1b[K")?;
        self.out.write_all(part)?;
        self.out.write_all(b"\x1b[m\x1b[K")
    }

    fn colored(&mut self, line: &[u8]) -> io::Result<()> {
        let (mut at, mut copied) = (0, 0);
        while let Some(found) = self.matcher.find_at(line, at) {
            at = if found.is_empty() { found.end + 1 } else { found.end };
            if !found.is_empty() {
                self.out.write_all(&line[copied..found.start])?;
                self.colored_part(&line[found.clone()])?;
                copied = found.end;
            }
            if at > line.len() {
                break;
            }
        }
        self.out.write_all(&line[copied..])
    }

    fn painted(&mut self, color: &str, text: &[u8]) -> io::Result<()> {
        if !self.settings.color {
            return self.out.write_all(text);
        }
        write!(self.out, "\x1b[{color}m\x1b[K")?;
        self.out.write_all(text)?;
        self.out.write_all(b"\x1b[m\x1b[K")
    }

    fn prefix(&mut self, name: &[u8], number: u64, offset: u64, mark: u8) -> io::Result<()> {
        if self.names {
            self.name(name, mark);
        }
        if self.settings.line_numbers {
            let width = if self.settings.initial_tab { 4 } else { 0 };
            let text = format!("{number:width$}");
            self.painted("32", text.as_bytes())?;
            self.painted("36", &[mark])?;
        }
        if self.settings.offsets {
            self.painted("32", offset.to_string().as_bytes())?;
            self.painted("36", &[mark])?;
        }
        if self.settings.initial_tab
            && (self.names || self.settings.line_numbers || self.settings.offsets)
        {
            self.out.write_all(b"\t")?;
        }
        Ok(())
    }

    fn name(&mut self, name: &[u8], mark: u8) {
        let _ = self.painted("35", name);
        let _ = if self.settings.null_names {
            self.out.write_all(b"\0")
        } else {
            self.painted("36", &[mark])
        };
    }
}

fn bare(line: &[u8], mark: u8) -> &[u8] {
    line.strip_suffix(&[mark]).unwrap_or(line)
}
