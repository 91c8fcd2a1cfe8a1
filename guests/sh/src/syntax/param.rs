//! Parser for `$x` and `${…}`.

use super::ast::{CaseOp, DefaultOp, Index, Op, Param, Part, Side, Text, Where};
use super::parser::{Parser, Result};
use super::word::Context;
use super::{is_name_char, is_name_start};

impl Parser {
    /// Parses `$x`, `$1` or `$@`; returns `None` if the dollar is literal.
    pub(super) fn plain_param(&mut self) -> Option<Part> {
        let start = self.pos;
        let c = self.peek()?;
        if is_name_start(c) {
            while self.peek().is_some_and(is_name_char) {
                self.pos += 1;
            }
        } else if c.is_ascii_digit() || is_special(c) {
            self.pos += 1;
        } else {
            return None;
        }
        let name = self.src[start..self.pos].to_vec();
        self.names_command |= name == b"BASH_COMMAND";
        Some(Part::Param(Box::new(Param {
            name,
            index: None,
            indirect: false,
            bare: true,
            op: Op::Get,
        })))
    }

    /// Parses the rest of `${…}`, including the closing brace.
    pub(super) fn braced_param(&mut self, in_double: bool) -> Result<Part> {
        let line = self.line;
        let start = self.pos;
        if let Some(param) = self.try_param(in_double)?
            && self.eat(b"}")
        {
            return Ok(Part::Param(Box::new(param)));
        }
        // Invalid syntax is reported only when it is expanded, as long as the closing brace is
        // found.
        self.pos = start;
        self.word(Context::Brace)?;
        let text: Text = self.src[start..self.pos].to_vec();
        if !self.eat(b"}") {
            return Err(self.unclosed("}", line));
        }
        if let Some(joined) = without_continuations(&text) {
            let mut inner = self.inner(&[joined.as_slice(), b"}"].concat())?;
            inner.line = line;
            return inner.braced_param(in_double);
        }
        let bad = Param {
            name: Vec::new(),
            index: None,
            indirect: false,
            bare: false,
            op: Op::Bad(text),
        };
        Ok(Part::Param(Box::new(bad)))
    }

    fn try_param(&mut self, in_double: bool) -> Result<Option<Param>> {
        let mut length = false;
        let mut indirect = false;
        // `${#+}` is no length, and no operator follows `#` either.
        if self.peek() == Some(b'#')
            && self.peek_at(2) == Some(b'}')
            && self.peek_at(1).is_some_and(|c| matches!(c, b'=' | b'+' | b'%' | b'/' | b'^' | b','))
        {
            return Ok(None);
        }
        // `${!#}` is the last argument, `${!#x}` an error.
        if self.looking_at(b"!#") && self.peek_at(2) != Some(b'}') {
            return Ok(None);
        }
        if self.peek() == Some(b'#') && self.starts_name(1) {
            length = true;
            self.pos += 1;
        } else if self.peek() == Some(b'!') && self.starts_name(1) {
            indirect = true;
            self.pos += 1;
        }
        let Some(name) = self.param_name() else { return Ok(None) };
        self.names_command |= name == b"BASH_COMMAND";
        let mut param = Param { name, index: None, indirect, bare: false, op: Op::Get };
        if self.peek() == Some(b'[') && is_name_start(param.name[0]) {
            let Some(end) = self.scan_bracket(self.pos) else { return Ok(None) };
            let text = &self.src[self.pos + 1..end];
            if text.is_empty() {
                return Ok(None);
            }
            param.index = Some(match text {
                b"@" => Index::At,
                b"*" => Index::Star,
                _ => Index::One(self.inner(text)?.word_to_end(Context::Index)?),
            });
            self.count_lines(end + 1);
        }
        if length {
            param.op = Op::Length;
            return Ok(Some(param));
        }
        if indirect && self.peek() == Some(b'}') {
            if matches!(param.index, Some(Index::At | Index::Star)) {
                param.indirect = false;
                param.op = Op::Keys;
            }
            return Ok(Some(param));
        }
        if indirect && param.index.is_none() && (self.looking_at(b"*}") || self.looking_at(b"@}")) {
            param.indirect = false;
            param.op = Op::Names(self.peek() == Some(b'@'));
            self.pos += 1;
            return Ok(Some(param));
        }
        match self.param_op(in_double)? {
            Some(op) => param.op = op,
            None => return Ok(None),
        }
        Ok(Some(param))
    }

    /// Returns true if a parameter name begins at offset `ahead`, so that the character here is an
    /// operator and not itself the name.
    fn starts_name(&self, ahead: usize) -> bool {
        let Some(c) = self.peek_at(ahead) else { return false };
        if is_name_start(c) || c.is_ascii_digit() {
            return true;
        }
        let closes = self.peek_at(ahead + 1) == Some(b'}');
        match c {
            b'@' | b'*' => closes || self.peek() == Some(b'!'),
            b'#' | b'?' | b'-' | b'$' | b'!' => closes,
            _ => false,
        }
    }

    fn param_name(&mut self) -> Option<Text> {
        let start = self.pos;
        let c = self.peek()?;
        if is_name_start(c) {
            while self.peek().is_some_and(is_name_char) {
                self.pos += 1;
            }
        } else if c.is_ascii_digit() {
            while self.peek().is_some_and(|c| c.is_ascii_digit()) {
                self.pos += 1;
            }
        } else if is_special(c) {
            self.pos += 1;
        } else {
            return None;
        }
        Some(self.src[start..self.pos].to_vec())
    }

    fn param_op(&mut self, in_double: bool) -> Result<Option<Op>> {
        let Some(c) = self.peek() else { return Ok(None) };
        if c == b'}' {
            return Ok(Some(Op::Get));
        }
        self.pos += 1;
        let value = if in_double { Context::DoubleBrace } else { Context::Brace };
        let op = match c {
            b':' => {
                let kind = self.peek().and_then(default_op);
                match kind {
                    Some(kind) => {
                        self.pos += 1;
                        Op::Default(kind, true, self.word(value)?)
                    }
                    None => return self.slice(),
                }
            }
            b'-' | b'=' | b'?' | b'+' => {
                let Some(kind) = default_op(c) else { return Ok(None) };
                Op::Default(kind, false, self.word(value)?)
            }
            b'#' | b'%' => {
                let side = if c == b'#' { Side::Front } else { Side::Back };
                let longest = self.eat(&[c]);
                Op::Remove(side, longest, self.word(Context::Brace)?)
            }
            b'/' => return self.replace().map(Some),
            b'^' | b',' | b'~' => {
                let kind = match c {
                    b'^' => CaseOp::Upper,
                    b',' => CaseOp::Lower,
                    _ => CaseOp::Toggle,
                };
                let all = self.eat(&[c]);
                let pattern = self.word(Context::Brace)?;
                Op::Case(kind, all, (!pattern.parts.is_empty()).then_some(pattern))
            }
            b'@' => {
                let Some(letter) = self.peek() else { return Ok(None) };
                if !b"QEPAKakuULt".contains(&letter) || self.peek_at(1) != Some(b'}') {
                    return Ok(None);
                }
                self.pos += 1;
                Op::Transform(letter)
            }
            _ => return Ok(None),
        };
        Ok(Some(op))
    }

    fn replace(&mut self) -> Result<Op> {
        let place = match self.peek() {
            Some(b'/') => Where::All,
            Some(b'#') => Where::Front,
            Some(b'%') => Where::Back,
            _ => Where::First,
        };
        if place != Where::First {
            self.pos += 1;
        }
        // A slash right after `//` belongs to the pattern.
        let slash = place == Where::All && self.eat(b"/");
        let mut pattern = self.word(Context::BraceSlash)?;
        if slash {
            pattern.parts.insert(0, Part::Quoted(b"/".to_vec()));
        }
        if !self.eat(b"/") {
            return Ok(Op::Replace(place, pattern, None));
        }
        let with = self.word(Context::Brace)?;
        Ok(Op::Replace(place, pattern, Some(with)))
    }

    fn slice(&mut self) -> Result<Option<Op>> {
        let offset = self.scan_slice(self.pos);
        let src = self.src.clone();
        if offset == self.pos && src.get(offset) != Some(&b':') {
            return Ok(None);
        }
        let first = self.arith_text(&src[self.pos..offset])?;
        self.count_lines(offset);
        if !self.eat(b":") {
            return Ok(Some(Op::Slice(first, None)));
        }
        let end = self.scan_slice(self.pos);
        let second = self.arith_text(&src[self.pos..end])?;
        self.count_lines(end);
        Ok(Some(Op::Slice(first, Some(second))))
    }

    /// Finds the end of one part of a slice: the next colon or brace outside nested syntax.
    fn scan_slice(&self, start: usize) -> usize {
        let mut depth = 0usize;
        let mut questions = 0usize;
        let mut at = start;
        while let Some(c) = self.src.get(at) {
            match c {
                b'\\' => at += 1,
                b'`' => at = self.scan_quote(at).unwrap_or(at),
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' if depth > 0 => depth -= 1,
                b'}' => break,
                b'?' if depth == 0 => questions += 1,
                b':' if depth == 0 && questions > 0 => questions -= 1,
                b':' if depth == 0 => break,
                _ => {}
            }
            at += 1;
        }
        at.min(self.src.len())
    }
}

fn default_op(c: u8) -> Option<DefaultOp> {
    match c {
        b'-' => Some(DefaultOp::Use),
        b'=' => Some(DefaultOp::Assign),
        b'?' => Some(DefaultOp::Fail),
        b'+' => Some(DefaultOp::Instead),
        _ => None,
    }
}

/// Returns true for the special parameters of one character.
fn is_special(c: u8) -> bool {
    matches!(c, b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!')
}

/// Removes line continuations; returns `None` if there are none.
fn without_continuations(text: &[u8]) -> Option<Text> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with(b"\\\n") {
            at += 2;
        } else {
            out.push(text[at]);
            at += 1;
        }
    }
    (out.len() < text.len()).then_some(out)
}
