//! Parser for `[[ … ]]`.

use super::ast::{TestExpr, TestOp};
use super::parser::{Parser, Result, SyntaxError, is_meta};
use super::word::Context;

/// Letters of the unary operators.
const UNARY: &[u8] = b"abcdefghknoprstuvwxzGLNORS";

impl Parser {
    /// Parses the rest of `[[ … ]]`, including the closing brackets.
    pub(super) fn test_command(&mut self) -> Result<TestExpr> {
        self.test_inside().map_err(|error| SyntaxError { in_test: !error.incomplete, ..error })
    }

    fn test_inside(&mut self) -> Result<TestExpr> {
        let line = self.line;
        let expr = self.deeper(Parser::test_or)?;
        self.skip_newlines()?;
        if self.eat_word(b"]]") {
            return Ok(expr);
        }
        Err(match self.at_end() {
            true => SyntaxError {
                message: "unexpected EOF while looking for `]]'".to_owned(),
                ..self.unclosed("]]", line)
            },
            // A word there has no token's name.
            false => match self.peek() {
                Some(c) if is_meta(c) => {
                    let token = self.token();
                    let what = "syntax error in conditional expression";
                    self.error(format!("{what}: unexpected token `{token}'"))
                }
                _ => self.error("syntax error in conditional expression"),
            },
        })
    }

    fn test_or(&mut self) -> Result<TestExpr> {
        let mut left = self.test_and()?;
        loop {
            self.skip_newlines()?;
            if !self.eat(b"||") {
                return Ok(left);
            }
            left = TestExpr::Or(Box::new(left), Box::new(self.test_and()?));
        }
    }

    fn test_and(&mut self) -> Result<TestExpr> {
        let mut left = self.deeper(Parser::test_term)?;
        loop {
            self.skip_newlines()?;
            if !self.eat(b"&&") {
                return Ok(left);
            }
            let right = self.deeper(Parser::test_term)?;
            left = TestExpr::And(Box::new(left), Box::new(right));
        }
    }

    fn test_term(&mut self) -> Result<TestExpr> {
        self.skip_newlines()?;
        if !(self.extglob && self.looking_at(b"!(")) && self.eat_word(b"!") {
            return Ok(TestExpr::Not(Box::new(self.deeper(Parser::test_term)?)));
        }
        if self.eat(b"(") {
            let inner = self.deeper(Parser::test_or)?;
            self.skip_newlines()?;
            if self.eat(b")") || self.at_end() {
                return match self.at_end() {
                    true => Err(self.unexpected()),
                    false => Ok(TestExpr::Group(Box::new(inner))),
                };
            }
            return Err(self.error(format!("unexpected token `{}', expected `)'", self.token())));
        }
        if self.peek() == Some(b'-')
            && let Some(letter) = self.peek_at(1)
            && UNARY.contains(&letter)
            && self.peek_at(2).is_none_or(is_meta)
        {
            let start = self.pos;
            self.pos += 2;
            self.skip_blanks();
            let takes_operand = self.at_process() || self.test_op().is_none() || self.lone_op();
            if !self.at_test_end() && takes_operand {
                return Ok(TestExpr::Unary(letter, self.word(Context::Word)?));
            }
            if self.at_test_end() {
                return Err(self.bad_operand("unary"));
            }
            self.pos = start;
        }
        if self.at_word(b"]]") {
            // As in bash, a missing expression is an error without words.
            return Err(self.error(""));
        }
        if self.at_end() {
            return Err(SyntaxError {
                message: "unexpected token `EOF' in conditional command".to_owned(),
                ..self.unexpected()
            });
        }
        if self.peek().is_some_and(is_meta) && !self.at_process() {
            let message = format!("unexpected token `{}' in conditional command", self.token());
            return Err(self.error(message));
        }
        let left = self.word(Context::Word)?;
        self.skip_blanks();
        let Some((op, len)) = self.test_op() else {
            // A word alone must not end its line.
            return match self.peek() {
                Some(b'\n') => {
                    Err(self
                        .error("unexpected token `newline', conditional binary operator expected"))
                }
                None => Err(SyntaxError {
                    message: "unexpected token `newline', conditional binary operator expected"
                        .to_owned(),
                    ..self.unclosed("]]", self.line)
                }),
                _ if self.at_test_end() => Ok(TestExpr::Word(left)),
                Some(c) if !is_meta(c) => Err(self.error("conditional binary operator expected")),
                _ => Err(self.error(format!(
                    "unexpected token `{}', conditional binary operator expected",
                    self.token()
                ))),
            };
        };
        self.pos += len;
        self.skip_blanks();
        let context = if op == TestOp::Regex { Context::Regex } else { Context::Word };
        let pattern_group = self.at_process()
            || (op == TestOp::Regex
                && (self.peek() == Some(b'(')
                    || (self.peek() == Some(b'|') && self.peek_at(1) != Some(b'|'))));
        if (self.peek().is_none_or(is_meta) && !pattern_group) || self.at_word(b"]]") {
            return Err(self.bad_operand("binary"));
        }
        // Extended patterns are always recognised here, whatever `extglob` says.
        let extglob = std::mem::replace(&mut self.extglob, true);
        let right = self.word(context);
        self.extglob = extglob;
        Ok(TestExpr::Binary(op, left, right?))
    }

    /// Returns the error for an operator without the operand that must follow it.
    fn bad_operand(&self, kind: &str) -> SyntaxError {
        let token = if self.at_end() { "newline".to_owned() } else { self.token() };
        let message = format!("unexpected argument `{token}' to conditional {kind} operator");
        match self.at_end() {
            true => SyntaxError { message, line: self.line, ..self.unexpected() },
            false => self.error(message),
        }
    }

    /// Returns true if the operator here is followed by no operand, and so is an operand itself.
    fn lone_op(&self) -> bool {
        let Some((_, len)) = self.test_op() else { return false };
        let rest = self.src[self.pos + len..].trim_ascii_start();
        rest.starts_with(b"]]") || rest.starts_with(b"&&") || rest.starts_with(b"||")
    }

    /// Returns true at `<(` or `>(`, which start an operand.
    fn at_process(&self) -> bool {
        matches!(self.peek(), Some(b'<' | b'>')) && self.peek_at(1) == Some(b'(')
    }

    fn at_test_end(&self) -> bool {
        self.at_word(b"]]")
            || matches!(self.peek(), None | Some(b'\n' | b')'))
            || self.looking_at(b"&&")
            || self.looking_at(b"||")
    }

    fn test_op(&self) -> Option<(TestOp, usize)> {
        const WORDS: [(&[u8], TestOp); 13] = [
            (b"==", TestOp::Matches),
            (b"=~", TestOp::Regex),
            (b"=", TestOp::Equals),
            (b"!=", TestOp::Differs),
            (b"-eq", TestOp::Eq),
            (b"-ne", TestOp::Ne),
            (b"-lt", TestOp::Lt),
            (b"-le", TestOp::Le),
            (b"-gt", TestOp::Gt),
            (b"-ge", TestOp::Ge),
            (b"-nt", TestOp::Newer),
            (b"-ot", TestOp::Older),
            (b"-ef", TestOp::Same),
        ];
        match self.peek() {
            Some(b'<') => return Some((TestOp::Before, 1)),
            Some(b'>') => return Some((TestOp::After, 1)),
            _ => {}
        }
        WORDS.iter().find(|(word, _)| self.at_word(word)).map(|(word, op)| (*op, word.len()))
    }
}
