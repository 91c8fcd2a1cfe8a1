//! Parses a script of sed into commands.

use std::collections::HashMap;
use std::rc::Rc;

use super::replacement::{self, Replacement};
use crate::pattern::{Options, Pattern, Syntax};

/// Deepest nesting of `{`.
const MAX_DEPTH: usize = 100;

/// A parsed script.
pub(crate) struct Script {
    pub(crate) commands: Vec<Command>,
    /// Names of files that `w` writes, in the order of their numbers.
    pub(crate) written: Vec<Vec<u8>>,
    /// The script begins with `#n`.
    pub(crate) is_silent: bool,
}

/// A command with the lines that it applies to.
pub(crate) struct Command {
    pub(crate) from: Option<Address>,
    pub(crate) to: Option<End>,
    pub(crate) is_negated: bool,
    pub(crate) action: Action,
}

/// A regular expression; `None` is the one that was used last.
pub(crate) type Regex = Option<Rc<Pattern>>;

/// Selects lines.
pub(crate) enum Address {
    /// Line 0, which only begins a range that ends at a regular expression.
    Zero,
    Line(usize),
    Step {
        first: usize,
        step: usize,
    },
    Last,
    Regex(Regex),
}

/// End of a range.
pub(crate) enum End {
    Line(usize),
    Last,
    Regex(Regex),
    /// `+N`: this many more lines.
    More(usize),
    /// `~N`: the next line that is a multiple.
    Multiple(usize),
}

/// Operation of a command.
pub(crate) enum Action {
    /// `{`, with the index after its `}`.
    Open(usize),
    Nothing,
    Append(Vec<u8>),
    Insert(Vec<u8>),
    Change(Vec<u8>),
    /// `b`, `t` and `T`, with the index to continue at.
    Branch(usize),
    BranchIfReplaced(usize),
    BranchUnlessReplaced(usize),
    Delete,
    DeleteFirst,
    Execute(Vec<u8>),
    FileName,
    Get,
    GetMore,
    Hold,
    HoldMore,
    List(Option<usize>),
    Next,
    NextMore,
    Number,
    Print,
    PrintFirst,
    Quit(i32),
    QuitSilently(i32),
    Read(Vec<u8>),
    ReadLine(Vec<u8>),
    Replace(Box<Replace>),
    Write(usize),
    WriteFirst(usize),
    Exchange,
    Translate(HashMap<char, char>),
    Clear,
}

/// The command `s`.
pub(crate) struct Replace {
    pub(crate) regex: Regex,
    pub(crate) with: Replacement,
    /// The first match that is replaced.
    pub(crate) first: usize,
    pub(crate) is_global: bool,
    pub(crate) prints: bool,
    pub(crate) executes: bool,
    /// The text is printed before it is executed: `pe`, not `ep`.
    pub(crate) prints_first: bool,
    pub(crate) writes: Option<usize>,
}

/// Settings that change how a script is read.
#[derive(Clone, Copy)]
pub(crate) struct Dialect {
    pub(crate) syntax: Syntax,
    /// `e`, `r` and `w` are refused.
    pub(crate) is_safe: bool,
}

type Result<T> = std::result::Result<T, String>;

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
    dialect: Dialect,
    commands: Vec<Command>,
    written: Vec<Vec<u8>>,
    /// Indices of open `{`.
    open: Vec<usize>,
    labels: HashMap<Vec<u8>, usize>,
    /// Branches, with the label each leads to.
    branches: Vec<(usize, Vec<u8>)>,
}

/// Parses a script. The error says what is wrong and where.
pub(crate) fn parse(text: &[u8], dialect: Dialect) -> Result<Script> {
    let mut parser = Parser {
        text,
        at: 0,
        dialect,
        commands: Vec::new(),
        written: Vec::new(),
        open: Vec::new(),
        labels: HashMap::new(),
        branches: Vec::new(),
    };
    let place = |parser: &Parser<'_>, e| format!("-e expression #1, char {}: {e}", parser.at);
    while parser.command().map_err(|e| place(&parser, e))? {}
    if !parser.open.is_empty() {
        return Err("-e expression #1, char 0: unmatched `{'".into());
    }
    let end = parser.commands.len();
    for (at, label) in std::mem::take(&mut parser.branches) {
        let to = match parser.labels.get(&label) {
            _ if label.is_empty() => end,
            Some(to) => *to,
            None => {
                let label = String::from_utf8_lossy(&label);
                return Err(format!("can't find label for jump to `{label}'"));
            }
        };
        match &mut parser.commands[at].action {
            Action::Branch(target)
            | Action::BranchIfReplaced(target)
            | Action::BranchUnlessReplaced(target) => *target = to,
            _ => {}
        }
    }
    let is_silent = text.starts_with(b"#n\n") || text == b"#n";
    Ok(Script { commands: parser.commands, written: parser.written, is_silent })
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn take(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    fn skip(&mut self, is_skipped: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&is_skipped) {
            self.at += 1;
        }
    }

    fn blanks(&mut self) {
        self.skip(|b| b.is_ascii_whitespace() && b != b'\n');
    }

    fn number(&mut self) -> Option<usize> {
        let start = self.at;
        self.skip(|b| b.is_ascii_digit());
        let digits = std::str::from_utf8(&self.text[start..self.at]).ok()?;
        if digits.is_empty() { None } else { Some(digits.parse().unwrap_or(usize::MAX)) }
    }

    /// Parses one command; returns false at the end of the script.
    fn command(&mut self) -> Result<bool> {
        self.skip(|b| b.is_ascii_whitespace() || b == b';');
        if self.peek().is_none() {
            return Ok(false);
        }
        let from = self.address()?;
        let mut to = None;
        self.blanks();
        if from.is_some() && self.peek() == Some(b',') {
            self.at += 1;
            self.blanks();
            to = Some(self.end()?);
            self.blanks();
        }
        if matches!(from, Some(Address::Zero)) && !matches!(to, Some(End::Regex(_))) {
            return Err("invalid usage of line address 0".into());
        }
        let mut is_negated = false;
        while self.peek() == Some(b'!') {
            is_negated = true;
            self.at += 1;
            self.blanks();
        }
        let Some(name) = self.take() else { return Err("missing command".into()) };
        let has_address = from.is_some();
        if to.is_some() && matches!(name, b'q' | b'Q') {
            return Err("command only uses one address".into());
        }
        if has_address && matches!(name, b':' | b'}' | b'#') {
            return Err(match name {
                b':' => ": doesn't want any addresses".into(),
                b'#' => "comments don't accept any addresses".into(),
                _ => "} doesn't want any addresses".to_owned(),
            });
        }
        let action = self.action(name)?;
        self.commands.push(Command { from, to, is_negated, action });
        Ok(true)
    }

    fn address(&mut self) -> Result<Option<Address>> {
        let address = match self.peek() {
            Some(b'0'..=b'9') => {
                let first = self.number().unwrap_or(0);
                self.blanks();
                if self.peek() == Some(b'~') {
                    self.at += 1;
                    let step = self.number().unwrap_or(0);
                    Address::Step { first, step }
                } else if first == 0 {
                    Address::Zero
                } else {
                    Address::Line(first)
                }
            }
            Some(b'$') => {
                self.at += 1;
                Address::Last
            }
            Some(b'/' | b'\\') => Address::Regex(self.regex_address()?),
            _ => return Ok(None),
        };
        Ok(Some(address))
    }

    fn end(&mut self) -> Result<End> {
        let number = |parser: &mut Self| {
            parser.at += 1;
            parser.number().ok_or_else(|| "expected number".to_owned())
        };
        Ok(match self.peek() {
            Some(b'+') => End::More(number(self)?),
            Some(b'~') => End::Multiple(number(self)?),
            _ => match self.address()? {
                Some(Address::Line(line)) => End::Line(line),
                Some(Address::Zero) => return Err("invalid usage of line address 0".into()),
                Some(Address::Step { first, .. }) => End::Line(first),
                Some(Address::Last) => End::Last,
                Some(Address::Regex(regex)) => End::Regex(regex),
                None => {
                    self.at += 1;
                    return Err("unexpected `,'".into());
                }
            },
        })
    }

    fn regex_address(&mut self) -> Result<Regex> {
        if self.take() == Some(b'\\') && self.take().is_none() {
            return Err("unterminated address regex".into());
        }
        let delimiter = self.text[self.at - 1];
        let text = self.delimited(delimiter, Part::Regex);
        let text = text.ok_or("unterminated address regex")?;
        let mut options = Options::default();
        loop {
            match self.peek() {
                Some(b'I') => options.ignore_case = true,
                Some(b'M') => options.multi_line = true,
                _ => break,
            }
            self.at += 1;
        }
        self.regex(&text, options)
    }

    fn regex(&self, text: &[u8], options: Options) -> Result<Regex> {
        if text.is_empty() {
            return Ok(None);
        }
        let text = String::from_utf8_lossy(text);
        Pattern::new(&text, self.dialect.syntax, options).map(Rc::new).map(Some)
    }

    /// Returns the text up to a delimiter, which is passed. In a regular expression, escapes of
    /// characters become the characters.
    fn delimited(&mut self, delimiter: u8, part: Part) -> Option<Vec<u8>> {
        let mut text = Vec::new();
        let mut bracket = Bracket::Outside;
        loop {
            let byte = self.take()?;
            if byte == b'\\' {
                let next = self.take()?;
                if next == delimiter {
                    // A delimiter with a meaning of its own loses it, and in brackets the backslash
                    // is a character like others.
                    if part == Part::Text
                        || bracket != Bracket::Outside
                        || matches!(next, b'.' | b'*' | b']' | b'^' | b'$')
                    {
                        text.push(b'\\');
                    }
                    text.push(next);
                } else if part == Part::Regex && next == b'n' {
                    text.push(b'\n');
                } else if part == Part::Regex {
                    match replacement::escape(next, self.text, &mut self.at) {
                        Some(c) => push_literal(&mut text, c, bracket != Bracket::Outside),
                        None => text.extend([b'\\', next]),
                    }
                } else {
                    text.extend([b'\\', next]);
                }
                bracket = bracket.after_other();
                continue;
            }
            if byte == delimiter && (bracket == Bracket::Outside || part == Part::Text) {
                return Some(text);
            }
            if byte == b'\n'
                && part == Part::Regex
                && bracket == Bracket::Outside
                && delimiter != b'\n'
            {
                // A newline can only be written with an escape.
                return None;
            }
            text.push(byte);
            if part == Part::Regex {
                bracket = bracket.after(byte, self.peek());
            }
        }
    }

    /// Ends a command: blanks, then the end of the line, `;`, `}` or a comment.
    fn finish(&mut self) -> Result<()> {
        self.blanks();
        match self.peek() {
            None | Some(b'}' | b'#') => Ok(()),
            Some(b'\n' | b';') => {
                self.at += 1;
                Ok(())
            }
            Some(_) => {
                self.at += 1;
                Err("extra characters after command".into())
            }
        }
    }

    /// Returns a label or a file name: the rest of the line.
    fn line(&mut self) -> Vec<u8> {
        self.blanks();
        let start = self.at;
        self.skip(|b| b != b'\n');
        self.text[start..self.at].to_vec()
    }

    fn label(&mut self) -> Vec<u8> {
        self.blanks();
        let start = self.at;
        self.skip(|b| !b";}#".contains(&b) && !b.is_ascii_whitespace());
        let label = self.text[start..self.at].to_vec();
        self.blanks();
        label
    }

    fn file(&mut self) -> Result<Vec<u8>> {
        let name = self.line();
        if name.is_empty() {
            return Err("missing filename in r/R/w/W commands".into());
        }
        if self.dialect.is_safe {
            return Err("e/r/w commands disabled in sandbox mode".into());
        }
        Ok(name)
    }

    fn written(&mut self) -> Result<usize> {
        let name = self.file()?;
        if let Some(at) = self.written.iter().position(|known| *known == name) {
            return Ok(at);
        }
        self.written.push(name);
        Ok(self.written.len() - 1)
    }

    fn action(&mut self, name: u8) -> Result<Action> {
        let plain = match name {
            b'd' => Action::Delete,
            b'D' => Action::DeleteFirst,
            b'F' => Action::FileName,
            b'g' => Action::Get,
            b'G' => Action::GetMore,
            b'h' => Action::Hold,
            b'H' => Action::HoldMore,
            b'n' => Action::Next,
            b'N' => Action::NextMore,
            b'=' => Action::Number,
            b'p' => Action::Print,
            b'P' => Action::PrintFirst,
            b'x' => Action::Exchange,
            b'z' => Action::Clear,
            _ => return self.action_with_argument(name),
        };
        self.finish()?;
        Ok(plain)
    }

    fn action_with_argument(&mut self, name: u8) -> Result<Action> {
        let index = self.commands.len();
        let action = match name {
            b'{' => {
                if self.open.len() >= MAX_DEPTH {
                    return Err("too many nested `{'".into());
                }
                self.open.push(index);
                return Ok(Action::Open(0));
            }
            b'}' => {
                let open = self.open.pop().ok_or("unexpected `}'")?;
                self.commands[open].action = Action::Open(index);
                Action::Nothing
            }
            b'#' => {
                self.skip(|b| b != b'\n');
                Action::Nothing
            }
            b':' => {
                self.blanks();
                let start = self.at;
                self.skip(|b| !b";}#".contains(&b) && !b.is_ascii_whitespace());
                let label = self.text[start..self.at].to_vec();
                if label.is_empty() {
                    return Err("\":\" lacks a label".into());
                }
                self.labels.insert(label, index);
                Action::Nothing
            }
            b'a' => return self.text().map(Action::Append),
            b'i' => return self.text().map(Action::Insert),
            b'c' => return self.text().map(Action::Change),
            b'b' | b't' | b'T' => {
                let label = self.label();
                self.branches.push((index, label));
                match name {
                    b'b' => Action::Branch(0),
                    b't' => Action::BranchIfReplaced(0),
                    _ => Action::BranchUnlessReplaced(0),
                }
            }
            b'e' if self.dialect.is_safe => {
                return Err("e/r/w commands disabled in sandbox mode".into());
            }
            b'e' => return Ok(Action::Execute(self.line())),
            b'l' | b'L' => {
                self.blanks();
                Action::List(self.number())
            }
            b'q' | b'Q' => {
                self.blanks();
                let code = self.number().map_or(0, |code| code as i32 & 0xff);
                if name == b'q' { Action::Quit(code) } else { Action::QuitSilently(code) }
            }
            b'r' => return self.file().map(Action::Read),
            b'R' => return self.file().map(Action::ReadLine),
            b'w' => return self.written().map(Action::Write),
            b'W' => return self.written().map(Action::WriteFirst),
            b's' => return self.replace(),
            b'y' => Action::Translate(self.translation()?),
            b'v' => {
                self.label();
                Action::Nothing
            }
            other => return Err(format!("unknown command: `{}'", char::from(other))),
        };
        self.finish()?;
        Ok(action)
    }

    /// Parses the text of `a`, `i` and `c`: after a backslash and a newline, or on the same line.
    fn text(&mut self) -> Result<Vec<u8>> {
        self.blanks();
        if self.text[self.at..] == *b"\\" {
            self.at += 1;
            return Ok(Vec::new());
        }
        if self.peek() == Some(b'\\') {
            self.at += 1;
            let here = self.at;
            self.blanks();
            match self.peek() {
                Some(b'\n') => self.at += 1,
                // Blanks after the backslash are kept.
                _ => self.at = here,
            }
        }
        if self.peek().is_none() {
            return Err("expected \\ after `a', `c' or `i'".into());
        }
        let mut text = Vec::new();
        loop {
            match self.take() {
                None => break,
                Some(b'\n') => break,
                Some(b'\\') => match self.take() {
                    None => break,
                    Some(b'n') => text.push(b'\n'),
                    Some(next) => match replacement::escape(next, self.text, &mut self.at) {
                        Some(c) => replacement::push(&mut text, c),
                        None => text.push(next),
                    },
                },
                Some(byte) => text.push(byte),
            }
        }
        text.push(b'\n');
        Ok(text)
    }

    fn replace(&mut self) -> Result<Action> {
        const OPEN: &str = "unterminated `s' command";
        let delimiter = self.take().filter(|b| *b != b'\n' && *b != b'\\').ok_or(OPEN)?;
        let text = self.delimited(delimiter, Part::Regex).ok_or(OPEN)?;
        let with = self.delimited(delimiter, Part::Text).ok_or(OPEN)?;
        let mut options = Options::default();
        let mut replace = Replace {
            regex: None,
            with: replacement::parse(&with, delimiter),
            first: 0,
            is_global: false,
            prints: false,
            executes: false,
            prints_first: false,
            writes: None,
        };
        loop {
            match self.peek() {
                Some(b'g') if replace.is_global => {
                    return Err("multiple `g' options to `s' command".into());
                }
                Some(b'g') => replace.is_global = true,
                Some(b'p') => replace.prints = true,
                Some(b'i' | b'I') => options.ignore_case = true,
                Some(b'm' | b'M') => options.multi_line = true,
                Some(b'e') if self.dialect.is_safe => {
                    return Err("e/r/w commands disabled in sandbox mode".into());
                }
                Some(b'e') => {
                    replace.prints_first = replace.prints;
                    replace.executes = true;
                }
                Some(b'0'..=b'9') => {
                    if replace.first > 0 {
                        return Err("multiple number options to `s' command".into());
                    }
                    replace.first = self.number().unwrap_or(0);
                    if replace.first == 0 {
                        return Err("number option to `s' command may not be zero".into());
                    }
                    continue;
                }
                Some(b'w') => {
                    self.at += 1;
                    replace.writes = Some(self.written()?);
                    break;
                }
                Some(b' ' | b'\t' | b'\r') => {}
                None | Some(b'\n' | b';' | b'}' | b'#') => {
                    self.finish()?;
                    break;
                }
                Some(_) => {
                    self.at += 1;
                    return Err("unknown option to `s'".into());
                }
            }
            self.at += 1;
        }
        replace.first = replace.first.max(1);
        replace.regex = self.regex(&text, options)?;
        let groups = match &replace.regex {
            Some(regex) => regex.group_count(),
            None => replacement::MAX_GROUP,
        };
        if replace.with.highest > groups {
            let highest = replace.with.highest;
            return Err(format!("invalid reference \\{highest} on `s' command's RHS"));
        }
        Ok(Action::Replace(Box::new(replace)))
    }

    fn translation(&mut self) -> Result<HashMap<char, char>> {
        const OPEN: &str = "unterminated `y' command";
        let delimiter = self.take().ok_or(OPEN)?;
        let from = self.delimited(delimiter, Part::Text).ok_or(OPEN)?;
        let to = self.delimited(delimiter, Part::Text).ok_or(OPEN)?;
        let (from, to) =
            (replacement::characters(&from, delimiter), replacement::characters(&to, delimiter));
        if from.len() != to.len() {
            return Err("strings for `y' command are different lengths".into());
        }
        let mut table = HashMap::new();
        for (from, to) in from.into_iter().zip(to) {
            table.entry(from).or_insert(to);
        }
        Ok(table)
    }
}

/// Parts of a command between delimiters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Regex,
    /// Keeps its backslashes.
    Text,
}

/// Position in a bracket expression, in which a delimiter is a character.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bracket {
    Outside,
    /// After `[` or `[^`, where `]` is a character.
    Begun,
    Inside,
    /// In a class such as `[:alpha:]`, with the character before its `]`.
    Class(u8),
}

impl Bracket {
    fn after(self, byte: u8, next: Option<u8>) -> Bracket {
        match (self, byte) {
            (Bracket::Outside, b'[') => Bracket::Begun,
            (Bracket::Outside, _) => Bracket::Outside,
            (Bracket::Begun, b'^') => Bracket::Begun,
            (Bracket::Begun | Bracket::Inside, b'[')
                if matches!(next, Some(b':' | b'.' | b'=')) =>
            {
                Bracket::Class(next.unwrap_or(b':'))
            }
            (Bracket::Begun, _) => Bracket::Inside,
            (Bracket::Inside, b']') => Bracket::Outside,
            (Bracket::Inside, _) => Bracket::Inside,
            (Bracket::Class(kind), b) if b == kind && next == Some(b']') => Bracket::Begun,
            (Bracket::Class(kind), _) => Bracket::Class(kind),
        }
    }

    fn after_other(self) -> Bracket {
        if self == Bracket::Begun { Bracket::Inside } else { self }
    }
}

/// Adds a character to a regular expression as itself.
fn push_literal(text: &mut Vec<u8>, c: char, is_in_bracket: bool) {
    if !is_in_bracket && ".*[]^$\\".contains(c) {
        text.push(b'\\');
    }
    replacement::push(text, c);
}
