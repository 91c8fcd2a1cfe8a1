//! Parser for lists, pipelines, simple commands and redirections.

use std::rc::Rc;

use super::ast::{
    Arg, Assign, AssignValue, Command, Direction, Element, FileMode, Here, Item, Kind, Link, List,
    Part, Pipeline, Redirect, RedirectFd, RedirectTo, Simple, Text, Timed, Word,
};
use super::parser::{Parser, Result, SyntaxError, is_meta};
use super::word::Context;
use super::{brace, is_name, is_name_char, is_name_start};

/// Commands whose arguments are parsed as assignments, including array literals.
const DECLARATIONS: [&[u8]; 7] =
    [b"declare", b"typeset", b"local", b"export", b"readonly", b"alias", b"eval"];

impl Parser {
    /// Parses commands up to a closing token, which is not consumed.
    pub(super) fn list(&mut self) -> Result<List> {
        let mut items = Vec::new();
        loop {
            self.skip_newlines()?;
            // An alias may stand for a word that ends the list.
            while self.expand_alias()? {
                self.skip_newlines()?;
            }
            if self.at_end() || self.at_closer() {
                return Ok(List { items });
            }
            let item = self.item()?;
            items.push(item);
        }
    }

    /// Parses like [`Parser::list`], but refuses an empty list.
    pub(super) fn full_list(&mut self) -> Result<List> {
        let list = self.list()?;
        if list.items.is_empty() { Err(self.unexpected()) } else { Ok(list) }
    }

    /// Parses commands up to the end of the line.
    pub(super) fn line_of_commands(&mut self) -> Result<List> {
        let mut items = Vec::new();
        loop {
            self.skip_blanks();
            if self.at_end() || self.peek() == Some(b'\n') {
                return Ok(List { items });
            }
            while self.expand_alias()? {
                self.skip_blanks();
            }
            if self.at_end() || self.peek() == Some(b'\n') {
                return Ok(List { items });
            }
            if self.at_closer() {
                return Err(self.unexpected());
            }
            let line = self.line;
            items.push(self.item()?);
            // A here-document or a quoted newline has already moved the parser to another line.
            if self.line != line && self.pos > 0 && self.src[self.pos - 1] == b'\n' {
                return Ok(List { items });
            }
        }
    }

    fn at_closer(&self) -> bool {
        const WORDS: [&[u8]; 8] = [b"then", b"do", b"done", b"fi", b"elif", b"else", b"esac", b"}"];
        match self.peek() {
            Some(b')') => true,
            Some(b';') => matches!(self.peek_at(1), Some(b';' | b'&')),
            Some(b't' | b'd' | b'f' | b'e' | b'}') => WORDS.iter().any(|w| self.at_word(w)),
            _ => false,
        }
    }

    fn item(&mut self) -> Result<Item> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            self.skip_blanks();
            let link = if self.eat(b"&&") {
                Link::And
            } else if self.eat(b"||") {
                Link::Or
            } else {
                break;
            };
            self.skip_newlines()?;
            rest.push((link, self.pipeline()?));
        }
        let mut background = false;
        let newline = matches!(self.peek(), None | Some(b'\n'));
        match self.peek() {
            Some(b'&') => {
                self.pos += 1;
                background = true;
            }
            Some(b';') if !matches!(self.peek_at(1), Some(b';' | b'&')) => self.pos += 1,
            None | Some(b'\n' | b')' | b';') => {}
            Some(_) if self.at_closer() => {}
            Some(_) => return Err(self.unexpected()),
        }
        Ok(Item { first, rest, background, newline })
    }

    fn pipeline(&mut self) -> Result<Pipeline> {
        let mut pipeline = Pipeline { negated: false, timed: None, stages: Vec::new() };
        let mut lone = false;
        loop {
            self.skip_blanks();
            while self.expand_alias()? {
                self.skip_blanks();
            }
            if self.eat_word(b"!") {
                lone = true;
                pipeline.negated = !pipeline.negated;
            } else if self.eat_word(b"time") {
                self.skip_blanks();
                let posix = self.eat_word(b"-p");
                self.skip_blanks();
                let posix = self.eat_word(b"--") || posix;
                pipeline.timed = Some(if posix { Timed::Posix } else { Timed::Bash });
            } else {
                break;
            }
        }
        lone |= pipeline.timed.is_some();
        if lone && (self.at_end() || matches!(self.peek(), Some(b'\n' | b';' | b')'))) {
            return Ok(pipeline);
        }
        loop {
            let mut command = self.deeper(Parser::one_command)?;
            self.skip_blanks();
            if self.looking_at(b"||") || self.peek() != Some(b'|') {
                pipeline.stages.push(Rc::new(command));
                return Ok(pipeline);
            }
            self.pos += 1;
            if self.eat(b"&") {
                let word = Word::new(vec![super::ast::Part::Literal(b"1".to_vec())]);
                let to = RedirectTo::Copy(Direction::Output, word);
                command.redirects.push(Redirect { fd: RedirectFd::Number(2), to });
            }
            pipeline.stages.push(Rc::new(command));
            self.skip_newlines()?;
        }
    }

    pub(super) fn one_command(&mut self) -> Result<Command> {
        self.skip_blanks();
        while self.expand_alias()? {
            self.skip_blanks();
        }
        let line = self.line;
        if let Some(kind) = self.compound()? {
            let mut redirects = Vec::new();
            if !matches!(kind, Kind::Function(..)) {
                loop {
                    self.skip_blanks();
                    match self.redirect()? {
                        Some(redirect) => redirects.push(redirect),
                        None => break,
                    }
                }
            }
            return Ok(Command { line, kind, redirects });
        }
        self.simple(line)
    }

    fn simple(&mut self, mut line: u32) -> Result<Command> {
        let mut simple = Simple::default();
        let outer = std::mem::take(&mut self.names_command);
        let mut redirects = Vec::new();
        let mut declares = false;
        // Arguments of `let` are words, except for `let x=( 1 )`.
        let mut evaluates = false;
        loop {
            // As in bash, a command has the line on which its second word ends.
            if simple.args.len() + simple.assigns.len() + redirects.len() == 2 {
                line = self.line;
            }
            self.skip_blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            let process = matches!(self.peek(), Some(b'<' | b'>')) && self.peek_at(1) == Some(b'(');
            match self.peek() {
                None => break,
                Some(b'(') => {
                    if let ([Arg::Word(word)], []) =
                        (simple.args.as_slice(), simple.assigns.as_slice())
                        && redirects.is_empty()
                    {
                        // A name with expansions is an error only when the definition runs.
                        let name = match word.literal() {
                            Some(name) => name.to_vec(),
                            None => super::word_text(word),
                        };
                        return self.function_after_name(line, name);
                    }
                    return Err(self.unexpected());
                }
                Some(c) if is_meta(c) && !process => break,
                Some(_) => {}
            }
            let first =
                simple.args.is_empty() && !(simple.assigns.is_empty() && redirects.is_empty());
            if (first && self.expand_alias()?) || self.expand_next_alias()? {
                continue;
            }
            let allowed = simple.args.is_empty() || declares;
            let before = (self.pos, self.line);
            let assign = if allowed { self.assignment()? } else { None };
            if assign.as_ref().is_some_and(|assign| evaluates && !assign.is_array()) {
                (self.pos, self.line) = before;
            } else if let Some(assign) = assign {
                if simple.args.is_empty() {
                    simple.assigns.push(assign);
                } else if let Some(word) = self.braced_argument(&assign, before)? {
                    simple.args.push(Arg::Word(word));
                } else {
                    simple.args.push(Arg::Assign(assign));
                }
                continue;
            }
            let first = simple.args.is_empty();
            let before_command = simple
                .args
                .iter()
                .all(|arg| matches!(arg, Arg::Word(word) if word.literal() == Some(b"command")));
            let word = brace::expand(self.word(Context::Word)?);
            if let Some(text) = word.literal() {
                if first && text == b"let" {
                    evaluates = true;
                    declares = true;
                    simple.args.push(Arg::Word(word));
                    continue;
                }
                if self.posix && before_command && text == b"command" {
                    // POSIX: the arguments of `command export` are those of `export`.
                    simple.args.push(Arg::Word(word));
                    continue;
                }
                declares = if first || before_command && self.posix || declares {
                    DECLARATIONS.contains(&text) || (declares && !first)
                } else {
                    declares
                };
            }
            simple.args.push(Arg::Word(word));
        }
        if simple.args.is_empty() && simple.assigns.is_empty() && redirects.is_empty() {
            return Err(self.unexpected());
        }
        simple.names_command = std::mem::replace(&mut self.names_command, outer);
        Ok(Command { line, kind: Kind::Simple(simple), redirects })
    }

    /// Reads the argument `name=a{b,c}` of `declare` and the like again as a word, because its
    /// braces make two arguments. Returns `None`, and stays behind the argument, if it has none.
    fn braced_argument(&mut self, assign: &Assign, start: (usize, u32)) -> Result<Option<Word>> {
        let after = (self.pos, self.line);
        let text = &self.src[start.0..self.pos.max(start.0)];
        // A substitution may hold a here-document, which must not be read twice.
        if assign.is_array()
            || !text.contains(&b'{')
            || text.contains(&b'(')
            || text.contains(&b'`')
        {
            return Ok(None);
        }
        (self.pos, self.line) = start;
        let word = brace::expand(self.word(Context::Word)?);
        let is_braced =
            word.parts.iter().any(|part| matches!(part, Part::Braces(_) | Part::Sequence(_)));
        if !is_braced {
            (self.pos, self.line) = after;
        }
        Ok(is_braced.then_some(word))
    }

    /// Parses an assignment, `name=`, `name+=` or `name[…]=` with its value; returns `None` for
    /// other text.
    pub(super) fn assignment(&mut self) -> Result<Option<Assign>> {
        let start = self.pos;
        if !self.peek().is_some_and(is_name_start) {
            return Ok(None);
        }
        let mut at = self.pos;
        while self.src.get(at).copied().is_some_and(is_name_char) {
            at += 1;
        }
        let name = self.src[start..at].to_vec();
        let mut index = None;
        if self.src.get(at) == Some(&b'[') {
            let Some(end) = self.scan_bracket(at) else {
                return Err(self.unclosed("]", self.line));
            };
            let sign = &self.src[end + 1..];
            if !(sign.starts_with(b"=") || sign.starts_with(b"+=")) {
                return Ok(None);
            }
            index = Some(self.inner(&self.src[at + 1..end])?.word_to_end(Context::Index)?);
            self.line += self.src[at..end].iter().filter(|c| **c == b'\n').count() as u32;
            at = end + 1;
        }
        let append = self.src.get(at) == Some(&b'+');
        if append {
            at += 1;
        }
        if self.src.get(at) != Some(&b'=') {
            return Ok(None);
        }
        self.pos = at + 1;
        let value = if self.peek() == Some(b'(') {
            self.pos += 1;
            AssignValue::Array(self.deeper(Parser::elements)?)
        } else {
            AssignValue::Scalar(self.word(Context::Word)?)
        };
        Ok(Some(Assign { name, index, append, value }))
    }

    fn elements(&mut self) -> Result<Vec<Element>> {
        let line = self.line;
        let mut elements = Vec::new();
        loop {
            self.skip_newlines()?;
            match self.peek() {
                None => {
                    return Err(SyntaxError { in_elements: true, ..self.unclosed(")", line) });
                }
                Some(b')') => {
                    self.pos += 1;
                    return Ok(elements);
                }
                Some(b'[') => {
                    if let Some(element) = self.keyed_element()? {
                        elements.push(element);
                        continue;
                    }
                }
                Some(b'<' | b'>') if self.peek_at(1) == Some(b'(') => {}
                Some(c) if is_meta(c) => {
                    let error = self.unexpected();
                    return Err(SyntaxError { in_elements: true, ..error });
                }
                Some(_) => {}
            }
            let value = brace::expand(self.word(Context::Word)?);
            elements.push(Element { index: None, append: false, value });
        }
    }

    fn keyed_element(&mut self) -> Result<Option<Element>> {
        let Some(end) = self.scan_bracket(self.pos) else { return Ok(None) };
        let append = self.src.get(end + 1) == Some(&b'+');
        let sign = end + 1 + usize::from(append);
        if self.src.get(sign) != Some(&b'=') {
            return Ok(None);
        }
        let index = self.inner(&self.src[self.pos + 1..end])?.word_to_end(Context::Index)?;
        self.pos = sign + 1;
        let value = brace::expand(self.word(Context::Word)?);
        Ok(Some(Element { index: Some(index), append, value }))
    }

    /// Parses a redirection, or returns `None` if none begins here.
    pub(super) fn redirect(&mut self) -> Result<Option<Redirect>> {
        let start = self.pos;
        let fd = self.redirect_fd();
        let Some(to) = self.redirect_target(&fd)? else {
            self.pos = start;
            return Ok(None);
        };
        Ok(Some(Redirect { fd, to }))
    }

    fn redirect_fd(&mut self) -> RedirectFd {
        let rest = self.rest();
        let is_operator = |at: usize| matches!(rest.get(at), Some(b'<' | b'>'));
        let digits = rest.iter().take_while(|c| c.is_ascii_digit()).count();
        if digits > 0 && is_operator(digits) {
            let number = std::str::from_utf8(&rest[..digits]).ok().and_then(|n| n.parse().ok());
            if let Some(number) = number {
                self.pos += digits;
                return RedirectFd::Number(number);
            }
        }
        if rest.first() == Some(&b'{')
            && let Some(end) = rest.iter().position(|c| *c == b'}')
            && is_place(&rest[1..end])
            && is_operator(end + 1)
        {
            let name: Text = rest[1..end].to_vec();
            self.pos += end + 1;
            return RedirectFd::Variable(name);
        }
        RedirectFd::Implied
    }

    fn redirect_target(&mut self, fd: &RedirectFd) -> Result<Option<RedirectTo>> {
        let rest = self.rest();
        let two = rest.get(..2).unwrap_or(b"");
        let file = |mode, len| (len, Some(mode));
        let (len, mode) = match (rest.first(), two) {
            (Some(b'&'), b"&>") if matches!(fd, RedirectFd::Implied) => {
                let append = rest.get(2) == Some(&b'>');
                self.pos += if append { 3 } else { 2 };
                return Ok(Some(RedirectTo::Both(append, self.target()?)));
            }
            (Some(b'<'), b"<<") => {
                if rest.get(2) == Some(&b'<') {
                    self.pos += 3;
                    return Ok(Some(RedirectTo::String(self.target()?)));
                }
                self.pos += 2;
                return self.here().map(Some);
            }
            (Some(b'<'), b"<(") | (Some(b'>'), b">(") => return Ok(None),
            (Some(b'<'), b"<>") => file(FileMode::ReadWrite, 2),
            (Some(b'<'), b"<&") | (Some(b'>'), b">&") => {
                let direction = if two == b"<&" { Direction::Input } else { Direction::Output };
                self.pos += 2;
                let word = self.target()?;
                // `>&word` redirects both streams to a file unless a number is given on either
                // side.
                if direction == Direction::Output && matches!(fd, RedirectFd::Implied) {
                    let is_copy = match word.literal() {
                        // The glob may name a descriptor.
                        Some(text) if text.iter().any(|c| matches!(c, b'*' | b'?' | b'[')) => true,
                        Some(text) => {
                            text == b"-"
                                || text
                                    .strip_suffix(b"-")
                                    .unwrap_or(text)
                                    .iter()
                                    .all(u8::is_ascii_digit)
                        }
                        None => true,
                    };
                    if !is_copy {
                        return Ok(Some(RedirectTo::Both(false, word)));
                    }
                }
                return Ok(Some(RedirectTo::Copy(direction, word)));
            }
            (Some(b'<'), _) => file(FileMode::Read, 1),
            (Some(b'>'), b">>") => file(FileMode::Append, 2),
            (Some(b'>'), b">|") => file(FileMode::Clobber, 2),
            (Some(b'>'), _) => file(FileMode::Write, 1),
            _ => (0, None),
        };
        let Some(mode) = mode else { return Ok(None) };
        self.pos += len;
        Ok(Some(RedirectTo::File(mode, self.target()?)))
    }

    fn target(&mut self) -> Result<Word> {
        self.skip_blanks();
        let process = matches!(self.peek(), Some(b'<' | b'>')) && self.peek_at(1) == Some(b'(');
        if self.peek().is_none_or(is_meta) && !process {
            return Err(self.needs_word());
        }
        self.word(Context::Word).map(brace::expand)
    }

    fn here(&mut self) -> Result<RedirectTo> {
        let strip_tabs = self.eat(b"-");
        self.skip_blanks();
        if self.peek().is_none_or(is_meta) {
            return Err(self.needs_word());
        }
        let start = self.pos;
        self.word(Context::Word)?;
        let (end, quoted) = super::here::delimiter(&self.src[start..self.pos]);
        let here = Rc::new(Here { end, strip_tabs, quoted, ..Here::default() });
        self.pending.push(here.clone());
        Ok(RedirectTo::Here(here))
    }
}

/// Returns true for `name`, or `name[index]` without quotes or blanks.
fn is_place(text: &[u8]) -> bool {
    match text.iter().position(|c| *c == b'[') {
        None => is_name(text),
        Some(open) => {
            let index = text[open + 1..].strip_suffix(b"]").unwrap_or_default();
            is_name(&text[..open])
                && !index.is_empty()
                && index.iter().all(|c| !is_meta(*c) && !matches!(c, b'\'' | b'"' | b'`'))
        }
    }
}
