//! Runs a script of sed over lines.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write};
use std::rc::Rc;

use cofferdam_guest_sys as sys;

use super::input::Input;
use super::script::{Action, Address, Command, End, Regex, Replace, Script};
use crate::bytes::OsStrExt as _;
use crate::child::Child;
use crate::output::reason;
use crate::pattern::Pattern;

/// Columns of `l` unless it says otherwise.
pub(crate) const WIDTH: usize = 70;

/// Settings of a run.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) is_silent: bool,
    /// Byte between lines.
    pub(crate) end: u8,
    /// Columns of `l`.
    pub(crate) width: usize,
    pub(crate) is_unbuffered: bool,
    /// `N` on the last line ends without printing, as POSIX says.
    pub(crate) is_posix: bool,
}

/// A place that lines are written to. A line without a newline, the last of a file, gets one before
/// anything follows it.
pub(crate) struct Sink {
    to: Box<dyn Write>,
    lacks_end: bool,
}

impl Sink {
    pub(crate) fn new(to: impl Write + 'static) -> Sink {
        Sink { to: Box::new(to), lacks_end: false }
    }

    fn raw(&mut self, data: &[u8], end: u8) -> io::Result<()> {
        if std::mem::take(&mut self.lacks_end) {
            self.to.write_all(&[end])?;
        }
        self.to.write_all(data)
    }

    fn line(&mut self, data: &[u8], end: u8, is_ended: bool) -> io::Result<()> {
        self.raw(data, end)?;
        self.lacks_end = !is_ended;
        if is_ended { self.to.write_all(&[end]) } else { Ok(()) }
    }

    /// Writes the text of `a`, `i` or `c`.
    fn text(&mut self, text: &[u8], end: u8) -> io::Result<()> {
        match text.split_last() {
            Some((_, text)) => self.line(text, end, true),
            None => Ok(()),
        }
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

/// State of a range of lines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Range {
    Idle,
    /// Up to this line, if it is known.
    Active(usize),
    /// Over, and it began at a line that does not come again.
    Closed,
}

impl Range {
    /// Returns the state before the first line.
    fn before(command: &Command) -> Range {
        match command.from {
            Some(Address::Zero) => Range::Active(usize::MAX),
            _ => Range::Idle,
        }
    }

    /// Returns the state after the last line of a range.
    fn after(from: &Address) -> Range {
        match from {
            Address::Zero | Address::Line(_) => Range::Closed,
            Address::Step { .. } | Address::Last | Address::Regex(_) => Range::Idle,
        }
    }
}

/// A file named by `w`.
enum Written {
    Stdout,
    Stderr,
    File(Sink),
}

/// Output that follows the current line.
enum Queued<'s> {
    Text(&'s [u8]),
    Content(Vec<u8>),
    Line(Vec<u8>),
}

/// End of a cycle.
enum Cycle {
    /// The next line is read.
    Done,
    /// The script begins again with what is left of the pattern space.
    Again,
    Quit(i32),
}

/// A script that is being run.
pub(crate) struct Machine<'s> {
    script: &'s Script,
    settings: Settings,
    pattern: Vec<u8>,
    hold: Vec<u8>,
    /// The pattern space, and the hold space, came from a line with a newline.
    is_ended: bool,
    is_hold_ended: bool,
    ranges: Vec<Range>,
    last_regex: Option<Rc<Pattern>>,
    is_replaced: bool,
    queue: Vec<Queued<'s>>,
    written: Vec<Written>,
    /// Files of `R`, with the place that was reached.
    read: HashMap<Vec<u8>, Option<BufReader<File>>>,
}

impl<'s> Machine<'s> {
    pub(crate) fn new(script: &'s Script, settings: Settings) -> io::Result<Machine<'s>> {
        let mut written = Vec::new();
        for name in &script.written {
            written.push(match name.as_slice() {
                b"/dev/stdout" => Written::Stdout,
                b"/dev/stderr" => Written::Stderr,
                name => {
                    let file = File::create(OsStr::from_bytes(name)).map_err(|e| {
                        let name = String::from_utf8_lossy(name);
                        io::Error::other(format!("couldn't open file {name}: {}", reason(&e)))
                    })?;
                    Written::File(Sink::new(io::BufWriter::new(file)))
                }
            });
        }
        Ok(Machine {
            script,
            settings: Settings { is_silent: settings.is_silent || script.is_silent, ..settings },
            pattern: Vec::new(),
            hold: Vec::new(),
            is_ended: true,
            is_hold_ended: true,
            ranges: script.commands.iter().map(Range::before).collect(),
            last_regex: None,
            is_replaced: false,
            queue: Vec::new(),
            written,
            read: HashMap::new(),
        })
    }

    /// Runs the script over all lines; returns the exit code of `q`, if there was one.
    pub(crate) fn run(&mut self, input: &mut Input) -> io::Result<Option<i32>> {
        let mut is_again = false;
        loop {
            if !is_again {
                let streams = input.streams;
                match input.next()? {
                    Some(ended) => self.is_ended = ended,
                    None => return self.flush().map(|()| None),
                }
                std::mem::swap(&mut self.pattern, &mut input.line);
                self.is_replaced = false;
                if input.streams != streams {
                    // Nothing of one file is left for the next.
                    self.hold.clear();
                    self.ranges = self.script.commands.iter().map(Range::before).collect();
                }
            }
            match self.cycle(input)? {
                Cycle::Done => is_again = false,
                Cycle::Again => is_again = true,
                Cycle::Quit(code) => {
                    self.flush()?;
                    return Ok(Some(code));
                }
            }
            if self.settings.is_unbuffered {
                input.out().flush()?;
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.written.iter_mut().try_for_each(|written| match written {
            Written::File(sink) => sink.flush(),
            Written::Stdout | Written::Stderr => Ok(()),
        })
    }

    /// Prints the pattern space.
    fn print(&mut self, input: &mut Input) -> io::Result<()> {
        input.out().line(&self.pattern, self.settings.end, self.is_ended)
    }

    /// Ends a cycle: prints, unless that is off, and writes what is queued.
    fn end_of_cycle(&mut self, input: &mut Input) -> io::Result<()> {
        if !self.settings.is_silent {
            self.print(input)?;
        }
        self.dump(input)
    }

    fn dump(&mut self, input: &mut Input) -> io::Result<()> {
        let end = self.settings.end;
        for queued in std::mem::take(&mut self.queue) {
            match queued {
                Queued::Text(text) => input.out().raw(text, end)?,
                Queued::Content(text) => input.out().raw(&text, end)?,
                Queued::Line(line) => input.out().line(&line, end, true)?,
            }
        }
        Ok(())
    }

    fn cycle(&mut self, input: &mut Input) -> io::Result<Cycle> {
        let script = self.script;
        let end = self.settings.end;
        let mut at = 0;
        while let Some(command) = script.commands.get(at) {
            let here = at;
            at += 1;
            if self.selects(here, command, input)? == command.is_negated {
                if let Action::Open(close) = command.action {
                    at = close;
                }
                continue;
            }
            match &command.action {
                Action::Open(_) | Action::Nothing => {}
                Action::Append(text) => self.queue.push(Queued::Text(text)),
                Action::Insert(text) => input.out().text(text, end)?,
                Action::Change(text) => {
                    let is_inside = matches!(self.ranges[here], Range::Active(_));
                    if command.to.is_none() || command.is_negated || !is_inside {
                        input.out().text(text, end)?;
                    }
                    self.dump(input)?;
                    return Ok(Cycle::Done);
                }
                Action::Branch(to) => at = *to,
                Action::BranchIfReplaced(to) => {
                    if std::mem::take(&mut self.is_replaced) {
                        at = *to;
                    }
                }
                Action::BranchUnlessReplaced(to) => {
                    if !std::mem::take(&mut self.is_replaced) {
                        at = *to;
                    }
                }
                Action::Delete => {
                    self.dump(input)?;
                    return Ok(Cycle::Done);
                }
                Action::DeleteFirst => {
                    self.dump(input)?;
                    let Some(line) = self.pattern.iter().position(|b| *b == end) else {
                        return Ok(Cycle::Done);
                    };
                    self.pattern.drain(..=line);
                    return Ok(Cycle::Again);
                }
                Action::Execute(command) if command.is_empty() => {
                    self.pattern = executed(&self.pattern)?;
                    if self.pattern.last() == Some(&end) {
                        self.pattern.pop();
                    }
                }
                Action::Execute(command) => {
                    let output = executed(command)?;
                    input.out().raw(&output, end)?;
                }
                Action::FileName => {
                    let name = input.name().to_vec();
                    input.out().line(&name, end, true)?;
                }
                Action::Get => {
                    self.pattern.clone_from(&self.hold);
                    self.is_ended = self.is_hold_ended;
                }
                Action::GetMore => {
                    self.is_ended = self.is_hold_ended;
                    self.pattern.push(end);
                    self.pattern.extend_from_slice(&self.hold);
                }
                Action::Hold => {
                    self.hold.clone_from(&self.pattern);
                    self.is_hold_ended = self.is_ended;
                }
                Action::HoldMore => {
                    self.is_hold_ended = self.is_ended;
                    self.hold.push(end);
                    self.hold.extend_from_slice(&self.pattern);
                }
                Action::Exchange => {
                    std::mem::swap(&mut self.pattern, &mut self.hold);
                    std::mem::swap(&mut self.is_ended, &mut self.is_hold_ended);
                }
                Action::List(width) => {
                    let text = listed(&self.pattern, width.unwrap_or(self.settings.width));
                    input.out().line(&text, end, true)?;
                }
                Action::Next => {
                    if input.is_last()? {
                        self.end_of_cycle(input)?;
                        // With several streams, the next one follows.
                        return Ok(Cycle::Done);
                    }
                    self.end_of_cycle(input)?;
                    self.is_ended = input.next()?.unwrap_or(true);
                    self.is_replaced = false;
                    std::mem::swap(&mut self.pattern, &mut input.line);
                }
                Action::NextMore => {
                    if input.is_last()? {
                        if self.settings.is_posix {
                            self.dump(input)?;
                        } else {
                            self.end_of_cycle(input)?;
                        }
                        // With several streams, the next one follows.
                        return Ok(Cycle::Done);
                    }
                    self.dump(input)?;
                    self.is_ended = input.next()?.unwrap_or(true);
                    self.is_replaced = false;
                    self.pattern.push(end);
                    self.pattern.extend_from_slice(&input.line);
                }
                Action::Number => {
                    let number = input.number.to_string();
                    input.out().line(number.as_bytes(), end, true)?;
                }
                Action::Print => self.print(input)?,
                Action::PrintFirst => {
                    let is_ended = self.is_ended || self.pattern.contains(&end);
                    let line = self.pattern.split(|b| *b == end).next().unwrap_or_default();
                    input.out().line(line, end, is_ended)?;
                }
                Action::Quit(code) => {
                    self.end_of_cycle(input)?;
                    // GNU sed ends the line here, and nowhere else.
                    input.out().raw(b"", end)?;
                    return Ok(Cycle::Quit(*code));
                }
                Action::QuitSilently(code) => return Ok(Cycle::Quit(*code)),
                Action::Read(name) => {
                    // A file that cannot be read is empty.
                    let content = match name.as_slice() {
                        b"/dev/stdin" => input.rest(),
                        name => fs::read(OsStr::from_bytes(name)).unwrap_or_default(),
                    };
                    self.queue.push(Queued::Content(content));
                }
                Action::ReadLine(name) => {
                    if let Some(line) = self.read_line(name)? {
                        self.queue.push(Queued::Line(line));
                    }
                }
                Action::Replace(replace) => self.replace(replace, input)?,
                Action::Write(file) => {
                    let line = self.pattern.clone();
                    self.write(*file, &line, input)?;
                }
                Action::WriteFirst(file) => {
                    let line = self.pattern.split(|b| *b == end).next().unwrap_or_default();
                    let line = line.to_vec();
                    self.write(*file, &line, input)?;
                }
                Action::Translate(table) => {
                    let text = String::from_utf8_lossy(&self.pattern);
                    let changed: String =
                        text.chars().map(|c| table.get(&c).copied().unwrap_or(c)).collect();
                    self.pattern = changed.into_bytes();
                }
                Action::Clear => self.pattern.clear(),
            }
        }
        self.end_of_cycle(input)?;
        Ok(Cycle::Done)
    }

    fn read_line(&mut self, name: &[u8]) -> io::Result<Option<Vec<u8>>> {
        let end = self.settings.end;
        let file = self
            .read
            .entry(name.to_vec())
            .or_insert_with(|| File::open(OsStr::from_bytes(name)).ok().map(BufReader::new));
        let Some(file) = file else { return Ok(None) };
        let mut line = Vec::new();
        if file.read_until(end, &mut line)? == 0 {
            return Ok(None);
        }
        if line.last() == Some(&end) {
            line.pop();
        }
        Ok(Some(line))
    }

    fn write(&mut self, file: usize, line: &[u8], input: &mut Input) -> io::Result<()> {
        let (end, is_ended) = (self.settings.end, self.is_ended);
        match &mut self.written[file] {
            Written::Stdout => input.stdout().line(line, end, is_ended),
            Written::Stderr => io::stderr().write_all(&[line, &[end]].concat()),
            Written::File(sink) => {
                sink.line(line, end, is_ended)?;
                // A script may read the file while it runs.
                sink.flush()
            }
        }
    }

    /// Returns true if the addresses of a command select the current line.
    fn selects(&mut self, at: usize, command: &Command, input: &mut Input) -> io::Result<bool> {
        let Some(from) = &command.from else { return Ok(true) };
        let Some(to) = &command.to else { return self.matches(from, input) };
        let line = input.number;
        if let Range::Active(last) = self.ranges[at] {
            let is_over = match to {
                End::Line(_) | End::More(_) | End::Multiple(_) => line >= last,
                End::Last => input.is_last()?,
                End::Regex(regex) => self.matches_regex(regex)?,
            };
            if is_over {
                self.ranges[at] = Range::after(from);
            }
            return Ok(!matches!(to, End::Line(_)) || line <= last);
        }
        let begins = match (from, to) {
            _ if self.ranges[at] == Range::Closed => false,
            // A line that jumps passed over still begins the range, unless that is over as well.
            (Address::Line(first), End::Line(last)) if line > *first => line <= *last,
            (Address::Line(first), _) => line >= *first,
            _ => self.matches(from, input)?,
        };
        if !begins {
            return Ok(false);
        }
        let last = match to {
            End::Line(last) => *last,
            End::More(more) => line.saturating_add(*more),
            End::Multiple(0) => line,
            End::Multiple(step) => (line / step + 1).saturating_mul(*step),
            End::Last if input.is_last()? => line,
            End::Last | End::Regex(_) => usize::MAX,
        };
        self.ranges[at] = if last > line { Range::Active(last) } else { Range::after(from) };
        Ok(true)
    }

    fn matches(&mut self, address: &Address, input: &mut Input) -> io::Result<bool> {
        let line = input.number;
        Ok(match address {
            Address::Zero => false,
            Address::Line(number) => line == *number,
            Address::Step { first, step: 0 } => line == *first,
            Address::Step { first, step } => line >= *first && (line - first).is_multiple_of(*step),
            Address::Last => input.is_last()?,
            Address::Regex(regex) => self.matches_regex(regex)?,
        })
    }

    fn matches_regex(&mut self, regex: &Regex) -> io::Result<bool> {
        let regex = self.regex(regex)?;
        Ok(regex.is_match(&self.pattern))
    }

    /// Returns a regular expression, and makes it the last one.
    fn regex(&mut self, regex: &Regex) -> io::Result<Rc<Pattern>> {
        if let Some(regex) = regex {
            self.last_regex = Some(regex.clone());
        }
        self.last_regex.clone().ok_or_else(|| io::Error::other("no previous regular expression"))
    }

    fn replace(&mut self, replace: &Replace, input: &mut Input) -> io::Result<()> {
        let regex = self.regex(&replace.regex)?;
        let line = std::mem::take(&mut self.pattern);
        let search = regex.on(&line);
        let mut out = Vec::new();
        let (mut copied, mut at, mut count) = (0, 0, 0);
        let mut last_end = None;
        let mut is_replaced = false;
        while let Some(groups) = search.groups_at(at) {
            let Some(Some(whole)) = groups.first().cloned() else { break };
            let is_empty = whole.is_empty();
            // An empty match right after another match does not count.
            if !(is_empty && last_end == Some(whole.start)) {
                count += 1;
                if count >= replace.first {
                    out.extend_from_slice(&line[copied..whole.start]);
                    replace.with.write(&line, &groups, &mut out);
                    copied = whole.end;
                    is_replaced = true;
                    if !replace.is_global {
                        break;
                    }
                }
            }
            last_end = Some(whole.end);
            at = if is_empty { whole.end + character(&line, whole.end) } else { whole.end };
            if at > line.len() {
                break;
            }
        }
        if !is_replaced {
            self.pattern = line;
            return Ok(());
        }
        out.extend_from_slice(&line[copied..]);
        self.pattern = out;
        self.is_replaced = true;
        if replace.prints_first {
            self.print(input)?;
        }
        if replace.executes {
            self.pattern = executed(&self.pattern)?;
            if self.pattern.last() == Some(&self.settings.end) {
                self.pattern.pop();
            }
        }
        if replace.prints && !replace.prints_first {
            self.print(input)?;
        }
        if let Some(file) = replace.writes {
            let line = self.pattern.clone();
            self.write(file, &line, input)?;
        }
        Ok(())
    }
}

/// Returns the length of the character at a place.
fn character(line: &[u8], at: usize) -> usize {
    match line.get(at) {
        Some(0xc0..=0xdf) => 2,
        Some(0xe0..=0xef) => 3,
        Some(0xf0..=0xff) => 4,
        _ => 1,
    }
}

/// Runs a command with the shell and returns its output.
fn executed(command: &[u8]) -> io::Result<Vec<u8>> {
    let (read, write) = sys::pipe()?;
    let argv: Vec<OsString> = vec!["sh".into(), "-c".into(), OsStr::from_bytes(command).to_owned()];
    let mut child = Child::new(&argv);
    child.descriptors[1] = write;
    let started = child.start();
    sys::close(write)?;
    let mut output = Vec::new();
    let mut block = [0; 4096];
    while let Ok(len @ 1..) = sys::read(read, &mut block) {
        output.extend_from_slice(&block[..len]);
    }
    sys::close(read)?;
    crate::child::wait(started?)?;
    Ok(output)
}

/// Returns a text in the form of `l`.
fn listed(text: &[u8], width: usize) -> Vec<u8> {
    let mut out = Vec::new();
    let mut column = 0;
    for &byte in text {
        let shown = match byte {
            b'\\' => "\\\\".to_owned(),
            7 => "\\a".to_owned(),
            8 => "\\b".to_owned(),
            12 => "\\f".to_owned(),
            b'\n' => "\\n".to_owned(),
            b'\r' => "\\r".to_owned(),
            b'\t' => "\\t".to_owned(),
            11 => "\\v".to_owned(),
            b' '..=b'~' => char::from(byte).to_string(),
            other => format!("\\{other:03o}"),
        };
        if width > 1 && column + shown.len() > width - 1 {
            out.extend_from_slice(b"\\\n");
            column = 0;
        }
        column += shown.len();
        out.extend_from_slice(shown.as_bytes());
    }
    out.push(b'$');
    out
}
