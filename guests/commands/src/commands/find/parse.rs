//! Parses the expression.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};

use crate::bytes::{OsStrExt as _, OsStringExt as _};
use crate::files::{self, owner_id};
use crate::output::reason;
use crate::pattern::{self, Pattern, Syntax};

use super::act::Batch;

/// The symbolic links that are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Follow {
    Never,
    Operands,
    Always,
}

pub(super) struct Options {
    pub(super) follow: Follow,
    pub(super) least: usize,
    pub(super) most: usize,
    pub(super) depth_first: bool,
}

/// A numeric comparison: `+5`, `-5`, `5`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Amount {
    More(u64),
    Less(u64),
    Exactly(u64),
}

impl Amount {
    fn parse(text: &str) -> Option<Self> {
        Some(match text.as_bytes().first()? {
            b'+' => Amount::More(text[1..].parse().ok()?),
            b'-' => Amount::Less(text[1..].parse().ok()?),
            _ => Amount::Exactly(text.parse().ok()?),
        })
    }

    pub(super) fn fits(self, number: u64) -> bool {
        match self {
            Amount::More(than) => number > than,
            Amount::Less(than) => number < than,
            Amount::Exactly(one) => number == one,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Time {
    Accessed,
    Changed,
    Modified,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Permissions {
    Exactly(u32),
    All(u32),
    Any(u32),
}

pub(super) enum Expr {
    True,
    False,
    Not(Box<Expr>),
    And(Box<Expr>, Box<Expr>),
    Or(Box<Expr>, Box<Expr>),
    Comma(Box<Expr>, Box<Expr>),
    Name(Vec<u8>, bool),
    Path(Vec<u8>, bool),
    LinkName(Vec<u8>, bool),
    Regex(Box<Pattern>),
    Type(Vec<u8>, bool),
    Size(Amount, u64),
    Empty,
    /// The last field is the unit of the amount, in nanoseconds.
    Age(Time, Amount, u64),
    Newer(Time, u64),
    Permissions(Permissions),
    User(u32),
    Group(u32),
    Links(Amount),
    Inode(Amount),
    Same(u64, u64),
    /// Access bits 4, 2, 1 that must be granted.
    Access(u32),
    Print(u8),
    Printf(Vec<u8>),
    PrintTo(OsString),
    Ls,
    Delete,
    Prune,
    Quit,
    Exec {
        argv: Vec<OsString>,
        in_dir: bool,
        ask: bool,
    },
    Collect(usize),
}

pub(super) struct Parsed {
    pub(super) starts: Vec<Vec<u8>>,
    pub(super) options: Options,
    pub(super) expr: Expr,
    pub(super) batches: Vec<Batch>,
}

/// Deepest nesting of parentheses.
const MAX_NESTING: usize = 100;

struct Parser {
    args: VecDeque<OsString>,
    options: Options,
    batches: Vec<Batch>,
    acts: bool,
    depth: usize,
    syntax: Syntax,
}

pub(super) fn parse(args: Vec<OsString>) -> Result<Parsed, String> {
    let mut args: VecDeque<OsString> = args.into();
    let options = Options { follow: Follow::Never, least: 0, most: usize::MAX, depth_first: false };
    let mut parser = Parser {
        args: VecDeque::new(),
        options,
        batches: Vec::new(),
        acts: false,
        depth: 0,
        syntax: Syntax::Basic,
    };
    while let Some(first) = args.front() {
        parser.options.follow = match first.as_bytes() {
            b"-H" => Follow::Operands,
            b"-L" => Follow::Always,
            b"-P" => Follow::Never,
            _ => break,
        };
        args.pop_front();
    }
    let mut starts = Vec::new();
    while let Some(first) = args.front() {
        let bytes = first.as_bytes();
        if bytes.starts_with(b"-") && bytes.len() > 1 || matches!(bytes, b"(" | b"!" | b",") {
            break;
        }
        starts.extend(args.pop_front().map(OsString::into_vec));
    }
    if starts.is_empty() {
        starts.push(b".".to_vec());
    }
    parser.args = args;
    let expr = if parser.args.is_empty() { Expr::True } else { parser.comma()? };
    if let Some(left) = parser.args.front() {
        let left = left.to_string_lossy();
        return Err(match left.as_ref() {
            ")" => "you have too many ')'".to_owned(),
            _ => format!("paths must precede expression: `{left}'"),
        });
    }
    let expr =
        if parser.acts { expr } else { Expr::And(Box::new(expr), Box::new(Expr::Print(b'\n'))) };
    Ok(Parsed { starts, options: parser.options, expr, batches: parser.batches })
}

impl Parser {
    fn peek(&self) -> &[u8] {
        self.args.front().map_or(b"", |arg| arg.as_bytes())
    }

    fn comma(&mut self) -> Result<Expr, String> {
        let mut left = self.or()?;
        while self.peek() == b"," {
            self.args.pop_front();
            left = Expr::Comma(Box::new(left), Box::new(self.or()?));
        }
        Ok(left)
    }

    fn or(&mut self) -> Result<Expr, String> {
        let mut left = self.and()?;
        while matches!(self.peek(), b"-o" | b"-or") {
            self.args.pop_front();
            left = Expr::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Result<Expr, String> {
        let mut left = self.not()?;
        loop {
            match self.peek() {
                b"-a" | b"-and" => {
                    self.args.pop_front();
                }
                b"-o" | b"-or" | b"," | b")" | b"" => return Ok(left),
                _ => {}
            }
            left = Expr::And(Box::new(left), Box::new(self.not()?));
        }
    }

    fn not(&mut self) -> Result<Expr, String> {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            return Err("expression nested too deeply".to_owned());
        }
        let expr = match self.peek() {
            b"!" | b"-not" => {
                self.args.pop_front();
                Expr::Not(Box::new(self.not()?))
            }
            b"(" => {
                self.args.pop_front();
                if self.peek() == b")" {
                    return Err("empty parentheses are not allowed.".to_owned());
                }
                let inside = self.comma()?;
                if self.args.pop_front().is_none_or(|arg| arg != ")") {
                    return Err("invalid expression; expected to find a ')' but didn't see one. Perhaps you need an extra predicate after '('".to_owned());
                }
                inside
            }
            _ => self.test()?,
        };
        self.depth -= 1;
        Ok(expr)
    }

    fn value(&mut self, of: &str) -> Result<OsString, String> {
        self.args.pop_front().ok_or_else(|| format!("missing argument to `{of}'"))
    }

    fn amount(&mut self, of: &str) -> Result<Amount, String> {
        let text = self.value(of)?.to_string_lossy().into_owned();
        Amount::parse(&text).ok_or_else(|| format!("invalid argument `{text}' to `{of}'"))
    }

    fn reference(&mut self, of: &str) -> Result<cofferdam_guest_sys::FileStatus, String> {
        let file = self.value(of)?;
        files::status(file.as_bytes(), true).map_err(|error| {
            format!("\u{2018}{}\u{2019}: {}", file.to_string_lossy(), reason(&error))
        })
    }

    fn owner(&mut self, of: &str) -> Result<u32, String> {
        let name = self.value(of)?.to_string_lossy().into_owned();
        owner_id(&name).ok_or_else(|| {
            format!("\u{2018}{name}\u{2019} is not the name of a known {}", &of[1..])
        })
    }

    fn test(&mut self) -> Result<Expr, String> {
        const DAY: u64 = 86_400_000_000_000;
        const MINUTE: u64 = 60_000_000_000;
        let Some(word) = self.args.pop_front() else {
            return Err("expected an expression".to_owned());
        };
        let word = word.to_string_lossy().into_owned();
        let w = word.as_str();
        Ok(match w {
            "-true"
            | "-daystart"
            | "-noleaf"
            | "-xdev"
            | "-mount"
            | "-warn"
            | "-nowarn"
            | "-ignore_readdir_race" => Expr::True,
            "-false" => Expr::False,
            "-follow" => {
                self.options.follow = Follow::Always;
                Expr::True
            }
            "-depth" | "-d" => {
                self.options.depth_first = true;
                Expr::True
            }
            "-maxdepth" | "-mindepth" => {
                let text = self.value(w)?.to_string_lossy().into_owned();
                let depth = text.parse().map_err(|_| {
                    format!("Expected a positive decimal integer argument to {w}, but got \u{2018}{text}\u{2019}")
                })?;
                if w == "-maxdepth" {
                    self.options.most = depth;
                } else {
                    self.options.least = depth;
                }
                Expr::True
            }
            "-name" => Expr::Name(self.value(w)?.into_vec(), false),
            "-iname" => Expr::Name(self.value(w)?.into_vec(), true),
            "-path" | "-wholename" => Expr::Path(self.value(w)?.into_vec(), false),
            "-ipath" | "-iwholename" => Expr::Path(self.value(w)?.into_vec(), true),
            "-lname" => Expr::LinkName(self.value(w)?.into_vec(), false),
            "-ilname" => Expr::LinkName(self.value(w)?.into_vec(), true),
            "-regextype" => {
                let kind = self.value(w)?.to_string_lossy().into_owned();
                self.syntax = match kind.as_str() {
                    "posix-extended" | "egrep" | "posix-egrep" | "awk" | "gnu-awk"
                    | "posix-awk" => Syntax::Extended,
                    "emacs"
                    | "findutils-default"
                    | "posix-basic"
                    | "grep"
                    | "sed"
                    | "ed"
                    | "posix-minimal-basic" => Syntax::Basic,
                    _ => {
                        return Err(format!(
                            "Unknown regular expression type \u{2018}{kind}\u{2019}"
                        ));
                    }
                };
                Expr::True
            }
            "-regex" | "-iregex" => {
                let text = self.value(w)?.to_string_lossy().into_owned();
                let options = pattern::Options {
                    ignore_case: w == "-iregex",
                    around: Some(("^(?:", ")$")),
                    ..Default::default()
                };
                // Emacs syntax, the default, has bare `+` and `?` but otherwise basic groups.
                let text = match self.syntax {
                    Syntax::Basic => emacs(&text),
                    Syntax::Extended | Syntax::Awk => text,
                };
                Expr::Regex(Box::new(Pattern::new(&text, self.syntax, options)?))
            }
            "-type" | "-xtype" => {
                let kinds = self.value(w)?.into_vec();
                let kinds: Vec<u8> = kinds.into_iter().filter(|b| *b != b',').collect();
                if let Some(bad) = kinds.iter().find(|kind| !b"bcdpflsD".contains(kind)) {
                    return Err(format!("Unknown argument to {w}: {}", char::from(*bad)));
                }
                Expr::Type(kinds, w == "-xtype")
            }
            "-size" => {
                let text = self.value(w)?.to_string_lossy().into_owned();
                let bad = || format!("invalid {w} type `{text}'");
                let unit = match text.bytes().last() {
                    Some(b'c') => 1,
                    Some(b'w') => 2,
                    Some(b'b') => 512,
                    Some(b'k') => 1 << 10,
                    Some(b'M') => 1 << 20,
                    Some(b'G') => 1 << 30,
                    Some(b'0'..=b'9') => 0,
                    _ => return Err(bad()),
                };
                let digits = if unit == 0 { &text[..] } else { &text[..text.len() - 1] };
                let amount = Amount::parse(digits).ok_or_else(bad)?;
                Expr::Size(amount, if unit == 0 { 512 } else { unit })
            }
            "-empty" => Expr::Empty,
            "-mtime" => Expr::Age(Time::Modified, self.amount(w)?, DAY),
            "-atime" => Expr::Age(Time::Accessed, self.amount(w)?, DAY),
            "-ctime" => Expr::Age(Time::Changed, self.amount(w)?, DAY),
            "-mmin" => Expr::Age(Time::Modified, self.amount(w)?, MINUTE),
            "-amin" => Expr::Age(Time::Accessed, self.amount(w)?, MINUTE),
            "-cmin" => Expr::Age(Time::Changed, self.amount(w)?, MINUTE),
            "-newer" | "-newermm" => Expr::Newer(Time::Modified, self.reference(w)?.modified),
            "-anewer" => Expr::Newer(Time::Accessed, self.reference(w)?.modified),
            "-cnewer" => Expr::Newer(Time::Changed, self.reference(w)?.modified),
            "-neweram" => Expr::Newer(Time::Accessed, self.reference(w)?.modified),
            "-newercm" => Expr::Newer(Time::Changed, self.reference(w)?.modified),
            "-newermt" | "-newerat" | "-newerct" => {
                let which = match w {
                    "-newerat" => Time::Accessed,
                    "-newerct" => Time::Changed,
                    _ => Time::Modified,
                };
                let text = self.value(w)?.to_string_lossy().into_owned();
                let at = cofferdam_guest_sys::calendar::parse(&text).ok_or_else(|| {
                    format!("I cannot figure out how to interpret \u{2018}{text}\u{2019} as a date or time")
                })?;
                Expr::Newer(which, (at.max(0) as u64).saturating_mul(1_000_000_000))
            }
            "-perm" => {
                let text = self.value(w)?.to_string_lossy().into_owned();
                let (kind, mode): (fn(u32) -> Permissions, &str) = match text.as_bytes().first() {
                    Some(b'-') => (Permissions::All, &text[1..]),
                    Some(b'/') => (Permissions::Any, &text[1..]),
                    _ => (Permissions::Exactly, &text),
                };
                let mode = files::parse_mode(mode, 0, false, 0);
                Expr::Permissions(kind(
                    mode.ok_or_else(|| format!("invalid mode \u{2018}{text}\u{2019}"))?,
                ))
            }
            "-user" | "-uid" => Expr::User(self.owner(w)?),
            "-group" | "-gid" => Expr::Group(self.owner(w)?),
            "-nouser" | "-nogroup" => Expr::False,
            "-links" => Expr::Links(self.amount(w)?),
            "-inum" => Expr::Inode(self.amount(w)?),
            "-samefile" => {
                let other = self.reference(w)?;
                Expr::Same(other.device, other.inode)
            }
            "-readable" => Expr::Access(4),
            "-writable" => Expr::Access(2),
            "-executable" => Expr::Access(1),
            "-print" => self.action(Expr::Print(b'\n')),
            "-print0" => self.action(Expr::Print(0)),
            "-printf" => {
                let format = self.value(w)?.into_vec();
                self.action(Expr::Printf(format))
            }
            "-fprint" => {
                let file = self.value(w)?;
                std::fs::write(&file, b"").map_err(|error| {
                    format!("\u{2018}{}\u{2019}: {}", file.to_string_lossy(), reason(&error))
                })?;
                self.action(Expr::PrintTo(file))
            }
            "-ls" => self.action(Expr::Ls),
            "-delete" => {
                self.options.depth_first = true;
                self.action(Expr::Delete)
            }
            "-prune" => Expr::Prune,
            "-quit" => self.action(Expr::Quit),
            "-exec" | "-execdir" | "-ok" | "-okdir" => self.exec(w)?,
            _ => return Err(format!("unknown predicate `{word}'")),
        })
    }

    fn action(&mut self, expr: Expr) -> Expr {
        self.acts |= !matches!(expr, Expr::Quit);
        expr
    }

    fn exec(&mut self, word: &str) -> Result<Expr, String> {
        self.acts = true;
        let mut argv = Vec::new();
        let in_dir = word.ends_with("dir");
        let ask = word.starts_with("-ok");
        loop {
            let arg = self.value(word)?;
            if arg == ";" {
                if argv.is_empty() {
                    return Err(format!("invalid argument `;' to `{word}'"));
                }
                return Ok(Expr::Exec { argv, in_dir, ask });
            }
            if arg == "+" && argv.last().is_some_and(|last: &OsString| last == OsStr::new("{}")) {
                argv.pop();
                self.batches.push(Batch::new(argv, in_dir));
                return Ok(Expr::Collect(self.batches.len() - 1));
            }
            argv.push(arg);
        }
    }
}

/// Adds backslashes to the bare `+` and `?` of Emacs syntax.
fn emacs(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    let mut bracket = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' if !bracket => {
                out.push(c);
                out.extend(chars.next());
                continue;
            }
            '[' => bracket = true,
            ']' => bracket = false,
            '+' | '?' if !bracket => out.push('\\'),
            _ => {}
        }
        out.push(c);
    }
    out
}
