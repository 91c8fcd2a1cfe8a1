//! Parser for compound commands.

use std::rc::Rc;

use super::ast::{Arm, ArmEnd, Command, Kind, List, Loop, Text, Word};
use super::brace;
use super::parser::{Parser, Result, is_meta};
use super::word::Context;

impl Parser {
    /// Parses a compound command, or returns `None` if none begins here.
    pub(super) fn compound(&mut self) -> Result<Option<Kind>> {
        let kind = match self.peek() {
            Some(b'(') => self.parenthesis()?,
            Some(b'{') if self.eat_word(b"{") => {
                let list = self.full_list()?;
                self.expect_word(b"}")?;
                Kind::Group(list)
            }
            Some(b'[') if self.eat_word(b"[[") => Kind::Test(self.test_command()?),
            Some(b'i') if self.eat_word(b"if") => self.if_clause()?,
            Some(b'w') if self.eat_word(b"while") => self.loop_clause(false)?,
            Some(b'u') if self.eat_word(b"until") => self.loop_clause(true)?,
            Some(b'f') if self.eat_word(b"for") => self.for_clause()?,
            Some(b's') if self.eat_word(b"select") => {
                let (name, words, body) = self.words_clause()?;
                Kind::Select(name, words, body)
            }
            Some(b'c') if self.eat_word(b"case") => self.case_clause()?,
            Some(b'c') if self.eat_word(b"coproc") => self.coproc()?,
            Some(b'f') if self.eat_word(b"function") => self.function_keyword()?,
            _ => return Ok(None),
        };
        Ok(Some(kind))
    }

    fn parenthesis(&mut self) -> Result<Kind> {
        if self.peek_at(1) == Some(b'(')
            && let Some(end) = self.scan_arith(self.pos + 2)
        {
            let text = self.arith_text(&self.src.clone()[self.pos + 2..end])?;
            self.count_lines(end + 2);
            return Ok(Kind::Arith(text));
        }
        let line = self.line;
        let is_open = self.peek_at(1) == Some(b'(') && !self.closes_arith(self.pos + 2);
        self.pos += 1;
        // `((` without an end: bash looks for the parenthesis, not for commands.
        let list = match self.full_list() {
            Err(error) if is_open && error.incomplete => return Err(self.unclosed(")", line)),
            list => list?,
        };
        self.skip_newlines()?;
        if !self.eat(b")") {
            return Err(self.unexpected());
        }
        Ok(Kind::Subshell(Rc::new(list)))
    }

    /// Advances to `end`, counting lines.
    pub(super) fn count_lines(&mut self, end: usize) {
        self.line += self.src[self.pos..end].iter().filter(|c| **c == b'\n').count() as u32;
        self.pos = end;
    }

    fn if_clause(&mut self) -> Result<Kind> {
        let mut arms = Vec::new();
        loop {
            let condition = self.full_list()?;
            self.expect_word(b"then")?;
            arms.push((condition, self.full_list()?));
            self.skip_newlines()?;
            if self.eat_word(b"elif") {
                continue;
            }
            let otherwise = if self.eat_word(b"else") { Some(self.full_list()?) } else { None };
            self.expect_word(b"fi")?;
            return Ok(Kind::If(arms, otherwise));
        }
    }

    fn loop_clause(&mut self, until: bool) -> Result<Kind> {
        let condition = self.full_list()?;
        let body = self.do_group()?;
        Ok(Kind::Loop(Loop { until, condition, body }))
    }

    fn do_group(&mut self) -> Result<List> {
        self.skip_newlines()?;
        if self.eat_word(b"{") {
            let list = self.full_list()?;
            self.expect_word(b"}")?;
            return Ok(list);
        }
        self.expect_word(b"do")?;
        let list = self.full_list()?;
        self.expect_word(b"done")?;
        Ok(list)
    }

    fn for_clause(&mut self) -> Result<Kind> {
        self.skip_blanks();
        if !self.looking_at(b"((") {
            let (name, words, body) = self.words_clause()?;
            return Ok(Kind::For(name, words, body));
        }
        let Some(end) = self.scan_arith(self.pos + 2) else { return Err(self.unexpected()) };
        let src = self.src.clone();
        let pieces = split_semicolons(&src[self.pos + 2..end]);
        let [a, b, c] = pieces.as_slice() else {
            return Err(self.error("syntax error: arithmetic expression required"));
        };
        let mut header = [None, None, None];
        for (slot, piece) in header.iter_mut().zip([a, b, c]) {
            if !piece.trim_ascii().is_empty() {
                *slot = Some(self.arith_text(piece)?);
            }
        }
        self.count_lines(end + 2);
        self.skip_blanks();
        self.eat(b";");
        let body = self.do_group()?;
        Ok(Kind::ArithFor(Box::new(header), body))
    }

    fn words_clause(&mut self) -> Result<(Text, Option<Vec<Word>>, List)> {
        self.skip_blanks();
        while self.expand_next_alias()? {
            self.skip_blanks();
        }
        if self.peek().is_none_or(is_meta) {
            return Err(self.needs_word());
        }
        let start = self.pos;
        self.word(Context::Word)?;
        let name = self.src[start..self.pos].to_vec();
        self.skip_newlines()?;
        while self.expand_next_alias()? {
            self.skip_blanks();
        }
        let mut words = None;
        if self.eat_word(b"in") {
            let mut list = Vec::new();
            loop {
                self.skip_blanks();
                while self.expand_next_alias()? {
                    self.skip_blanks();
                }
                let process =
                    matches!(self.peek(), Some(b'<' | b'>')) && self.peek_at(1) == Some(b'(');
                match self.peek() {
                    Some(b';') => {
                        self.pos += 1;
                        break;
                    }
                    None | Some(b'\n') => break,
                    Some(c) if is_meta(c) && !process => return Err(self.unexpected()),
                    Some(_) => list.push(brace::expand(self.word(Context::Word)?)),
                }
            }
            words = Some(list);
        } else {
            self.eat(b";");
        }
        Ok((name, words, self.do_group()?))
    }

    fn case_clause(&mut self) -> Result<Kind> {
        self.skip_blanks();
        if self.peek().is_none_or(is_meta) {
            return Err(self.needs_word());
        }
        let subject = self.word(Context::Word)?;
        self.expect_word(b"in")?;
        let mut arms = Vec::new();
        loop {
            self.skip_newlines()?;
            if self.eat_word(b"esac") {
                return Ok(Kind::Case(subject, arms));
            }
            if self.at_end() {
                return Err(self.unexpected());
            }
            self.eat(b"(");
            let mut patterns = Vec::new();
            loop {
                self.skip_blanks();
                if self.peek().is_none_or(|c| is_meta(c) && c != b'(') {
                    return Err(self.needs_word());
                }
                patterns.push(self.word(Context::Word)?);
                self.skip_blanks();
                if self.eat(b")") {
                    break;
                }
                if !self.eat(b"|") {
                    return Err(self.needs_word());
                }
            }
            let body = self.list()?;
            let end = if self.eat(b";;&") {
                ArmEnd::Test
            } else if self.eat(b";;") {
                ArmEnd::Leave
            } else if self.eat(b";&") {
                ArmEnd::Fall
            } else if self.at_word(b"esac") {
                ArmEnd::Leave
            } else {
                return Err(self.unexpected());
            };
            arms.push(Arm { patterns, body, end });
        }
    }

    fn coproc(&mut self) -> Result<Kind> {
        self.skip_blanks();
        let start = self.pos;
        let word = self.word(Context::Word)?;
        self.skip_blanks();
        let named =
            word.literal().filter(|name| !name.is_empty() && !is_keyword(name)).map(<[u8]>::to_vec);
        if let Some(name) = named {
            let line = self.line;
            if let Some(kind) = self.deeper(Parser::compound)? {
                let command = Command { line, kind, redirects: self.redirects()? };
                return Ok(Kind::Coproc(name, Rc::new(command)));
            }
        }
        self.pos = start;
        let command = self.deeper(Parser::one_command)?;
        Ok(Kind::Coproc(b"COPROC".to_vec(), Rc::new(command)))
    }

    fn function_keyword(&mut self) -> Result<Kind> {
        self.skip_blanks();
        let start = self.pos;
        while self.peek().is_some_and(|c| !is_meta(c)) {
            self.pos += 1;
        }
        let name = self.src[start..self.pos].to_vec();
        if name.is_empty() {
            return Err(self.needs_word());
        }
        self.skip_blanks();
        if self.eat(b"(") {
            self.skip_blanks();
            if !self.eat(b")") {
                return Err(self.unexpected());
            }
        }
        self.function_body(name)
    }

    /// Parses the rest of `name() body`, from the parenthesis on.
    pub(super) fn function_after_name(&mut self, line: u32, name: Text) -> Result<Command> {
        self.pos += 1;
        self.skip_blanks();
        if !self.eat(b")") {
            return Err(self.needs_word());
        }
        let kind = self.function_body(name)?;
        Ok(Command { line, kind, redirects: Vec::new() })
    }

    fn function_body(&mut self, name: Text) -> Result<Kind> {
        self.skip_newlines()?;
        while self.expand_alias()? {
            self.skip_newlines()?;
        }
        let line = self.line;
        let Some(kind) = self.deeper(Parser::compound)? else { return Err(self.unexpected()) };
        let redirects = self.redirects()?;
        Ok(Kind::Function(name, Rc::new(Command { line, kind, redirects })))
    }

    fn redirects(&mut self) -> Result<Vec<super::ast::Redirect>> {
        let mut redirects = Vec::new();
        loop {
            self.skip_blanks();
            match self.redirect()? {
                Some(redirect) => redirects.push(redirect),
                None => return Ok(redirects),
            }
        }
    }
}

/// Returns true for a word that begins a compound command.
fn is_keyword(word: &[u8]) -> bool {
    const WORDS: [&[u8]; 11] = [
        b"{",
        b"[[",
        b"if",
        b"while",
        b"until",
        b"for",
        b"select",
        b"case",
        b"function",
        b"!",
        b"time",
    ];
    WORDS.contains(&word)
}

/// Splits the three parts of `for ((a; b; c))`.
fn split_semicolons(text: &[u8]) -> Vec<&[u8]> {
    let mut pieces = Vec::new();
    let (mut start, mut depth) = (0, 0usize);
    for (at, c) in text.iter().enumerate() {
        match c {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b';' if depth == 0 => {
                pieces.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    pieces.push(&text[start..]);
    pieces
}
