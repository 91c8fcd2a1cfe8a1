//! Parser state: position, pending here-documents, alias expansion and nesting depth.

use std::fmt;
use std::rc::Rc;

use super::ast::{Here, List, Text};
use crate::table::Table;

/// Aliases by name.
pub type Aliases = Table<Text, Text>;

/// Deepest nesting of commands and substitutions in a script; the parser recurses.
pub const MAX_DEPTH: usize = 250;

/// Longest text that alias expansion may produce.
const MAX_ALIASED: usize = 16 * 1024 * 1024;

/// A syntax error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Message in bash's wording.
    pub message: String,
    /// Line of the error.
    pub line: u32,
    /// True if more input could complete the command.
    pub incomplete: bool,
    /// True for an error inside `[[ … ]]`, after which bash ends with the status from before it.
    pub in_test: bool,
    /// True for an error inside `$(…)`, which ends a non-interactive shell.
    pub in_substitution: bool,
    /// True for an error inside `name=(…)`, after which a script goes on with the next line.
    pub in_elements: bool,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

pub(super) type Result<T> = std::result::Result<T, SyntaxError>;

/// A parser for one script.
#[derive(Debug)]
pub struct Parser {
    pub(super) src: Rc<[u8]>,
    pub(super) pos: usize,
    pub(super) line: u32,
    pub(super) depth: usize,
    pub(super) extglob: bool,
    /// Here-documents whose bodies begin at the next line.
    pub(super) pending: Vec<Rc<Here>>,
    pub(super) unended_here: bool,
    /// Warnings that the shell has not printed yet.
    pub(super) warnings: Vec<Warning>,
    aliases: Option<Rc<Aliases>>,
    /// Aliases being expanded, each with the length of the text after it; prevents recursion.
    guards: Vec<(Text, usize)>,
    /// Length of the text after an alias that ended with a blank: the next word may be an alias
    /// too.
    blank_end: Option<usize>,
    /// True if the text contains a backslash-newline.
    has_joins: bool,
    /// Number of substitutions around the position.
    pub(super) substitutions: usize,
    /// True in POSIX mode, where single quotes in `"${x-…}"` are plain text.
    pub posix: bool,
    /// True if a parameter since the last reset was `$BASH_COMMAND`.
    pub(super) names_command: bool,
    /// Form in which the word being parsed is printed.
    pub(super) prints: super::word::Prints,
    /// Number of times that an alias replaced the text, and with it all positions.
    pub(super) replacements: u32,
    /// Pieces of the word being parsed that are printed otherwise than written.
    pub(super) edits: Vec<super::word::Edit>,
}

/// Something odd in a script that still runs.
#[derive(Debug)]
pub struct Warning {
    /// Line at which the parser noticed.
    pub line: u32,
    /// Text after the line number.
    pub message: String,
}

impl Parser {
    /// Creates a parser at the first byte.
    pub fn new(src: &[u8], line: u32) -> Parser {
        Parser::over(Rc::from(src), line)
    }

    fn over(src: Rc<[u8]>, line: u32) -> Parser {
        let has_joins = has_join(&src);
        Parser {
            src,
            pos: 0,
            line,
            depth: 0,
            extglob: true,
            pending: Vec::new(),
            unended_here: false,
            warnings: Vec::new(),
            aliases: None,
            guards: Vec::new(),
            blank_end: None,
            has_joins,
            substitutions: 0,
            posix: false,
            names_command: false,
            prints: Default::default(),
            replacements: 0,
            edits: Vec::new(),
        }
    }

    /// Creates a parser for a piece of this text, one nesting level deeper.
    pub(super) fn inner(&self, piece: &[u8]) -> Result<Parser> {
        let mut inner = Parser::new(piece, self.line);
        inner.depth = self.depth + 1;
        inner.extglob = self.extglob;
        inner.posix = self.posix;
        inner.aliases = self.aliases.clone();
        if inner.depth > MAX_DEPTH {
            return Err(self.too_deep());
        }
        Ok(inner)
    }

    /// Parses the next complete command. Returns `None` at the end.
    pub fn next(
        &mut self,
        aliases: Option<Rc<Aliases>>,
        extglob: bool,
    ) -> std::result::Result<Option<List>, SyntaxError> {
        self.aliases = aliases;
        self.extglob = extglob;
        self.skip_newlines()?;
        if self.at_end() {
            return Ok(None);
        }
        let list = self.line_of_commands()?;
        self.skip_blanks();
        match self.peek() {
            None => {}
            Some(b'\n') => self.newline()?,
            Some(_) => return Err(self.unexpected()),
        }
        if self.at_end() {
            self.read_pending()?;
        }
        Ok(Some(list))
    }

    /// Parses everything up to the end as one list.
    pub fn whole(&mut self) -> std::result::Result<List, SyntaxError> {
        let list = self.list()?;
        if !self.at_end() {
            return Err(self.unexpected());
        }
        self.read_pending()?;
        Ok(list)
    }

    /// Takes the warnings since the last call.
    pub fn warnings(&mut self) -> Vec<Warning> {
        std::mem::take(&mut self.warnings)
    }

    /// Returns true if a here-document lacks its delimiter.
    pub fn wants_more(&self) -> bool {
        self.unended_here
    }

    /// Returns the current line.
    pub fn line(&self) -> u32 {
        self.line
    }

    /// Returns the remaining text.
    pub fn rest(&self) -> &[u8] {
        &self.src[self.pos.min(self.src.len())..]
    }

    /// Leaves out the rest of the line, after an error in it.
    pub fn skip_line(&mut self) {
        self.pending.clear();
        let len = self.rest().iter().position(|c| *c == b'\n').unwrap_or(self.rest().len());
        self.pos += len;
    }

    pub(super) fn at_end(&self) -> bool {
        self.pos >= self.src.len()
    }

    pub(super) fn peek(&self) -> Option<u8> {
        self.src.get(self.pos).copied()
    }

    pub(super) fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.src.get(self.pos + ahead).copied()
    }

    pub(super) fn looking_at(&self, text: &[u8]) -> bool {
        self.rest().starts_with(text)
    }

    /// Returns true if this exact word is next.
    pub(super) fn at_word(&self, word: &[u8]) -> bool {
        self.looking_at(word) && self.peek_at(word.len()).is_none_or(is_meta)
    }

    pub(super) fn eat(&mut self, text: &[u8]) -> bool {
        let found = self.looking_at(text);
        if found {
            self.pos += text.len();
        }
        found
    }

    pub(super) fn eat_word(&mut self, word: &[u8]) -> bool {
        let found = self.at_word(word);
        if found {
            self.pos += word.len();
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &[u8]) -> Result<()> {
        self.skip_newlines()?;
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Skips to the next token and joins its continued lines up to the next blank or quote.
    pub(super) fn skip_blanks(&mut self) {
        self.skip_blank_text();
        if self.has_joins {
            self.join_lines();
        }
    }

    /// Removes backslash-newlines from here to the next blank or quote, so that a keyword, name or
    /// operator split over two lines is recognised. The text before them moves towards the text
    /// after them.
    pub(super) fn join_lines(&mut self) {
        let mut end = self.pos;
        let mut joins = 0;
        while let Some(c) = self.src.get(end) {
            match c {
                b'\\' if self.src.get(end + 1) == Some(&b'\n') => {
                    joins += 1;
                    end += 1;
                }
                b'\\' | b' ' | b'\t' | b'\n' | b'\'' | b'"' | b'`' => break,
                b'#' if end > 0 && is_meta(self.src[end - 1]) => break,
                _ => {}
            }
            end += 1;
        }
        if joins == 0 {
            return;
        }
        let src = Rc::make_mut(&mut self.src);
        let (mut from, mut to) = (end, end);
        while from > self.pos {
            from -= 1;
            if src[from] == b'\n' {
                from -= 1;
                continue;
            }
            to -= 1;
            src[to] = src[from];
        }
        // Code that looks back sees a blank.
        src[self.pos..to].fill(b' ');
        self.pos = to;
        self.line += joins;
    }

    fn skip_blank_text(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.pos += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => {
                    self.pos += 2;
                    self.line += 1;
                }
                Some(b'#') if self.pos == 0 || is_meta(self.src[self.pos - 1]) => {
                    while self.peek().is_some_and(|c| c != b'\n') {
                        self.pos += 1;
                    }
                }
                _ => return,
            }
        }
    }

    pub(super) fn skip_newlines(&mut self) -> Result<()> {
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'\n') {
                return Ok(());
            }
            self.newline()?;
        }
    }

    pub(super) fn newline(&mut self) -> Result<()> {
        self.pos += 1;
        self.line += 1;
        self.read_pending()
    }

    /// Runs `f` one nesting level deeper.
    pub(super) fn deeper<T>(&mut self, f: impl FnOnce(&mut Parser) -> Result<T>) -> Result<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.too_deep());
        }
        let answer = f(self);
        self.depth -= 1;
        answer
    }

    pub(super) fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            message: message.into(),
            line: self.line,
            incomplete: false,
            in_test: false,
            in_substitution: false,
            in_elements: false,
        }
    }

    fn too_deep(&self) -> SyntaxError {
        self.error(format!("nested deeper than {MAX_DEPTH} levels"))
    }

    /// Returns the syntax error for the token at the current position.
    pub(super) fn unexpected(&self) -> SyntaxError {
        if self.at_end() {
            let message = "syntax error: unexpected end of file".to_owned();
            // The end is on the line after the last one, even if that has no newline.
            let ends = self.src.ends_with(b"\n") || self.src.is_empty();
            return SyntaxError {
                message,
                line: self.line + u32::from(!ends),
                incomplete: true,
                in_test: false,
                in_substitution: false,
                in_elements: false,
            };
        }
        self.error(format!("syntax error near unexpected token `{}'", self.token()))
    }

    /// Returns the syntax error where a word must follow on the same line. The end of the text
    /// counts as the end of its line there.
    pub(super) fn needs_word(&self) -> SyntaxError {
        match self.at_end() {
            true => self.error("syntax error near unexpected token `newline'"),
            false => self.unexpected(),
        }
    }

    pub(super) fn unclosed(&self, what: &str, line: u32) -> SyntaxError {
        let message = format!("unexpected EOF while looking for matching `{what}'");
        SyntaxError {
            message,
            line,
            incomplete: true,
            in_test: false,
            in_substitution: false,
            in_elements: false,
        }
    }

    pub(super) fn token(&self) -> String {
        const OPERATORS: [&[u8]; 14] = [
            b";;&", b";;", b";&", b"&&", b"||", b"<<<", b"<<", b">>", b"<&", b">&", b"|&", b"&>",
            b"<>", b">|",
        ];
        if self.peek() == Some(b'\n') {
            return "newline".to_owned();
        }
        if let Some(op) = OPERATORS.iter().find(|op| self.looking_at(op)) {
            return String::from_utf8_lossy(op).into_owned();
        }
        let rest = self.rest();
        let len = rest.iter().position(|c| is_meta(*c)).unwrap_or(rest.len()).max(1);
        String::from_utf8_lossy(&rest[..len.min(80)]).into_owned()
    }

    /// Expands an alias here if the previous alias ended with a blank.
    pub(super) fn expand_next_alias(&mut self) -> Result<bool> {
        match self.blank_end {
            Some(behind) if self.rest().len() <= behind => {
                self.blank_end = None;
                let mut any = false;
                // The first word of the replacement may be an alias again.
                while self.expand_alias()? {
                    any = true;
                }
                Ok(any)
            }
            _ => Ok(false),
        }
    }

    /// Replaces the word here with the value of its alias, if it has one. Returns true if it did.
    pub(super) fn expand_alias(&mut self) -> Result<bool> {
        let Some(aliases) = self.aliases.clone() else { return Ok(false) };
        let src = self.src.clone();
        let rest = &src[self.pos.min(src.len())..];
        let len = rest.iter().position(|c| is_meta(*c)).unwrap_or(rest.len());
        let name = &rest[..len];
        let Some(value) = aliases.get(name) else { return Ok(false) };
        let left = rest.len() - len;
        self.guards.retain(|(_, behind)| rest.len() > *behind);
        if self.guards.iter().any(|(guarded, _)| guarded == name) {
            return Ok(false);
        }
        if value.len() + rest.len() > MAX_ALIASED {
            return Err(self.error("aliases make the script too long"));
        }
        self.guards.push((name.to_vec(), left));
        let blank = value.last().is_some_and(|c| matches!(c, b' ' | b'\t'));
        if blank {
            self.blank_end = Some(left);
        }
        let mut text = value.clone();
        text.extend_from_slice(&rest[len..]);
        self.has_joins |= has_join(value);
        self.src = Rc::from(text);
        self.pos = 0;
        self.replacements = self.replacements.wrapping_add(1);
        self.edits.clear();
        Ok(true)
    }
}

fn has_join(text: &[u8]) -> bool {
    text.windows(2).any(|pair| pair == b"\\\n")
}

/// Returns true if this character, unquoted, ends a word.
pub(super) fn is_meta(c: u8) -> bool {
    matches!(c, b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'<' | b'>' | b'(' | b')')
}
