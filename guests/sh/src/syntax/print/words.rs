//! Printing of words, parameters and tests.

use super::Printer;
use crate::syntax::ast::{
    ArithText, CaseOp, DefaultOp, Index, List, Op, Param, Part, Side, TestExpr, Where, Word,
};
use crate::syntax::is_name_start;

impl Printer {
    pub(super) fn word(&mut self, word: &Word) {
        if let Some(source) = &word.source {
            return self.text(source);
        }
        self.parts(&word.parts, false);
    }

    /// Prints adjacent parts so that none merges with its neighbour.
    fn parts(&mut self, parts: &[Part], in_double: bool) {
        for (at, part) in parts.iter().enumerate() {
            self.guard_dollar(&parts[..at], part, in_double);
            match part {
                // The following text would become part of the name.
                Part::Param(param) if param.is_named() && goes_on(parts.get(at + 1)) => {
                    self.braced(param);
                }
                _ => self.part(part, in_double),
            }
        }
    }

    /// Prints the body of a here-document, in which quotes are plain text; with a quoted delimiter
    /// everything is plain text.
    pub(super) fn here_body(&mut self, parts: &[Part], is_quoted: bool) {
        for (at, part) in parts.iter().enumerate() {
            match part {
                Part::Literal(text) => self.text(text),
                Part::Quoted(text) if is_quoted => self.text(text),
                _ => {
                    self.guard_dollar(&parts[..at], part, true);
                    match part {
                        Part::Param(param) if param.is_named() && goes_on(parts.get(at + 1)) => {
                            self.braced(param);
                        }
                        _ => self.part(part, true),
                    }
                }
            }
        }
    }

    /// Escapes a trailing dollar that would combine with the next part, as in `$'…'`, `$$` or `${`.
    fn guard_dollar(&mut self, before: &[Part], next: &Part, in_double: bool) {
        let is_taken = match next {
            Part::Literal(_) | Part::Process(..) => false,
            Part::Quoted(_) | Part::Double(_) => !in_double,
            Part::Param(_)
            | Part::Command(_)
            | Part::Arith(_)
            | Part::Braces(_)
            | Part::Sequence(_) => true,
        };
        if is_taken && matches!(before.last(), Some(Part::Literal(text)) if text.ends_with(b"$")) {
            self.out.pop();
            self.text(b"\\$");
        }
    }

    fn braced(&mut self, param: &Param) {
        self.text(b"${");
        self.text(&param.name);
        self.text(b"}");
    }

    /// Prints commands inside brackets as bash does while it parses them: as if they were outside
    /// the function. Their here-document bodies come before the closing bracket.
    fn enclosed(&mut self, list: &List) {
        let mut inner = Printer { substitution: true, ..Printer::default() };
        inner.list(list);
        if !inner.heres.is_empty() {
            inner.operator(b"", b"");
        }
        self.text(&inner.out);
    }

    /// Prints the commands of `$(…)`.
    pub(super) fn substitution_list(&mut self, list: &List) {
        let start = self.out.len();
        self.enclosed(list);
        // `$((` would begin arithmetic.
        if self.out.get(start) == Some(&b'(') {
            self.out.insert(start, b' ');
        }
    }

    pub(super) fn part(&mut self, part: &Part, in_double: bool) {
        match part {
            Part::Literal(text) if in_double => {
                for c in text {
                    if matches!(c, b'"' | b'`') {
                        self.out.push(b'\\');
                    }
                    self.out.push(*c);
                }
            }
            Part::Literal(text) => self.text(text),
            Part::Quoted(text) if in_double => {
                for c in text {
                    if matches!(c, b'$' | b'`' | b'"' | b'\\') {
                        self.out.push(b'\\');
                    }
                    self.out.push(*c);
                }
            }
            Part::Quoted(text) => self.single(text),
            Part::Double(parts) => {
                self.text(b"\"");
                self.parts(parts, true);
                self.text(b"\"");
            }
            Part::Param(param) => self.param(param, in_double),
            Part::Command(list) => {
                self.text(b"$(");
                self.substitution_list(list);
                self.text(b")");
            }
            Part::Arith(text) => {
                self.text(b"$((");
                self.arith(text);
                self.text(b"))");
            }
            Part::Process(output, list) => {
                self.text(if *output { b">(" } else { b"<(" });
                self.enclosed(list);
                self.text(b")");
            }
            Part::Braces(words) => {
                self.text(b"{");
                for (at, word) in words.iter().enumerate() {
                    if at > 0 {
                        self.text(b",");
                    }
                    self.word(word);
                }
                self.text(b"}");
            }
            Part::Sequence(s) => {
                let end = |n: i64| {
                    if s.letters {
                        char::from(n as u8).to_string()
                    } else {
                        format!("{n:0w$}", w = s.width)
                    }
                };
                let step = if s.step.abs() == 1 { String::new() } else { format!("..{}", s.step) };
                self.text(format!("{{{}..{}{step}}}", end(s.from), end(s.to)).as_bytes());
            }
        }
    }

    fn single(&mut self, text: &[u8]) {
        match text {
            [c] if *c != b'\'' && *c != b'\n' => {
                if matches!(c, b' ' | b'\t') || !c.is_ascii_graphic() || c.is_ascii_alphanumeric() {
                    self.text(&[b'\'', *c, b'\'']);
                } else {
                    self.text(&[b'\\', *c]);
                }
            }
            _ => {
                self.text(b"'");
                for c in text {
                    if *c == b'\'' {
                        self.text(b"'\\''");
                    } else {
                        self.out.push(*c);
                    }
                }
                self.text(b"'");
            }
        }
    }

    pub(super) fn arith(&mut self, text: &ArithText) {
        self.parts(&text.word.parts, true);
    }

    pub(super) fn arith_trimmed(&mut self, text: &ArithText) {
        let start = self.out.len();
        self.arith(text);
        let piece = self.out.split_off(start);
        self.text(piece.trim_ascii_start());
    }

    fn param(&mut self, param: &Param, in_double: bool) {
        if param.bare {
            self.text(b"$");
            self.text(&param.name);
            return;
        }
        self.text(b"${");
        match &param.op {
            Op::Length => self.text(b"#"),
            Op::Keys | Op::Names(_) => self.text(b"!"),
            _ if param.indirect => self.text(b"!"),
            _ => {}
        }
        self.text(&param.name);
        match &param.index {
            None => {}
            Some(Index::At) => self.text(b"[@]"),
            Some(Index::Star) => self.text(b"[*]"),
            Some(Index::One(word)) => {
                self.text(b"[");
                self.word(word);
                self.text(b"]");
            }
        }
        self.op(&param.op, in_double);
        self.text(b"}");
    }

    fn op(&mut self, op: &Op, in_double: bool) {
        match op {
            Op::Get | Op::Length | Op::Keys => {}
            Op::Names(at) => self.text(if *at { b"@" } else { b"*" }),
            Op::Default(kind, colon, word) => {
                if *colon {
                    self.text(b":");
                }
                self.text(match kind {
                    DefaultOp::Use => b"-",
                    DefaultOp::Assign => b"=",
                    DefaultOp::Fail => b"?",
                    DefaultOp::Instead => b"+",
                });
                self.parts(&word.parts, in_double);
            }
            Op::Remove(side, longest, word) => {
                let sign: &[u8] = match side {
                    Side::Front => b"#",
                    Side::Back => b"%",
                };
                self.text(sign);
                if *longest {
                    self.text(sign);
                }
                self.word(word);
            }
            Op::Replace(place, pattern, with) => {
                self.text(match place {
                    Where::First => b"/",
                    Where::All => b"//",
                    Where::Front => b"/#",
                    Where::Back => b"/%",
                });
                self.word(pattern);
                if let Some(with) = with {
                    self.text(b"/");
                    self.word(with);
                }
            }
            Op::Case(kind, all, pattern) => {
                let sign: &[u8] = match kind {
                    CaseOp::Upper => b"^",
                    CaseOp::Lower => b",",
                    CaseOp::Toggle => b"~",
                };
                self.text(sign);
                if *all {
                    self.text(sign);
                }
                if let Some(pattern) = pattern {
                    self.word(pattern);
                }
            }
            Op::Slice(offset, length) => {
                self.text(b":");
                let start = self.out.len();
                self.arith(offset);
                // `${a:-1}` would be a different operator.
                if matches!(self.out.get(start), Some(b'-' | b'+' | b'=' | b'?')) {
                    self.out.insert(start, b' ');
                }
                if let Some(length) = length {
                    self.text(b":");
                    self.arith(length);
                }
            }
            Op::Transform(letter) => self.text(&[b'@', *letter]),
            Op::Bad(text) => self.text(text),
        }
    }

    pub(super) fn test(&mut self, expr: &TestExpr) {
        match expr {
            TestExpr::Unary(letter, word) => {
                self.text(&[b'-', *letter, b' ']);
                self.word(word);
            }
            TestExpr::Binary(op, left, right) => {
                self.word(left);
                self.text(b" ");
                self.text(op.text());
                self.text(b" ");
                self.word(right);
            }
            TestExpr::Not(inner) => {
                self.text(b"! ");
                self.test(inner);
            }
            TestExpr::And(left, right) => {
                self.test(left);
                self.text(b" && ");
                self.test(right);
            }
            TestExpr::Or(left, right) => {
                self.test(left);
                self.text(b" || ");
                self.test(right);
            }
            TestExpr::Group(inner) => {
                self.text(b"( ");
                self.test(inner);
                self.text(b" )");
            }
            TestExpr::Word(word) => {
                self.text(b"-n ");
                self.word(word);
            }
        }
    }
}

impl Param {
    /// Returns true for `$x` with a name that more letters would continue.
    fn is_named(&self) -> bool {
        self.bare && self.name.first().copied().is_some_and(is_name_start)
    }
}

/// Returns true if the next part could extend a name: a letter, digit or underscore, or braces.
fn goes_on(next: Option<&Part>) -> bool {
    match next {
        Some(Part::Literal(text) | Part::Quoted(text)) => {
            text.first().is_some_and(|c| c.is_ascii_alphanumeric() || *c == b'_')
        }
        Some(Part::Braces(_) | Part::Sequence(_)) => true,
        _ => false,
    }
}
