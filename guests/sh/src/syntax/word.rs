//! Parser for words: quotes, substitutions and the end of a word in each context.

use std::rc::Rc;

use super::arith;
use super::ast::{ArithText, List, Part, Text, Word};
use super::parser::{Parser, Result, is_meta};
use super::quote;

/// Context of a word: determines its end and the meaning of quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Context {
    /// A word of a command.
    Word,
    /// Inside `${x:-…}`, unquoted.
    Brace,
    /// A pattern in `${x/…/…}`, which also ends at a slash.
    BraceSlash,
    /// Inside `"${x:-…}"`.
    DoubleBrace,
    /// Inside double quotes.
    Double,
    /// Inside the double quotes of `"${x:-"…"}"`.
    InnerDouble,
    /// A subscript, up to the end of the text.
    Index,
    /// A here-document, up to the end of the text.
    Here,
    /// Arithmetic, up to the end of the text.
    Arith,
    /// The right side of `=~`.
    Regex,
}

/// Form in which `declare -f` prints a word.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Prints {
    /// Printed from the parts.
    #[default]
    Parts,
    /// Printed as the script has it, with the edits.
    AsWritten,
}

/// A piece of a word that is printed otherwise than written.
#[derive(Debug)]
pub(super) struct Edit {
    /// Position of the first byte.
    start: usize,
    /// Position after the last byte.
    end: usize,
    /// Text in its place.
    to: EditTo,
}

#[derive(Debug)]
enum EditTo {
    /// Text as it is, such as a decoded `$'…'`, or nothing for a backslash-newline.
    Text(Text),
    /// The commands of `$(…)` or `<(…)`, up to the parenthesis.
    Commands(Rc<List>),
}

impl Context {
    fn is_double(self) -> bool {
        matches!(
            self,
            Context::Double
                | Context::DoubleBrace
                | Context::InnerDouble
                | Context::Here
                | Context::Arith
        )
    }
}

/// Collects parts, merging adjacent text.
#[derive(Default)]
struct Parts {
    parts: Vec<Part>,
    literal: Text,
}

impl Parts {
    fn flush(&mut self) {
        if !self.literal.is_empty() {
            self.parts.push(Part::Literal(std::mem::take(&mut self.literal)));
        }
    }

    fn push(&mut self, part: Part) {
        self.flush();
        self.parts.push(part);
    }

    fn quoted(&mut self, text: &[u8]) {
        self.flush();
        if let Some(Part::Quoted(before)) = self.parts.last_mut() {
            before.extend_from_slice(text);
        } else {
            self.parts.push(Part::Quoted(text.to_vec()));
        }
    }

    fn finish(mut self) -> Word {
        self.flush();
        Word::new(self.parts)
    }
}

impl Parser {
    /// Parses the whole text as one word.
    pub(super) fn word_to_end(&mut self, context: Context) -> Result<Word> {
        let word = self.word(context)?;
        if self.at_end() { Ok(word) } else { Err(self.unexpected()) }
    }

    /// Parses a word up to its end in this context; the terminator is not consumed.
    pub(super) fn word(&mut self, context: Context) -> Result<Word> {
        let is_whole = matches!(context, Context::Word | Context::Regex | Context::Arith);
        let outer = if is_whole { std::mem::take(&mut self.prints) } else { self.prints };
        let (start, edits, replacements) = (self.pos, self.edits.len(), self.replacements);
        let mut word = self.word_parts(context)?;
        if is_whole {
            let as_written = std::mem::replace(&mut self.prints, outer) == Prints::AsWritten;
            if as_written && self.replacements == replacements {
                word.source = Some(self.edited(start, edits));
            }
            self.edits.truncate(edits);
        }
        Ok(word)
    }

    /// Returns the text from `start` to here as bash prints it, with the edits from this number on.
    #[inline(never)]
    fn edited(&self, start: usize, edits: usize) -> Text {
        let mut text = Vec::new();
        let mut at = start;
        for edit in &self.edits[edits..] {
            if edit.start < at {
                continue;
            }
            text.extend_from_slice(&self.src[at..edit.start]);
            match &edit.to {
                EditTo::Text(to) => text.extend_from_slice(to),
                EditTo::Commands(list) => text.extend(super::print::enclosed_text(list)),
            }
            at = edit.end;
        }
        text.extend_from_slice(&self.src[at.min(self.pos)..self.pos]);
        text
    }

    fn edit(&mut self, start: usize, end: usize, to: EditTo) {
        // Pieces of a piece that is printed otherwise do not count.
        while self.edits.last().is_some_and(|inner| inner.start >= start) {
            self.edits.pop();
        }
        self.edits.push(Edit { start, end, to });
    }

    // In one frame with its caller: words nest, and each level uses stack.
    #[inline(always)]
    fn word_parts(&mut self, context: Context) -> Result<Word> {
        let mut out = Parts::default();
        let mut parens = 0usize;
        while let Some(c) = self.peek() {
            match (context, c) {
                (Context::Word, _) if is_meta(c) => {
                    let next = self.peek_at(1);
                    if matches!(c, b'<' | b'>') && next == Some(b'(') {
                        self.pos += 2;
                        let list = self.process_list()?;
                        out.push(Part::Process(c == b'>', list));
                        continue;
                    }
                    let before = out.literal.last().copied();
                    if c == b'(' && self.extglob && before.is_some_and(is_extglob) {
                        self.deeper(|p| p.group(&mut out))?;
                        continue;
                    }
                    break;
                }
                (Context::Regex, b' ' | b'\t' | b'\n') if parens == 0 => break,
                (Context::Regex, b'<' | b'>') if parens == 0 && self.peek_at(1) == Some(b'(') => {
                    self.pos += 2;
                    let list = self.process_list()?;
                    out.push(Part::Process(c == b'>', list));
                    continue;
                }
                (Context::Regex, b'(') => parens += 1,
                (Context::Regex, b')') if parens == 0 => break,
                (Context::Regex, b')') => parens -= 1,
                (Context::Brace | Context::BraceSlash | Context::DoubleBrace, b'}') => break,
                (Context::BraceSlash, b'/') => break,
                (Context::Double | Context::InnerDouble, b'"') => break,
                (Context::Brace | Context::BraceSlash, b'<' | b'>')
                    if self.peek_at(1) == Some(b'(') =>
                {
                    self.pos += 2;
                    let list = self.process_list()?;
                    out.push(Part::Process(c == b'>', list));
                    continue;
                }
                _ => {}
            }
            self.piece(c, context, &mut out)?;
        }
        Ok(out.finish())
    }

    /// Parses one character, or the construct that it begins.
    fn piece(&mut self, c: u8, context: Context, out: &mut Parts) -> Result<()> {
        match c {
            b'\\' => self.backslash(context, out),
            b'\'' if context == Context::DoubleBrace && !self.posix => {
                self.literal_quotes(out)?;
            }
            b'\'' if !context.is_double() => {
                let text = self.single_quoted()?;
                // The parts of `'|'` and `\|` are the same.
                let merges =
                    out.literal.is_empty() && matches!(out.parts.last(), Some(Part::Quoted(_)));
                if merges || (text.len() == 1 && text[0].is_ascii_punctuation()) {
                    self.prints = Prints::AsWritten;
                }
                out.quoted(&text);
            }
            b'"' if context == Context::Arith => {
                self.prints = Prints::AsWritten;
                self.pos += 1;
            }
            b'"' if context == Context::DoubleBrace => {
                self.pos += 1;
                let parts = self.deeper(Parser::inner_quoted)?;
                out.push(Part::Double(parts));
            }
            b'"' if context != Context::Here => {
                self.pos += 1;
                let parts = self.deeper(Parser::double_quoted)?;
                out.push(Part::Double(parts));
            }
            b'$' => {
                let in_double = context.is_double();
                let is_ansi = context == Context::DoubleBrace && self.looking_at(b"$'");
                match self.deeper(|p| p.dollar(in_double && !is_ansi))? {
                    Some(Part::Quoted(text)) => out.quoted(&text),
                    Some(part) => out.push(part),
                    None => out.literal.push(b'$'),
                }
            }
            b'`' => {
                let in_double = context.is_double() && context != Context::Here;
                out.push(self.backquote(in_double)?);
            }
            _ => {
                if c == b'\n' {
                    self.line += 1;
                }
                out.literal.push(c);
                self.pos += 1;
            }
        }
        Ok(())
    }

    /// Parses `'…'` inside `"${x-…}"`: the quotes are text and only hide a closing brace.
    fn literal_quotes(&mut self, out: &mut Parts) -> Result<()> {
        let line = self.line;
        if !self.src[self.pos + 1..].contains(&b'\'') {
            return Err(self.unclosed("'", line));
        }
        out.literal.push(b'\'');
        self.pos += 1;
        while let Some(c) = self.peek().filter(|c| *c != b'\'') {
            if c == b'"' {
                // The single quotes hide it from the parser, and quote removal takes it away.
                self.pos += 1;
                continue;
            }
            self.piece(c, Context::Double, out)?;
        }
        if !self.eat(b"'") {
            return Err(self.unclosed("'", line));
        }
        out.literal.push(b'\'');
        Ok(())
    }

    fn backslash(&mut self, context: Context, out: &mut Parts) {
        let next = self.peek_at(1);
        self.pos += 2.min(self.src.len() - self.pos);
        match next {
            Some(b'\n') => {
                self.line += 1;
                self.edit(self.pos - 2, self.pos, EditTo::Text(Vec::new()));
            }
            None => out.literal.push(b'\\'),
            Some(c) if context.is_double() => {
                let escapes = match c {
                    b'$' | b'`' | b'\\' => true,
                    b'"' => context != Context::Here,
                    b'}' => context == Context::DoubleBrace,
                    _ => context == Context::InnerDouble,
                };
                if escapes {
                    out.quoted(&[c]);
                } else {
                    out.literal.push(b'\\');
                    out.literal.push(c);
                }
            }
            Some(c) => {
                self.prints = Prints::AsWritten;
                out.quoted(&[c]);
            }
        }
    }

    /// Parses an extended pattern, `@(…)`: its parentheses are text, its content is parsed as a
    /// word.
    fn group(&mut self, out: &mut Parts) -> Result<()> {
        let line = self.line;
        out.literal.push(b'(');
        self.pos += 1;
        let mut depth = 1;
        loop {
            let Some(c) = self.peek() else { return Err(self.unclosed(")", line)) };
            match c {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            self.piece(c, Context::Index, out)?;
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// Parses commands up to the closing parenthesis, which is consumed.
    pub(super) fn until_parenthesis(&mut self) -> Result<super::ast::List> {
        let is_arith = self.pos > 0 && self.src.get(self.pos - 1..=self.pos) == Some(&b"(("[..]);
        let line = self.line;
        let outer = std::mem::take(&mut self.pending);
        self.substitutions += 1;
        let list = self.list();
        self.substitutions -= 1;
        let list = match list {
            // `$((` without an end: bash looks for the parenthesis, not for commands.
            Err(error) if is_arith && error.incomplete => return Err(self.unclosed(")", line)),
            other => other?,
        };
        if self.at_end() {
            let ends = self.src.ends_with(b"\n");
            return Err(self.unclosed(")", self.line + u32::from(!ends)));
        }
        if !self.eat(b")") {
            return Err(self.unexpected());
        }
        // In `$(cat <<EOF)` the body follows the line of the closing parenthesis.
        let inner = std::mem::replace(&mut self.pending, outer);
        self.pending.extend(inner);
        Ok(list)
    }

    /// Parses the commands of `<(…)`, after the parenthesis.
    fn process_list(&mut self) -> Result<Rc<List>> {
        let start = self.pos;
        let list = Rc::new(self.deeper(Parser::until_parenthesis)?);
        self.edit(start, self.pos - 1, EditTo::Commands(list.clone()));
        Ok(list)
    }

    fn single_quoted(&mut self) -> Result<Text> {
        let line = self.line;
        let rest = &self.src[self.pos + 1..];
        let Some(len) = rest.iter().position(|c| *c == b'\'') else {
            return Err(self.unclosed("'", line));
        };
        let text = rest[..len].to_vec();
        self.count_lines(self.pos + len + 2);
        Ok(text)
    }

    fn double_quoted(&mut self) -> Result<Vec<Part>> {
        let line = self.line;
        let word = self.word(Context::Double)?;
        if !self.eat(b"\"") {
            return Err(self.unclosed("\"", line));
        }
        Ok(word.parts)
    }

    /// Parses `"…"` inside `"${x-…}"`, where a backslash quotes any character.
    fn inner_quoted(&mut self) -> Result<Vec<Part>> {
        let line = self.line;
        let word = self.word(Context::InnerDouble)?;
        if !self.eat(b"\"") {
            return Err(self.unclosed("\"", line));
        }
        Ok(word.parts)
    }

    fn backquote(&mut self, in_double: bool) -> Result<Part> {
        let line = self.line;
        let mut text = Vec::new();
        self.prints = Prints::AsWritten;
        self.pos += 1;
        loop {
            match self.peek() {
                None => return Err(self.unclosed("`", line)),
                Some(b'`') => break,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => {
                    self.line += 1;
                    self.pos += 2;
                }
                Some(b'\\') => {
                    let next = self.peek_at(1);
                    let escapes = matches!(next, Some(b'$' | b'`' | b'\\'))
                        || (in_double && next == Some(b'"'));
                    if !escapes {
                        text.push(b'\\');
                    }
                    text.extend(next);
                    self.pos += 2;
                }
                Some(c) => {
                    if c == b'\n' {
                        self.line += 1;
                    }
                    text.push(c);
                    self.pos += 1;
                }
            }
        }
        self.pos += 1;
        let mut inner = self.inner(&text)?;
        inner.line = line;
        let list = match inner.whole() {
            Ok(list) => list,
            // The error counts only when the substitution runs: `eval` reports it then.
            Err(_) => {
                let text = super::quoted_command(b"eval", &text);
                self.inner(&text)?.whole()?
            }
        };
        Ok(Part::Command(Rc::new(list)))
    }

    /// Parses the construct that a dollar begins; returns `None` if the dollar is literal.
    fn dollar(&mut self, in_double: bool) -> Result<Option<Part>> {
        let line = self.line;
        self.pos += 1;
        let after = self.pos;
        while self.looking_at(b"\\\n") {
            self.pos += 2;
            self.line += 1;
        }
        let begins = |c: u8| matches!(c, b'(' | b'[' | b'{') || c.is_ascii_alphanumeric();
        if self.pos > after && !self.peek().is_some_and(begins) {
            (self.pos, self.line) = (after, line);
        }
        if self.peek() == Some(b'(') && self.src[self.pos + 1..].starts_with(b"\\\n") {
            self.join_lines();
        }
        let Some(c) = self.peek() else { return Ok(None) };
        match c {
            b'(' => {
                if self.peek_at(1) == Some(b'(')
                    && let Some(end) = self.scan_arith(self.pos + 2)
                {
                    let text = self.arith_text(&self.src.clone()[self.pos + 2..end])?;
                    self.count_lines(end + 2);
                    return Ok(Some(Part::Arith(Box::new(text))));
                }
                self.pos += 1;
                let start = self.pos;
                let list = self.until_parenthesis().map_err(|mut error| {
                    error.in_substitution = !error.incomplete;
                    error
                })?;
                let list = Rc::new(list);
                self.edit(start, self.pos - 1, EditTo::Commands(list.clone()));
                Ok(Some(Part::Command(list)))
            }
            b'[' => {
                let Some(end) = self.scan_bracket(self.pos) else {
                    return Err(self.unclosed("]", line));
                };
                let text = self.arith_text(&self.src.clone()[self.pos + 1..end])?;
                self.prints = Prints::AsWritten;
                self.count_lines(end + 1);
                Ok(Some(Part::Arith(Box::new(text))))
            }
            b'{' => {
                self.pos += 1;
                self.braced_param(in_double).map(Some)
            }
            b'\'' if !in_double => {
                self.prints = Prints::AsWritten;
                let (text, len) =
                    quote::ansi(&self.src[self.pos + 1..]).ok_or(self.unclosed("'", line))?;
                let start = self.pos - 1;
                self.count_lines(self.pos + 1 + len);
                let shown = crate::expand::quote::plain_single(&text);
                self.edit(start, self.pos, EditTo::Text(shown));
                Ok(Some(Part::Quoted(text)))
            }
            b'"' if !in_double => {
                self.edit(self.pos - 1, self.pos, EditTo::Text(Vec::new()));
                self.pos += 1;
                self.double_quoted().map(|parts| Some(Part::Double(parts)))
            }
            _ => Ok(self.plain_param()),
        }
    }

    /// Parses an arithmetic expression's word, and its tree if no substitution can change its
    /// shape.
    pub(super) fn arith_text(&self, text: &[u8]) -> Result<ArithText> {
        let word = self.inner(text)?.word_to_end(Context::Arith)?;
        let tree = arith::template(&word).map(Rc::new);
        Ok(ArithText { word, tree })
    }

    /// Returns true if the parenthesis that opens arithmetic before `start` is closed, with
    /// whatever follows.
    pub(super) fn closes_arith(&self, start: usize) -> bool {
        let mut depth = 0usize;
        let mut at = start;
        while let Some(c) = self.src.get(at) {
            match c {
                b'\\' => at += 1,
                b'\'' | b'"' | b'`' => match self.scan_quote(at) {
                    Some(end) => at = end,
                    None => return false,
                },
                b'(' => depth += 1,
                b')' if depth > 0 => depth -= 1,
                b')' => return true,
                _ => {}
            }
            at += 1;
        }
        false
    }

    /// Finds the `))` that closes the arithmetic beginning at `start`. Returns `None` if the
    /// parentheses are not balanced that way.
    pub(super) fn scan_arith(&self, start: usize) -> Option<usize> {
        let mut depth = 0usize;
        let mut at = start;
        while let Some(c) = self.src.get(at) {
            match c {
                b'\\' => at += 1,
                b'\'' | b'"' => at = self.scan_quote(at)?,
                b'`' => at = self.scan_quote(at)?,
                b'(' => depth += 1,
                b')' if depth > 0 => depth -= 1,
                b')' => return (self.src.get(at + 1) == Some(&b')')).then_some(at),
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Finds the quote that closes the one at `at`.
    pub(super) fn scan_quote(&self, at: usize) -> Option<usize> {
        let quote = self.src[at];
        let mut end = at + 1;
        loop {
            match self.src.get(end)? {
                b'\\' if quote != b'\'' => end += 1,
                c if *c == quote => return Some(end),
                _ => {}
            }
            end += 1;
        }
    }

    /// Finds the bracket that closes the one at `at`, skipping quotes and substitutions.
    pub(super) fn scan_bracket(&self, at: usize) -> Option<usize> {
        let mut open = vec![b']'];
        let mut end = at + 1;
        loop {
            match self.src.get(end)? {
                b'\\' => end += 1,
                b'\'' | b'"' | b'`' => end = self.scan_quote(end)?,
                b'[' => open.push(b']'),
                b'(' if self.src[end - 1] == b'$' => open.push(b')'),
                b'{' if self.src[end - 1] == b'$' => open.push(b'}'),
                c if Some(c) == open.last() => {
                    open.pop();
                    if open.is_empty() {
                        return Some(end);
                    }
                }
                _ => {}
            }
            end += 1;
        }
    }
}

/// Returns true if this character and a parenthesis begin an extended pattern.
fn is_extglob(c: u8) -> bool {
    matches!(c, b'?' | b'*' | b'+' | b'@' | b'!')
}
