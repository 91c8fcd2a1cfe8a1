//! ed: the line editor.

use std::ffi::OsString;
use std::fs;
use std::io::{BufRead as _, Write};

use crate::options::{self, Item, Key, Order, Usage, Value};
use crate::output::{self, Input, reason};
use crate::pattern::{Options, Pattern, Syntax};

const USAGE: Usage = Usage {
    name: "ed",
    text: "\
Usage: ed [OPTION]... [FILE]
Edit a file with commands from standard input.

  -s, --quiet, --silent  print no byte counts
  -p TEXT, --prompt=TEXT prompt for commands
  -E, --extended-regexp  extended regular expressions
  -v, --verbose          explain errors

Commands: a c d e E f g G H h i j k l m n p P q Q r s t u v V w W x y z = ! are those of POSIX, except
G, V, x, y, z and !, which are refused.
",
    trouble: 1,
};

/// Longest file that is edited.
const MAX_FILE: u64 = 64 << 20;

/// An error of one command.
type Wrong = &'static str;

#[derive(Clone, Default)]
struct Buffer {
    lines: Vec<String>,
    /// Current line, counted from 1; 0 if the buffer is empty.
    current: usize,
}

struct Editor {
    buffer: Buffer,
    undo: Buffer,
    marks: [usize; 26],
    file: Option<String>,
    pattern: Option<String>,
    syntax: Syntax,
    quiet: bool,
    verbose: bool,
    prompt: Option<String>,
    changed: bool,
    /// True while `g` or `v` runs commands, which cannot be nested.
    in_global: bool,
    warned: bool,
    message: Option<Wrong>,
    failed: bool,
    out: output::Output,
}

pub(crate) fn run(args: Vec<OsString>) -> i32 {
    let specs = [
        ('s', "quiet", Value::None),
        ('s', "silent", Value::None),
        ('p', "prompt", Value::Required),
        ('E', "extended-regexp", Value::None),
        ('G', "traditional", Value::None),
        ('l', "loose-exit-status", Value::None),
        ('r', "restricted", Value::None),
        ('v', "verbose", Value::None),
    ];
    let items = match options::parse(&USAGE, args, &specs, Order::Anywhere) {
        Ok(items) => items,
        Err(code) => return code,
    };
    let mut editor = Editor {
        buffer: Buffer::default(),
        undo: Buffer::default(),
        marks: [0; 26],
        file: None,
        pattern: None,
        syntax: Syntax::Basic,
        quiet: false,
        verbose: false,
        prompt: None,
        changed: false,
        in_global: false,
        warned: false,
        message: None,
        failed: false,
        out: output::stdout(),
    };
    let mut file = None;
    for item in items {
        match item {
            Item::Option(Key::Short('s'), _) => editor.quiet = true,
            Item::Option(Key::Short('v'), _) => editor.verbose = true,
            Item::Option(Key::Short('E'), _) => editor.syntax = Syntax::Extended,
            Item::Option(Key::Short('p'), Some(text)) => {
                editor.prompt = Some(text.to_string_lossy().into_owned());
            }
            Item::Option(..) => {}
            Item::Operand(name) => file = Some(name.to_string_lossy().into_owned()),
        }
    }
    if let Some(file) = file {
        editor.file = Some(file.clone());
        if let Err(wrong) = editor.read(0, &file) {
            editor.complain(wrong);
            editor.failed = false;
        }
        editor.changed = false;
    }
    editor.converse();
    let code = i32::from(editor.failed);
    output::finish("ed", &mut editor.out, code)
}

/// The text that follows a command.
enum Next {
    Go,
    Quit,
}

impl Editor {
    fn converse(&mut self) {
        let mut input = std::io::BufReader::new(Input).lines().map_while(Result::ok);
        loop {
            if let Some(prompt) = &self.prompt {
                let _ = write!(self.out, "{prompt}");
            }
            let Some(line) = input.next() else { break };
            match self.command(&line, &mut input) {
                Ok(Next::Go) => {}
                Ok(Next::Quit) => break,
                Err(wrong) => {
                    self.complain(wrong);
                    self.failed = true;
                }
            }
        }
    }

    fn complain(&mut self, wrong: Wrong) {
        let _ = writeln!(self.out, "?");
        if self.verbose {
            let _ = writeln!(self.out, "{wrong}");
        }
        self.message = Some(wrong);
    }

    fn last(&self) -> usize {
        self.buffer.lines.len()
    }

    /// Reads a file after a line.
    fn read(&mut self, after: usize, file: &str) -> Result<(), Wrong> {
        if fs::metadata(file).is_ok_and(|data| data.len() > MAX_FILE) {
            return Err("File too long");
        }
        let bytes = match fs::read(file) {
            Ok(bytes) => bytes,
            Err(error) => {
                let _ = self.out.flush();
                eprintln!("{file}: {}", reason(&error));
                return Err("Cannot open input file");
            }
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let count = lines.len();
        self.buffer.lines.splice(after..after, lines);
        self.buffer.current = after + count;
        if !self.quiet {
            let _ = writeln!(self.out, "{}", bytes.len());
        }
        self.changed = true;
        Ok(())
    }

    /// Parses one address. Returns `None` if there is none.
    fn address(&mut self, text: &mut &str) -> Result<Option<usize>, Wrong> {
        *text = text.trim_start_matches([' ', '\t']);
        let mut at: Option<i64> = match text.chars().next() {
            Some('.') => {
                *text = &text[1..];
                Some(self.buffer.current as i64)
            }
            Some('$') => {
                *text = &text[1..];
                Some(self.last() as i64)
            }
            Some('\'') => {
                let letter = text.chars().nth(1).filter(char::is_ascii_lowercase);
                let letter = letter.ok_or("Invalid mark character")?;
                *text = &text[2..];
                let line = self.marks[(letter as u8 - b'a') as usize];
                Some(if line == 0 { return Err("Invalid address") } else { line as i64 })
            }
            Some(mark @ ('/' | '?')) => {
                let (pattern, rest) = delimited(&text[1..], mark);
                *text = rest;
                Some(self.search(&pattern, mark == '/')? as i64)
            }
            Some(c) if c.is_ascii_digit() => {
                let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
                let number = text[..end].parse().map_err(|_| "Invalid address")?;
                *text = &text[end..];
                Some(number)
            }
            _ => None,
        };
        loop {
            let trimmed = text.trim_start_matches([' ', '\t']);
            let sign = match trimmed.chars().next() {
                Some('+') => 1,
                Some('-' | '^') => -1,
                _ => break,
            };
            *text = &trimmed[1..];
            let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
            let count: i64 =
                if end == 0 { 1 } else { text[..end].parse().map_err(|_| "Invalid address")? };
            *text = &text[end..];
            at = Some(at.unwrap_or(self.buffer.current as i64) + sign * count);
        }
        match at {
            None => Ok(None),
            Some(at) if at < 0 || at > self.last() as i64 => Err("Invalid address"),
            Some(at) => Ok(Some(at as usize)),
        }
    }

    fn compiled(&mut self, pattern: &str) -> Result<Pattern, Wrong> {
        if !pattern.is_empty() {
            self.pattern = Some(pattern.to_owned());
        }
        let text = self.pattern.clone().ok_or("No previous pattern")?;
        Pattern::new(&text, self.syntax, Options::default()).map_err(|_| "Invalid pattern")
    }

    fn search(&mut self, pattern: &str, forward: bool) -> Result<usize, Wrong> {
        let pattern = self.compiled(pattern)?;
        let count = self.last();
        for step in 1..=count {
            let at = match forward {
                true => (self.buffer.current + step - 1) % count + 1,
                false => (self.buffer.current + 2 * count - step - 1) % count + 1,
            };
            if pattern.is_match(self.buffer.lines[at - 1].as_bytes()) {
                return Ok(at);
            }
        }
        Err("No match")
    }

    /// Runs one command line.
    fn command(
        &mut self,
        line: &str,
        input: &mut dyn Iterator<Item = String>,
    ) -> Result<Next, Wrong> {
        let mut text = line;
        let mut range: Vec<usize> = Vec::new();
        let trimmed = text.trim_start();
        if let Some(rest) = trimmed.strip_prefix('%').or_else(|| trimmed.strip_prefix(',')) {
            range = vec![1.min(self.last()), self.last()];
            text = rest;
            if trimmed.starts_with(',')
                && let Some(end) = self.address(&mut text)?
            {
                range[1] = end;
            }
        } else if let Some(rest) = trimmed.strip_prefix(';') {
            range = vec![self.buffer.current, self.last()];
            text = rest;
        } else {
            loop {
                let address = self.address(&mut text)?;
                range.extend(address);
                let rest = text.trim_start();
                match rest.chars().next() {
                    Some(mark @ (',' | ';')) => {
                        text = &rest[1..];
                        if mark == ';' {
                            self.buffer.current =
                                range.last().copied().unwrap_or(self.buffer.current);
                        }
                        if range.is_empty() {
                            range.push(1);
                        }
                        let next = text.trim_start().chars().next();
                        if next.is_none_or(|c| c.is_ascii_alphabetic()) {
                            range.push(self.last());
                            break;
                        }
                    }
                    _ => break,
                }
            }
        }
        let text = text.trim_start();
        let given = !range.is_empty();
        let (from, to) = match range.as_slice() {
            [] => (self.buffer.current, self.buffer.current),
            [one] => (*one, *one),
            [.., one, two] => (*one, *two),
        };
        if from > to {
            return Err("Invalid address");
        }
        let letter = text.chars().next().unwrap_or('\n');
        let rest = text.get(letter.len_utf8().min(text.len())..).unwrap_or("");
        self.run_letter(letter, rest, (from, to), given, input)
    }

    fn run_letter(
        &mut self,
        letter: char,
        rest: &str,
        (from, to): (usize, usize),
        given: bool,
        input: &mut dyn Iterator<Item = String>,
    ) -> Result<Next, Wrong> {
        let changes =
            matches!(letter, 'a' | 'i' | 'c' | 'd' | 'j' | 'm' | 'r' | 's' | 't' | 'g' | 'v');
        if changes && !matches!(letter, 'g' | 'v') {
            self.undo = self.buffer.clone();
        }
        match letter {
            'a' | 'i' | 'c' => {
                let mut lines = Vec::new();
                for line in &mut *input {
                    if line == "." {
                        break;
                    }
                    lines.push(line);
                }
                let at = match letter {
                    'a' => to,
                    'i' => to.saturating_sub(1),
                    _ => {
                        self.check(from)?;
                        self.buffer.lines.drain(from - 1..to);
                        from - 1
                    }
                };
                let count = lines.len();
                self.buffer.lines.splice(at..at, lines);
                self.buffer.current = match (count, letter) {
                    (0, 'c') => (at + 1).min(self.last()),
                    (0, _) => to,
                    _ => at + count,
                };
                self.changed = true;
            }
            'd' => {
                self.check(from)?;
                self.buffer.lines.drain(from - 1..to);
                self.buffer.current = from.min(self.last());
                self.changed = true;
                self.print_suffix(rest)?;
            }
            'p' | 'n' | 'l' => {
                self.check(from)?;
                self.print(from, to, letter);
            }
            '\n' => {
                let at = if given { to } else { self.buffer.current + 1 };
                self.check(at)?;
                self.print(at, at, 'p');
            }
            '=' => {
                let at = if given { to } else { self.last() };
                let _ = writeln!(self.out, "{at}");
            }
            'k' => {
                let mark = rest.chars().next().filter(char::is_ascii_lowercase);
                let mark = mark.ok_or("Invalid mark character")?;
                self.check(to)?;
                self.marks[(mark as u8 - b'a') as usize] = to;
            }
            'j' => {
                let to = if given { to } else { (from + 1).min(self.last()) };
                self.check(from)?;
                let joined = self.buffer.lines[from - 1..to].concat();
                self.buffer.lines.splice(from - 1..to, [joined]);
                self.buffer.current = from;
                self.changed = true;
                self.print_suffix(rest)?;
            }
            'm' | 't' => {
                self.check(from)?;
                let mut text = rest;
                let target = self.address(&mut text)?.unwrap_or(self.buffer.current);
                let lines: Vec<String> = self.buffer.lines[from - 1..to].to_vec();
                let count = lines.len();
                let at = match letter {
                    't' => target,
                    _ if (from..to).contains(&target) => return Err("Invalid destination"),
                    _ => {
                        self.buffer.lines.drain(from - 1..to);
                        if target >= to { target - count } else { target }
                    }
                };
                self.buffer.lines.splice(at..at, lines);
                self.buffer.current = at + count;
                self.changed = true;
            }
            's' => self.substitute(from, to, rest)?,
            'g' | 'v' if self.in_global => return Err("Cannot nest global commands"),
            'g' | 'v' => {
                self.in_global = true;
                let done = self.global(rest, given.then_some((from, to)), letter == 'g', input);
                self.in_global = false;
                done?;
            }
            'u' => {
                std::mem::swap(&mut self.buffer, &mut self.undo);
                self.changed = true;
            }
            'r' => {
                let file = self.name(rest)?;
                let after = if given { to } else { self.last() };
                self.read(after, &file)?;
            }
            'e' | 'E' => {
                if letter == 'e' && self.changed && !self.warned {
                    self.warned = true;
                    return Err("Warning: buffer modified");
                }
                let file = self.name(rest)?;
                self.buffer = Buffer::default();
                self.read(0, &file)?;
                self.file = Some(file);
                self.changed = false;
            }
            'f' => {
                if !rest.trim().is_empty() {
                    self.file = Some(rest.trim().to_owned());
                }
                let name = self.file.clone().ok_or("No current filename")?;
                let _ = writeln!(self.out, "{name}");
            }
            'w' | 'W' => return self.write(letter, rest, given.then_some((from, to))),
            'h' => {
                if let Some(message) = self.message {
                    let _ = writeln!(self.out, "{message}");
                }
            }
            'H' => self.verbose = !self.verbose,
            'P' => {
                self.prompt = match self.prompt {
                    Some(_) => None,
                    None => Some("*".to_owned()),
                };
            }
            'q' if self.changed && !self.warned => {
                self.warned = true;
                return Err("Warning: buffer modified");
            }
            'q' | 'Q' => return Ok(Next::Quit),
            '#' => {}
            _ => return Err("Unknown command"),
        }
        Ok(Next::Go)
    }

    fn check(&self, line: usize) -> Result<(), Wrong> {
        if line == 0 || line > self.last() { Err("Invalid address") } else { Ok(()) }
    }

    fn name(&self, rest: &str) -> Result<String, Wrong> {
        match rest.trim() {
            "" => self.file.clone().ok_or("No current filename"),
            name if name.starts_with('!') => Err("Unknown command"),
            name => Ok(name.to_owned()),
        }
    }

    fn print_suffix(&mut self, rest: &str) -> Result<(), Wrong> {
        match rest.trim() {
            "" => Ok(()),
            "p" | "n" | "l" if self.last() > 0 => {
                let at = self.buffer.current;
                self.print(at, at, rest.trim().chars().next().unwrap_or('p'));
                Ok(())
            }
            _ => Err("Invalid command suffix"),
        }
    }

    fn print(&mut self, from: usize, to: usize, how: char) {
        for at in from..=to {
            let line = &self.buffer.lines[at - 1];
            let _ = match how {
                'n' => writeln!(self.out, "{at}\t{line}"),
                'l' => writeln!(
                    self.out,
                    "{}$",
                    line.replace('\\', "\\\\").replace('\t', "\\t").replace('$', "\\$")
                ),
                _ => writeln!(self.out, "{line}"),
            };
        }
        self.buffer.current = to;
    }

    fn write(
        &mut self,
        letter: char,
        rest: &str,
        range: Option<(usize, usize)>,
    ) -> Result<Next, Wrong> {
        let (quits, rest) = match rest.strip_prefix('q') {
            Some(rest) => (true, rest),
            None => (false, rest),
        };
        let file = self.name(rest)?;
        let (from, to) = range.unwrap_or((1, self.last()));
        let mut text = String::new();
        for line in self.buffer.lines.get(from.saturating_sub(1)..to).unwrap_or(&[]) {
            text.push_str(line);
            text.push('\n');
        }
        let written = match letter {
            'W' => fs::File::options()
                .append(true)
                .create(true)
                .open(&file)
                .and_then(|mut file| file.write_all(text.as_bytes())),
            _ => fs::write(&file, &text),
        };
        if let Err(error) = written {
            let _ = self.out.flush();
            eprintln!("{file}: {}", reason(&error));
            return Err("Cannot open output file");
        }
        if !self.quiet {
            let _ = writeln!(self.out, "{}", text.len());
        }
        self.file.get_or_insert(file);
        self.changed = false;
        Ok(if quits { Next::Quit } else { Next::Go })
    }

    fn substitute(&mut self, from: usize, to: usize, rest: &str) -> Result<(), Wrong> {
        self.check(from)?;
        let mark = rest.chars().next().filter(|c| *c != ' ').ok_or("No previous substitution")?;
        let (pattern, rest) = delimited(&rest[mark.len_utf8()..], mark);
        let (with, flags) = delimited(rest, mark);
        let pattern = self.compiled(&pattern)?;
        let all = flags.contains('g');
        let nth =
            flags.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap_or(1);
        let mut found = false;
        let mut at = from;
        let mut end = to;
        while at <= end {
            let line = self.buffer.lines[at - 1].clone();
            if let Some(new) = replaced(&pattern, &line, &with, all, nth) {
                found = true;
                let lines: Vec<String> = new.split('\n').map(str::to_owned).collect();
                let count = lines.len();
                self.buffer.lines.splice(at - 1..at, lines);
                at += count - 1;
                end += count - 1;
                self.buffer.current = at;
            }
            at += 1;
        }
        if !found {
            return Err("No match");
        }
        self.changed = true;
        let last = flags.chars().find(|c| matches!(c, 'p' | 'n' | 'l'));
        if let Some(how) = last {
            let at = self.buffer.current;
            self.print(at, at, how);
        }
        Ok(())
    }

    fn global(
        &mut self,
        rest: &str,
        range: Option<(usize, usize)>,
        wanted: bool,
        input: &mut dyn Iterator<Item = String>,
    ) -> Result<(), Wrong> {
        let mark = rest.chars().next().ok_or("Invalid pattern delimiter")?;
        let (pattern, command) = delimited(&rest[mark.len_utf8()..], mark);
        let pattern = self.compiled(&pattern)?;
        let (from, to) = range.unwrap_or((1, self.last()));
        let command = if command.trim().is_empty() { "p" } else { command };
        let before = self.buffer.clone();
        // Lines are followed by their distance from the end, which earlier commands do not change.
        let chosen: Vec<usize> = (from.max(1)..=to)
            .filter(|at| pattern.is_match(self.buffer.lines[at - 1].as_bytes()) == wanted)
            .map(|at| self.last() - at)
            .collect();
        for left in chosen {
            let Some(at) = self.last().checked_sub(left) else { continue };
            self.buffer.current = at;
            match self.command(command, input) {
                Ok(_) => {}
                Err("No match") => {}
                Err(wrong) => return Err(wrong),
            }
        }
        self.undo = before;
        Ok(())
    }
}

/// Takes text up to a delimiter; a backslash before the delimiter makes it literal.
fn delimited(text: &str, mark: char) -> (String, &str) {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some((_, next)) if next == mark => out.push(next),
                Some((_, next)) => out.extend(['\\', next]),
                None => out.push('\\'),
            },
            c if c == mark => return (out, &text[at + c.len_utf8()..]),
            c => out.push(c),
        }
    }
    (out, "")
}

/// Replaces matches in a line; `None` if there is none.
fn replaced(pattern: &Pattern, line: &str, with: &str, all: bool, nth: usize) -> Option<String> {
    let bytes = line.as_bytes();
    let search = pattern.on(bytes);
    let mut out = Vec::new();
    let (mut at, mut done, mut count, mut changed) = (0, 0, 0, false);
    while at <= bytes.len() {
        let Some(groups) = search.groups_at(at) else { break };
        let Some(whole) = groups.first().cloned().flatten() else { break };
        count += 1;
        if count >= nth {
            out.extend_from_slice(&bytes[done..whole.start]);
            let mut chars = with.chars();
            while let Some(c) = chars.next() {
                match c {
                    '&' => out.extend_from_slice(&bytes[whole.clone()]),
                    '\\' => match chars.next() {
                        Some(digit @ '0'..='9') => {
                            let number = digit as usize - '0' as usize;
                            if let Some(Some(group)) = groups.get(number) {
                                out.extend_from_slice(&bytes[group.clone()]);
                            }
                        }
                        Some('n') => out.push(b'\n'),
                        Some(other) => out.extend(other.to_string().bytes()),
                        None => {}
                    },
                    c => out.extend(c.to_string().bytes()),
                }
            }
            done = whole.end;
            changed = true;
            if !all {
                break;
            }
        }
        at = if whole.end > whole.start { whole.end } else { whole.end + 1 };
    }
    out.extend_from_slice(&bytes[done..]);
    changed.then(|| String::from_utf8_lossy(&out).into_owned())
}
