//! Parser for arithmetic expressions.

use serde::{Deserialize, Serialize};

use super::ast::{Op, Part, Text, Word};
use super::{is_name_char, is_name_start};

/// Deepest nesting in one expression; parsing and evaluation recurse.
const MAX_DEPTH: usize = 100;

/// Placeholder for a substitution while a template is parsed; a literal with this byte is refused.
const VALUE: u8 = 0;

/// An arithmetic expression.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Arith {
    /// A constant.
    Number(i64),
    /// The value of the n-th substitution in the word that contains the expression.
    Value(u32),
    /// A variable or an array element.
    Target(Target),
    /// `-a`
    Unary(Unary, Box<Arith>),
    /// `a + b`
    Binary(Binary, Box<Arith>, Box<Arith>),
    /// `a && b`
    And(Box<Arith>, Box<Arith>),
    /// `a || b`
    Or(Box<Arith>, Box<Arith>),
    /// `a ? b : c`
    Choose(Box<Arith>, Box<Arith>, Box<Arith>),
    /// `a = b`, `a += b`
    Assign(Option<Binary>, Target, Box<Arith>),
    /// `++a`, `a++`: the increment, and true if the old value is the result.
    Step(Target, i64, bool),
}

impl Arith {
    /// Returns true if evaluation has no side effect.
    pub fn is_pure(&self) -> bool {
        match self {
            Arith::Number(_) | Arith::Value(_) | Arith::Target(Target::Variable(_)) => true,
            Arith::Target(Target::Element(..)) | Arith::Assign(..) | Arith::Step(..) => false,
            Arith::Unary(_, a) => a.is_pure(),
            Arith::Binary(_, a, b) | Arith::And(a, b) | Arith::Or(a, b) => {
                a.is_pure() && b.is_pure()
            }
            Arith::Choose(a, b, c) => a.is_pure() && b.is_pure() && c.is_pure(),
        }
    }
}

/// An assignable operand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Target {
    /// `x`
    Variable(Text),
    /// `x[…]`: name and raw subscript, which is a key or an expression depending on the array.
    Element(Text, Text),
}

/// Unary operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Unary {
    Plus,
    Minus,
    Not,
    Invert,
}

/// Binary operators that always evaluate both sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Binary {
    Comma,
    BitOr,
    BitXor,
    BitAnd,
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
    Shl,
    Shr,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
}

/// Parses a word's expression once for all evaluations. Returns `None` if a substitution could be
/// more than an operand.
pub(super) fn template(word: &Word) -> Option<Arith> {
    let mut text = Vec::new();
    let mut values = 0;
    for part in &word.parts {
        match part {
            Part::Literal(literal) if !literal.contains(&VALUE) => text.extend_from_slice(literal),
            Part::Param(param) if matches!(param.op, Op::Get | Op::Length) => {
                if text.last().is_some_and(|c| glues(*c)) {
                    return None;
                }
                text.push(VALUE);
                values += 1;
            }
            _ => return None,
        }
    }
    for (at, _) in text.iter().enumerate().filter(|(_, c)| **c == VALUE) {
        if text.get(at + 1).is_some_and(|c| glues(*c) || *c == b'[') {
            return None;
        }
    }
    let mut parser = Parser { src: &text, at: 0, depth: 0, values: 0 };
    let tree = parser.whole().ok()?;
    (parser.values == values).then_some(tree)
}

/// Returns true if this character would form one token with an adjacent substitution.
fn glues(c: u8) -> bool {
    is_name_char(c) || matches!(c, VALUE | b'#' | b'@' | b'\'' | b'$' | b'\\')
}

/// Parses the text of an expression. The error is the part of bash's message after the expression.
pub fn parse(text: &[u8]) -> Result<Arith, String> {
    Parser { src: text, at: 0, depth: 0, values: 0 }.whole()
}

struct Parser<'a> {
    src: &'a [u8],
    at: usize,
    depth: usize,
    values: u32,
}

type Parsed = Result<Arith, String>;

impl Parser<'_> {
    fn whole(&mut self) -> Parsed {
        self.blanks();
        if self.at == self.src.len() {
            return Ok(Arith::Number(0));
        }
        let tree = self.comma()?;
        self.blanks();
        if self.at < self.src.len() {
            let what = match self.src[self.at] {
                c if is_name_char(c) => "syntax error in expression",
                b'=' => "attempted assignment to non-variable",
                _ => "syntax error: invalid arithmetic operator",
            };
            return Err(self.error(what));
        }
        Ok(tree)
    }

    fn error(&self, what: &str) -> String {
        // At the end, bash names the operator before it.
        let mut at = self.at.min(self.src.len());
        if at == self.src.len() {
            at = self.src.trim_ascii_end().len().saturating_sub(1);
        }
        let rest = String::from_utf8_lossy(&self.src[at..]);
        format!("{what} (error token is \"{rest}\")")
    }

    fn blanks(&mut self) {
        while self.src.get(self.at).is_some_and(|c| c.is_ascii_whitespace()) {
            self.at += 1;
        }
    }

    fn eat(&mut self, text: &[u8]) -> bool {
        self.blanks();
        let found = self.src[self.at..].starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn comma(&mut self) -> Parsed {
        let mut left = self.assignment()?;
        while self.eat(b",") {
            let right = self.assignment()?;
            left = Arith::Binary(Binary::Comma, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn assignment(&mut self) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("expression nested deeper than {MAX_DEPTH} levels"));
        }
        let left = self.choice()?;
        let answer = match (left, self.assign_op()) {
            (Arith::Target(target), Some((op, len))) => {
                self.at += len;
                let value = self.assignment()?;
                Ok(Arith::Assign(op, target, Box::new(value)))
            }
            (_, Some(_)) => Err(self.error("attempted assignment to non-variable")),
            (left, None) => Ok(left),
        };
        self.depth -= 1;
        answer
    }

    fn assign_op(&mut self) -> Option<(Option<Binary>, usize)> {
        const OPS: [(&[u8], Option<Binary>); 10] = [
            (b"<<=", Some(Binary::Shl)),
            (b">>=", Some(Binary::Shr)),
            (b"+=", Some(Binary::Add)),
            (b"-=", Some(Binary::Sub)),
            (b"*=", Some(Binary::Mul)),
            (b"/=", Some(Binary::Div)),
            (b"%=", Some(Binary::Rem)),
            (b"&=", Some(Binary::BitAnd)),
            (b"^=", Some(Binary::BitXor)),
            (b"|=", Some(Binary::BitOr)),
        ];
        self.blanks();
        let rest = &self.src[self.at..];
        if rest.starts_with(b"=") && !rest.starts_with(b"==") {
            return Some((None, 1));
        }
        OPS.iter().find(|(text, _)| rest.starts_with(text)).map(|(text, op)| (*op, text.len()))
    }

    fn choice(&mut self) -> Parsed {
        let condition = self.or()?;
        if !self.eat(b"?") {
            return Ok(condition);
        }
        let yes = self.comma()?;
        if !self.eat(b":") {
            return Err(self.error("`:' expected for conditional expression"));
        }
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("expression nested deeper than {MAX_DEPTH} levels"));
        }
        let no = self.choice()?;
        self.depth -= 1;
        Ok(Arith::Choose(Box::new(condition), Box::new(yes), Box::new(no)))
    }

    fn or(&mut self) -> Parsed {
        let mut left = self.and()?;
        while self.eat(b"||") {
            left = Arith::Or(Box::new(left), Box::new(self.and()?));
        }
        Ok(left)
    }

    fn and(&mut self) -> Parsed {
        let mut left = self.binary(0)?;
        while self.eat(b"&&") {
            left = Arith::And(Box::new(left), Box::new(self.binary(0)?));
        }
        Ok(left)
    }

    /// Parses the operators from `|` to `%` by precedence; all are left-associative.
    fn binary(&mut self, least: u8) -> Parsed {
        let mut left = self.power()?;
        while let Some((op, level, len)) = self.binary_op() {
            if level < least {
                break;
            }
            self.at += len;
            let right = self.binary(level + 1)?;
            left = Arith::Binary(op, Box::new(left), Box::new(right));
        }
        Ok(left)
    }

    fn binary_op(&mut self) -> Option<(Binary, u8, usize)> {
        self.blanks();
        let rest = &self.src[self.at..];
        let second = rest.get(1).copied();
        let assigns = second == Some(b'=');
        let found = match rest.first()? {
            b'|' if second != Some(b'|') && !assigns => (Binary::BitOr, 0, 1),
            b'^' if !assigns => (Binary::BitXor, 1, 1),
            b'&' if second != Some(b'&') && !assigns => (Binary::BitAnd, 2, 1),
            b'=' if assigns => (Binary::Eq, 3, 2),
            b'!' if assigns => (Binary::Ne, 3, 2),
            b'<' if second == Some(b'<') => {
                if rest.get(2) == Some(&b'=') {
                    return None;
                }
                (Binary::Shl, 5, 2)
            }
            b'>' if second == Some(b'>') => {
                if rest.get(2) == Some(&b'=') {
                    return None;
                }
                (Binary::Shr, 5, 2)
            }
            b'<' if assigns => (Binary::Le, 4, 2),
            b'>' if assigns => (Binary::Ge, 4, 2),
            b'<' => (Binary::Lt, 4, 1),
            b'>' => (Binary::Gt, 4, 1),
            b'+' if !assigns => (Binary::Add, 6, 1),
            b'-' if !assigns => (Binary::Sub, 6, 1),
            b'*' if !assigns && second != Some(b'*') => (Binary::Mul, 7, 1),
            b'/' if !assigns => (Binary::Div, 7, 1),
            b'%' if !assigns => (Binary::Rem, 7, 1),
            _ => return None,
        };
        Some(found)
    }

    fn power(&mut self) -> Parsed {
        let base = self.unary()?;
        if self.eat(b"**") {
            let exponent = self.deeper(Parser::power)?;
            return Ok(Arith::Binary(Binary::Pow, Box::new(base), Box::new(exponent)));
        }
        Ok(base)
    }

    fn deeper(&mut self, f: impl FnOnce(&mut Self) -> Parsed) -> Parsed {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(format!("expression nested deeper than {MAX_DEPTH} levels"));
        }
        let answer = f(self);
        self.depth -= 1;
        answer
    }

    fn unary(&mut self) -> Parsed {
        self.blanks();
        let rest = &self.src[self.at..];
        for (text, delta) in [(b"++", 1), (b"--", -1)] {
            if rest.starts_with(text) {
                let start = self.at;
                self.at += 2;
                self.blanks();
                if self.src.get(self.at).copied().is_some_and(is_name_start)
                    && let Arith::Target(target) = self.primary()?
                {
                    return Ok(Arith::Step(target, delta, false));
                }
                self.at = start;
            }
        }
        let op = match self.src.get(self.at) {
            Some(b'+') => Unary::Plus,
            Some(b'-') => Unary::Minus,
            Some(b'!') if self.src.get(self.at + 1) != Some(&b'=') => Unary::Not,
            Some(b'~') => Unary::Invert,
            _ => return self.postfix(),
        };
        self.at += 1;
        let operand = self.deeper(Parser::unary)?;
        Ok(Arith::Unary(op, Box::new(operand)))
    }

    fn postfix(&mut self) -> Parsed {
        self.blanks();
        let is_name = self.src.get(self.at).copied().is_some_and(is_name_start);
        let operand = self.primary()?;
        let target = match operand {
            // Only a name can be stepped, not an expression in parentheses.
            Arith::Target(target) if is_name => target,
            operand => return Ok(operand),
        };
        if self.eat(b"++") {
            return Ok(Arith::Step(target, 1, true));
        }
        if self.eat(b"--") {
            return Ok(Arith::Step(target, -1, true));
        }
        Ok(Arith::Target(target))
    }

    fn primary(&mut self) -> Parsed {
        self.blanks();
        let Some(&c) = self.src.get(self.at) else {
            return Err(self.error("syntax error: operand expected"));
        };
        if c == b'(' {
            self.at += 1;
            let inner = self.deeper(Parser::comma)?;
            if !self.eat(b")") {
                return Err(self.error("missing `)'"));
            }
            return Ok(inner);
        }
        if c == VALUE {
            self.at += 1;
            self.values += 1;
            return Ok(Arith::Value(self.values - 1));
        }
        if c.is_ascii_digit() {
            return self.number();
        }
        if is_name_start(c) {
            let start = self.at;
            while self.src.get(self.at).copied().is_some_and(is_name_char) {
                self.at += 1;
            }
            let name = self.src[start..self.at].to_vec();
            if self.src.get(self.at) == Some(&b'[') {
                let index = self.subscript()?;
                return Ok(Arith::Target(Target::Element(name, index)));
            }
            return Ok(Arith::Target(Target::Variable(name)));
        }
        Err(self.error("syntax error: operand expected"))
    }

    fn subscript(&mut self) -> Result<Text, String> {
        let start = self.at + 1;
        let mut depth = 0usize;
        while let Some(c) = self.src.get(self.at) {
            match *c {
                VALUE => return Err(self.error("bad array subscript")),
                b'\\' => self.at += 1,
                b'[' => depth += 1,
                b']' => depth -= 1,
                _ => {}
            }
            self.at = (self.at + 1).min(self.src.len());
            if depth == 0 {
                return Ok(self.src[start..self.at - 1].to_vec());
            }
        }
        Err(self.error("bad array subscript"))
    }

    fn number(&mut self) -> Parsed {
        let start = self.at;
        while self.src.get(self.at).is_some_and(|c| is_name_char(*c) || matches!(c, b'#' | b'@')) {
            self.at += 1;
        }
        number(&self.src[start..self.at]).map(Arith::Number).map_err(|what| {
            let token = String::from_utf8_lossy(&self.src[start..]);
            format!("{what} (error token is \"{token}\")")
        })
    }
}

/// Parses a constant: decimal, `0x…`, `0…` or `base#…`.
pub fn number(text: &[u8]) -> Result<i64, &'static str> {
    let (base, digits) = match text.iter().position(|c| *c == b'#') {
        Some(at) => {
            let base = text[..at].iter().try_fold(0i64, |n, c| {
                c.is_ascii_digit().then(|| n.saturating_mul(10).saturating_add(i64::from(c - b'0')))
            });
            match base {
                Some(base @ 2..=64) if text[0] != b'0' => (base, &text[at + 1..]),
                _ => return Err("invalid arithmetic base"),
            }
        }
        None => match text {
            [b'0', b'x' | b'X', digits @ ..] => (16, digits),
            [b'0', digits @ ..] => (8, digits),
            _ => (10, text),
        },
    };
    if digits.is_empty() && text.contains(&b'#') {
        return Err("invalid integer constant");
    }
    let mut value = 0i64;
    for c in digits {
        let digit = match c {
            b'0'..=b'9' => i64::from(c - b'0'),
            b'a'..=b'z' => i64::from(c - b'a') + 10,
            b'A'..=b'Z' if base <= 36 => i64::from(c - b'A') + 10,
            b'A'..=b'Z' => i64::from(c - b'A') + 36,
            b'@' => 62,
            b'_' => 63,
            _ => return Err("syntax error in expression"),
        };
        if digit >= base {
            return Err("value too great for base");
        }
        value = value.wrapping_mul(base).wrapping_add(digit);
    }
    Ok(value)
}
