//! Commits as `git log` prints them.

use std::collections::HashMap;

use crate::bytes::text;
use crate::fault::{Result, fatal};
use crate::repo::Repo;
use crate::report::column::{Pad, Wrap};
use crate::report::decorate::Decorations;
use crate::report::options::coloured;
use crate::report::{colour, paint, trailers};
use crate::store::notes::{self, Notes};
use crate::store::object::{Commit, Signature, body};
use crate::store::oid::Oid;
use crate::store::reflog::Change;
use crate::text::date::{self, Form};

/// Form of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Pretty {
    Oneline,
    Short,
    Medium,
    Full,
    Fuller,
    Raw,
    Reference,
    /// A format with placeholders.
    Format {
        format: String,
        /// The format separates commits instead of ending them.
        is_separator: bool,
    },
}

impl Pretty {
    /// Returns the form that `--pretty=` or `--format=` names.
    pub(crate) fn parse(name: &str) -> Result<Pretty> {
        Ok(match name {
            "oneline" => Pretty::Oneline,
            "short" => Pretty::Short,
            "medium" => Pretty::Medium,
            // `--format=` prints nothing of the commit.
            "" => Pretty::Format { format: String::new(), is_separator: false },
            "full" => Pretty::Full,
            "fuller" => Pretty::Fuller,
            "raw" => Pretty::Raw,
            "reference" => Pretty::Reference,
            other => {
                let format = |format: &str, is_separator| Pretty::Format {
                    format: format.to_owned(),
                    is_separator,
                };
                match (other.strip_prefix("format:"), other.strip_prefix("tformat:")) {
                    (Some(text), _) => format(text, true),
                    (None, Some(text)) => format(text, false),
                    (None, None) if other.contains('%') => format(other, false),
                    (None, None) => return Err(fatal(format!("invalid --pretty format: {other}"))),
                }
            }
        })
    }
}

/// Everything that a commit is printed with.
pub(crate) struct Printer<'r> {
    pub(crate) repo: &'r Repo,
    pub(crate) pretty: Pretty,
    pub(crate) date: Form,
    pub(crate) is_abbreviated: bool,
    pub(crate) digits: Option<usize>,
    /// Names of commits are printed after the identity.
    pub(crate) is_decorated: bool,
    pub(crate) decorations: Decorations,
    pub(crate) is_coloured: bool,
    /// Marks before the identity: `<` and `>` of `--left-right`, `-` of `--boundary`.
    pub(crate) marks: HashMap<Oid, char>,
    /// Text after the identity: parents of `--parents`, references of `--source`.
    pub(crate) beside: HashMap<Oid, String>,
    pub(crate) now: i64,
    /// Sides of `a...b`, for `%m`.
    pub(crate) sides: HashMap<Oid, char>,
    /// Notes by their titles.
    pub(crate) notes: Vec<(String, Notes)>,
}

impl<'r> Printer<'r> {
    /// Creates a printer for a form.
    pub(crate) fn new(repo: &'r Repo, pretty: Pretty) -> Printer<'r> {
        let date = repo.config.get("log.date").and_then(Form::parse).unwrap_or(Form::Default);
        Printer {
            repo,
            pretty,
            date,
            is_abbreviated: false,
            digits: None,
            is_decorated: false,
            decorations: Decorations::default(),
            is_coloured: coloured(repo, "color.diff"),
            marks: HashMap::new(),
            beside: HashMap::new(),
            now: Repo::now(),
            sides: HashMap::new(),
            notes: Vec::new(),
        }
    }

    /// Reads the notes of a reference, or of the one that is shown unless told otherwise.
    pub(crate) fn read_notes(&mut self, given: Option<&str>) -> Result<()> {
        let name = notes::reference(self.repo, given);
        let title = match name.as_str() {
            "refs/notes/commits" => "Notes:".to_owned(),
            other => format!("Notes ({}):", other.trim_start_matches("refs/notes/")),
        };
        let found = notes::read(self.repo, &name)?;
        if !found.is_empty() && !self.notes.iter().any(|(known, _)| *known == title) {
            self.notes.push((title, found));
        }
        Ok(())
    }

    /// Returns the mark of `%m`.
    fn side(&self, oid: Oid) -> char {
        match self.marks.get(&oid) {
            Some(mark @ ('-' | '=' | '<')) => *mark,
            _ => self.sides.get(&oid).copied().unwrap_or('>'),
        }
    }

    fn note(&self, oid: Oid) -> Option<Vec<u8>> {
        let found = self.notes.iter().filter_map(|(_, notes)| notes.get(&oid));
        let texts: Vec<Vec<u8>> = found.filter_map(|note| self.repo.odb.blob(*note).ok()).collect();
        (!texts.is_empty()).then(|| texts.join(&b'\n'))
    }

    fn short(&self, oid: Oid) -> String {
        match self.digits {
            Some(digits) => self.repo.odb.short_by(oid, digits),
            None => self.repo.odb.short(oid),
        }
    }

    fn date_of(&self, who: &Signature, form: &Form) -> String {
        date::format(form, who.seconds, who.zone, self.now)
    }

    /// Writes a commit, with a newline at its end except for formats that separate.
    pub(crate) fn write(
        &self,
        oid: Oid,
        commit: &Commit,
        log: Option<(usize, &Change)>,
        out: &mut Vec<u8>,
    ) {
        let id = if self.is_abbreviated { self.short(oid) } else { oid.to_string() };
        let mark = self.marks.get(&oid).map_or_else(String::new, |mark| format!("{mark} "));
        let beside = self.beside.get(&oid).map_or("", String::as_str);
        let names = match self.is_decorated {
            true => String::from_utf8(self.names(oid, " (", ")", self.is_coloured)),
            false => Ok(String::new()),
        }
        .unwrap_or_default();
        let yellow = |text: String| match self.is_coloured {
            true => format!("\x1b[33m{text}\x1b[m"),
            false => text,
        };
        let author = Signature::parse(&commit.author);
        let committer = Signature::parse(&commit.committer);
        match &self.pretty {
            Pretty::Format { format, .. } => {
                out.extend(self.expand(format, oid, commit, log));
                return;
            }
            Pretty::Oneline => {
                out.extend(format!("{}{beside}{names} ", yellow(format!("{mark}{id}"))).bytes());
                if let Some((n, change)) = log {
                    out.extend(format!("HEAD@{{{n}}}: ").bytes());
                    out.extend(&change.message);
                } else {
                    out.extend(commit.subject());
                }
                out.push(b'\n');
                return;
            }
            Pretty::Reference => {
                let format = format!("{} (%s, %as)", self.short(oid));
                out.extend(self.expand(&format, oid, commit, log));
                out.push(b'\n');
                return;
            }
            Pretty::Short | Pretty::Medium | Pretty::Full | Pretty::Fuller | Pretty::Raw => {}
        }
        let head = yellow(format!("commit {mark}{id}{beside}"));
        out.extend(format!("{head}{names}\n").bytes());
        if self.pretty == Pretty::Raw {
            out.extend(format!("tree {}\n", commit.tree).bytes());
            for parent in &commit.parents {
                out.extend(format!("parent {parent}\n").bytes());
            }
            for (name, who) in [("author ", &commit.author), ("committer ", &commit.committer)] {
                out.extend(name.bytes());
                out.extend(who);
                out.push(b'\n');
            }
        } else if commit.parents.len() > 1 {
            let parents: Vec<String> = commit.parents.iter().map(|oid| self.short(*oid)).collect();
            out.extend(format!("Merge: {}\n", parents.join(" ")).bytes());
        }
        let mut who = |label: &str, who: &Signature| {
            out.extend(label.bytes());
            out.extend(&who.name);
            out.extend(b" <");
            out.extend(&who.mail);
            out.extend(b">\n");
        };
        match self.pretty {
            Pretty::Short | Pretty::Medium => who("Author: ", &author),
            Pretty::Full => {
                who("Author: ", &author);
                who("Commit: ", &committer);
            }
            Pretty::Fuller => {
                who("Author:     ", &author);
                out.extend(format!("AuthorDate: {}\n", self.date_of(&author, &self.date)).bytes());
                let mut who = |label: &str, who: &Signature| {
                    out.extend(label.bytes());
                    out.extend(&who.name);
                    out.extend(b" <");
                    out.extend(&who.mail);
                    out.extend(b">\n");
                };
                who("Commit:     ", &committer);
                out.extend(
                    format!("CommitDate: {}\n", self.date_of(&committer, &self.date)).bytes(),
                );
            }
            _ => {}
        }
        if self.pretty == Pretty::Medium {
            out.extend(format!("Date:   {}\n", self.date_of(&author, &self.date)).bytes());
        }
        out.push(b'\n');
        let message = match self.pretty {
            Pretty::Short => commit.subject(),
            _ => commit.message.trim_ascii_end().to_vec(),
        };
        let start = message.iter().position(|b| *b != b'\n').unwrap_or(message.len());
        for line in message[start..].split(|b| *b == b'\n') {
            let line = if self.pretty == Pretty::Raw { line } else { line.trim_ascii_end() };
            if !line.is_empty() {
                out.extend(b"    ");
                out.extend(line);
            } else {
                out.extend(b"    ");
            }
            out.push(b'\n');
        }
        for (title, notes) in &self.notes {
            let note = notes.get(&oid).and_then(|note| self.repo.odb.blob(*note).ok());
            if let Some(note) = note.filter(|_| self.pretty != Pretty::Short) {
                out.extend(format!("\n{title}\n").bytes());
                for line in crate::bytes::lines(note.trim_ascii_end()) {
                    out.extend([b"    ".as_slice(), line].concat());
                }
                out.push(b'\n');
            }
        }
    }

    /// Replaces the placeholders of a format.
    pub(crate) fn expand(
        &self,
        format: &str,
        oid: Oid,
        commit: &Commit,
        log: Option<(usize, &Change)>,
    ) -> Vec<u8> {
        let mut out = Vec::new();
        let mut rest = format;
        let mut pad: Option<Pad> = None;
        let mut has_auto = false;
        let mut wrap: Option<Wrap> = None;
        while let Some(at) = rest.find('%') {
            out.extend(rest[..at].bytes());
            rest = &rest[at + 1..];
            if let Some((next, after)) = Pad::parse(rest) {
                pad = Some(next);
                rest = after;
                continue;
            }
            if let Some(after) = rest.strip_prefix("C(auto)") {
                has_auto = self.is_coloured;
                if has_auto && !out.is_empty() {
                    out.extend(paint::RESET);
                }
                rest = after;
                continue;
            }
            if let Some((code, after)) = self.colour(rest) {
                out.extend(code.bytes());
                has_auto = false;
                rest = after;
                continue;
            }
            if let Some((next, after)) = Wrap::parse(rest, out.len()) {
                if let Some(wrap) = wrap.take() {
                    wrap.apply(&mut out);
                }
                wrap = Some(next);
                rest = after;
                continue;
            }
            // A sign before the name removes or adds white space around the value.
            let sign = rest.chars().next().filter(|c| matches!(c, '+' | '-' | ' '));
            let name = &rest[usize::from(sign.is_some())..];
            let Some((mut value, after)) = self.placeholder(name, oid, commit, log) else {
                out.push(b'%');
                continue;
            };
            rest = after;
            if has_auto {
                value = match name.as_bytes()[0] {
                    b'H' | b'h' => [paint::YELLOW, &value, paint::RESET].concat(),
                    b'd' => self.names(oid, " (", ")", true),
                    b'D' => self.names(oid, "", "", true),
                    _ => value,
                };
            }
            match sign {
                Some('+') if !value.is_empty() => out.push(b'\n'),
                Some(' ') if !value.is_empty() => out.push(b' '),
                Some('-') if value.is_empty() => {
                    while out.last() == Some(&b'\n') {
                        out.pop();
                    }
                }
                _ => {}
            }
            match pad.take() {
                Some(pad) => {
                    let line = out.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
                    let column = text(&out[line..]).chars().count();
                    out.extend(pad.apply(&value, column));
                }
                None => out.extend(value),
            }
        }
        out.extend(rest.bytes());
        if let Some(wrap) = wrap {
            wrap.apply(&mut out);
        }
        out
    }

    /// Returns the names of a commit between brackets; empty if it has none.
    fn names(&self, oid: Oid, before: &str, after: &str, is_coloured: bool) -> Vec<u8> {
        let names = match is_coloured {
            true => self.decorations.coloured(oid, before, after),
            false => self.decorations.of(oid).map(|names| format!("{before}{names}{after}")),
        };
        names.unwrap_or_default().into_bytes()
    }

    /// Parses a colour: `Cred`, `C(bold blue)`, `C(always,red)`. It is empty without colours.
    fn colour<'t>(&self, text: &'t str) -> Option<(String, &'t str)> {
        let rest = text.strip_prefix('C')?;
        let Some(inside) = rest.strip_prefix('(') else {
            let names = ["red", "green", "blue", "reset"];
            let name = names.into_iter().find(|name| rest.starts_with(name))?;
            let code = colour::parse(name).filter(|_| self.is_coloured).unwrap_or_default();
            return Some((code, &rest[name.len()..]));
        };
        let end = inside.find(')')?;
        let (words, after) = (&inside[..end], &inside[end + 1..]);
        let (is_shown, words) = match words.split_once(',') {
            Some(("always", words)) => (true, words),
            Some(("auto", words)) => (self.is_coloured, words),
            _ => (self.is_coloured, words),
        };
        let code = colour::parse(words)?;
        Some((if is_shown { code } else { String::new() }, after))
    }

    fn placeholder<'t>(
        &self,
        name: &'t str,
        oid: Oid,
        commit: &Commit,
        log: Option<(usize, &Change)>,
    ) -> Option<(Vec<u8>, &'t str)> {
        let parents = |is_short: bool| {
            let id = |oid: &Oid| if is_short { self.short(*oid) } else { oid.to_string() };
            commit.parents.iter().map(id).collect::<Vec<_>>().join(" ").into_bytes()
        };
        let first = name.chars().next()?;
        let rest = &name[first.len_utf8()..];
        let value = match first {
            'H' => oid.to_string().into_bytes(),
            'h' => self.short(oid).into_bytes(),
            'T' => commit.tree.to_string().into_bytes(),
            't' => self.short(commit.tree).into_bytes(),
            'P' => parents(false),
            'p' => parents(true),
            's' => commit.subject(),
            'f' => sanitised(&commit.subject()),
            'b' => body(&commit.message).to_vec(),
            'B' => commit.message.clone(),
            'n' => b"\n".to_vec(),
            '%' => b"%".to_vec(),
            'N' => self.note(oid).unwrap_or_default(),
            'e' => Vec::new(),
            'm' => self.side(oid).to_string().into_bytes(),
            'd' => self.names(oid, " (", ")", false),
            'D' => self.names(oid, "", "", false),
            'S' => self.beside.get(&oid).map_or("", |name| name.trim()).as_bytes().to_vec(),
            'x' => {
                let byte = u8::from_str_radix(rest.get(..2)?, 16).ok()?;
                return Some((vec![byte], &rest[2..]));
            }
            'a' | 'c' => {
                let who =
                    Signature::parse(if first == 'a' { &commit.author } else { &commit.committer });
                let part = rest.chars().next()?;
                return Some((self.person(&who, part)?, &rest[1..]));
            }
            'g' => {
                let part = rest.chars().next()?;
                let (n, change) = log?;
                let value = match part {
                    'd' | 'D' => format!("HEAD@{{{n}}}").into_bytes(),
                    's' => change.message.clone(),
                    'n' => Signature::parse(&change.who).name,
                    'e' => Signature::parse(&change.who).mail,
                    _ => return None,
                };
                return Some((value, &rest[1..]));
            }
            'G' => {
                let value = if rest.starts_with('?') { b"N".to_vec() } else { Vec::new() };
                return Some((value, rest.get(1..)?));
            }
            '(' => {
                let inside = rest.strip_prefix("trailers")?;
                let end = inside.find(')')?;
                let arguments = inside[..end].strip_prefix(':').unwrap_or(&inside[..end]);
                let value = trailers::format(&commit.message, arguments)?;
                return Some((value, &inside[end + 1..]));
            }
            _ => return None,
        };
        Some((value, rest))
    }

    fn person(&self, who: &Signature, part: char) -> Option<Vec<u8>> {
        let form = match part {
            'n' | 'N' => return Some(who.name.clone()),
            'e' | 'E' => return Some(who.mail.clone()),
            'l' | 'L' => return Some(who.mail.split(|b| *b == b'@').next()?.to_vec()),
            'd' => self.date.clone(),
            'D' => Form::Rfc,
            'r' | 'h' => Form::Relative,
            't' => Form::Unix,
            'i' => Form::Iso,
            'I' => Form::IsoStrict,
            's' => Form::Short,
            _ => return None,
        };
        Some(self.date_of(who, &form).into_bytes())
    }
}

/// Turns a subject into a part of a file name.
pub(crate) fn sanitised(subject: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    for &byte in subject {
        match byte {
            b if b.is_ascii_alphanumeric() || b == b'_' => out.push(b),
            b'.' if out.last() != Some(&b'.') => out.push(b'.'),
            _ if out.last().is_some_and(|last| *last != b'-') => out.push(b'-'),
            _ => {}
        }
    }
    while out.last().is_some_and(|last| b".-".contains(last)) {
        out.pop();
    }
    out
}
