//! Evaluation of arithmetic expressions.

use std::rc::Rc;

use super::value::Key;
use crate::shell::value::Value;
use crate::shell::{Flow, Shell};
use crate::syntax::arith::{self, Arith, Binary, Target, Unary};
use crate::syntax::ast::{ArithText, Part, Text, Word};

/// Longest chain of variables whose values are expressions that name further variables.
const MAX_CHAIN: usize = 256;

/// Most parsed expressions kept.
const MAX_KEPT: usize = 256;

/// Reason an expression has no value: an error message, or a flow that unwinds further.
enum Stop {
    Message(String),
    Flow(Flow),
}

impl From<Flow> for Stop {
    fn from(flow: Flow) -> Stop {
        Stop::Flow(flow)
    }
}

type Number = Result<i64, Stop>;

impl Shell {
    /// Evaluates an expression of the script.
    pub fn arith_text(&mut self, text: &ArithText) -> Result<i64, Flow> {
        self.arith_or(text, "").map_err(|flow| flow.unwrap_or(Flow::Discard(1)))
    }

    /// Evaluates like [`Shell::arith_text`], but prints errors under the name `who` and returns
    /// them as `Err(None)`, which `((…))` treats as a plain failure.
    pub fn arith_or(&mut self, text: &ArithText, who: &str) -> Result<i64, Option<Flow>> {
        if let Some(tree) = &text.tree {
            let mut values = Vec::new();
            let mut plain = true;
            for part in &text.word.parts {
                if let Part::Param(_) = part {
                    let value = self.expand_part(part).map_err(Some)?;
                    match small(&value) {
                        Some(number) => values.push(number),
                        None => plain = false,
                    }
                }
            }
            if plain {
                let tree = tree.clone();
                return self.eval(&tree, &values, 0).map_err(|stop| {
                    // Without quotes, which belong to the script and not to the expression.
                    let word = Word::new(text.word.parts.clone());
                    let source =
                        String::from_utf8_lossy(&crate::syntax::word_text(&word)).into_owned();
                    self.arith_failed(stop, &source, who)
                });
            }
        }
        let expression = self.expression(&text.word.parts).map_err(Some)?;
        self.arith_source(&expression, who)
    }

    /// Expands the parts of an expression. Values inside a subscript are quoted, so that a key of
    /// an associative array can have any characters.
    fn expression(&mut self, parts: &[Part]) -> Result<Text, Flow> {
        let mut out = Vec::new();
        let mut depth = 0usize;
        for part in parts {
            if let Part::Literal(text) = part {
                for c in text {
                    match c {
                        b'[' => depth += 1,
                        b']' => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                }
                out.extend_from_slice(text);
                continue;
            }
            for c in self.expand_part(part)? {
                if depth > 0 && b"\\'\"`$[]@*".contains(&c) {
                    out.push(b'\\');
                }
                out.push(c);
            }
        }
        Ok(out)
    }

    fn expand_part(&mut self, part: &Part) -> Result<Text, Flow> {
        let word = crate::syntax::ast::Word::new(vec![part.clone()]);
        self.expand_quoted(&word)
    }

    /// Evaluates a variable's value as an expression.
    pub fn arith_value(&mut self, text: &[u8]) -> Result<i64, Flow> {
        if let Some(number) = small(text) {
            return Ok(number);
        }
        self.arith_source(text, "").map_err(|flow| flow.unwrap_or(Flow::Discard(1)))
    }

    /// Evaluates the text of an expression. Returns `Err(None)` if it is invalid, after printing
    /// the error.
    pub fn arith_source(&mut self, text: &[u8], who: &str) -> Result<i64, Option<Flow>> {
        let answer = match self.parsed(text) {
            Ok(tree) => self.eval(&tree, &[], 0),
            Err(message) => Err(Stop::Message(message)),
        };
        answer.map_err(|stop| {
            let source = String::from_utf8_lossy(text).into_owned();
            self.arith_failed(stop, &source, who)
        })
    }

    fn arith_failed(&mut self, stop: Stop, source: &str, who: &str) -> Option<Flow> {
        match stop {
            Stop::Flow(flow) => Some(flow),
            Stop::Message(message) => {
                let who = if who.is_empty() { String::new() } else { format!("{who}: ") };
                self.warn(&format!("{who}{}: {message}", source.trim_start()));
                None
            }
        }
    }

    fn parsed(&mut self, text: &[u8]) -> Result<Rc<Arith>, String> {
        if let Some(tree) = self.ariths.get(text) {
            return Ok(tree.clone());
        }
        let tree = Rc::new(arith::parse(text)?);
        if self.ariths.len() >= MAX_KEPT {
            self.ariths.clear();
        }
        self.ariths.insert(text.to_vec(), tree.clone());
        Ok(tree)
    }

    fn eval(&mut self, tree: &Arith, values: &[i64], chain: usize) -> Number {
        Ok(match tree {
            Arith::Number(number) => *number,
            Arith::Value(at) => values.get(*at as usize).copied().unwrap_or(0),
            Arith::Target(target) => self.read_target(target, chain)?,
            Arith::Unary(op, operand) => {
                let n = self.eval(operand, values, chain)?;
                match op {
                    Unary::Plus => n,
                    Unary::Minus => n.wrapping_neg(),
                    Unary::Not => i64::from(n == 0),
                    Unary::Invert => !n,
                }
            }
            Arith::Binary(op, left, right) => {
                let a = self.eval(left, values, chain)?;
                let b = self.eval(right, values, chain)?;
                binary(*op, a, b)?
            }
            Arith::And(left, right) => i64::from(
                self.eval(left, values, chain)? != 0 && self.eval(right, values, chain)? != 0,
            ),
            Arith::Or(left, right) => i64::from(
                self.eval(left, values, chain)? != 0 || self.eval(right, values, chain)? != 0,
            ),
            Arith::Choose(condition, yes, no) => {
                let chosen = if self.eval(condition, values, chain)? != 0 { yes } else { no };
                self.eval(chosen, values, chain)?
            }
            Arith::Assign(op, target, value) => {
                let number = match op {
                    None => self.eval(value, values, chain)?,
                    Some(op) => {
                        let before = self.read_target(target, chain)?;
                        let value = self.eval(value, values, chain)?;
                        binary(*op, before, value)?
                    }
                };
                self.write_target(target, number)?;
                number
            }
            Arith::Step(target, delta, after) => {
                let before = self.read_target(target, chain)?;
                let now = before.wrapping_add(*delta);
                self.write_target(target, now)?;
                if *after { before } else { now }
            }
        })
    }

    fn read_target(&mut self, target: &Target, chain: usize) -> Number {
        let value = match target {
            Target::Variable(name) => {
                if let Some(var) = self.vars.get(name.as_slice())
                    && let Value::Scalar(text) = &var.value
                    && let Some(number) = small(text)
                    && !var.has(crate::shell::value::flag::NAMEREF)
                {
                    return Ok(number);
                }
                self.get(name)
            }
            Target::Element(name, index) => match self.key(index.clone())? {
                Key::Text(key) => {
                    if key.trim_ascii().is_empty() && !self.is_assoc(name) {
                        let name = String::from_utf8_lossy(name).into_owned();
                        self.warn(&format!("{name}[]: bad array subscript"));
                        return Ok(0);
                    }
                    self.get_element(name, &key)?
                }
                Key::At | Key::Star => Some(self.elements(name).join(&b' ')),
            },
        };
        let Some(text) = value else {
            let (Target::Variable(name) | Target::Element(name, _)) = target;
            // An element that an array lacks is 0, even under `set -u`.
            let is_declared = self.var(name).is_some_and(|var| var.is_assigned());
            if self.options.nounset() && !is_declared {
                let name = String::from_utf8_lossy(name).into_owned();
                self.warn(&format!("{name}: unbound variable"));
                return Err(Stop::Flow(Flow::Fatal(1)));
            }
            return Ok(0);
        };
        if let Some(number) = small(&text) {
            return Ok(number);
        }
        if chain >= MAX_CHAIN {
            let text = String::from_utf8_lossy(&text).into_owned();
            return Err(Stop::Message(format!(
                "expression recursion level exceeded (error token is \"{text}\")"
            )));
        }
        let tree = self.parsed(&text).map_err(Stop::Message)?;
        self.eval(&tree, &[], chain + 1)
    }

    fn is_assoc(&self, name: &[u8]) -> bool {
        matches!(self.var(name).map(|var| &var.value), Some(Value::Assoc(..)))
    }

    fn write_target(&mut self, target: &Target, number: i64) -> Result<(), Stop> {
        let value = number.to_string().into_bytes();
        match target {
            Target::Variable(name) => self.set(name, value)?,
            Target::Element(name, index) => {
                let index = self.expand_key(index)?;
                self.assign(name, Some(&index), value, false)?;
            }
        }
        Ok(())
    }
}

/// Parses a plain decimal number of at most 18 digits.
fn small(text: &[u8]) -> Option<i64> {
    let (digits, negative) = match text {
        [b'-', digits @ ..] => (digits, true),
        digits => (digits, false),
    };
    if digits.is_empty() || digits.len() > 18 || (digits[0] == b'0' && digits.len() > 1) {
        return None;
    }
    let mut value = 0i64;
    for c in digits {
        if !c.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(c - b'0');
    }
    Some(if negative { -value } else { value })
}

fn binary(op: Binary, a: i64, b: i64) -> Number {
    let zero = || Stop::Message(format!("division by 0 (error token is \"{b}\")"));
    Ok(match op {
        Binary::Comma => b,
        Binary::BitOr => a | b,
        Binary::BitXor => a ^ b,
        Binary::BitAnd => a & b,
        Binary::Eq => i64::from(a == b),
        Binary::Ne => i64::from(a != b),
        Binary::Lt => i64::from(a < b),
        Binary::Gt => i64::from(a > b),
        Binary::Le => i64::from(a <= b),
        Binary::Ge => i64::from(a >= b),
        Binary::Shl => a.wrapping_shl(b as u32),
        Binary::Shr => a.wrapping_shr(b as u32),
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Div if b == 0 => return Err(zero()),
        Binary::Div => a.wrapping_div(b),
        Binary::Rem if b == 0 => return Err(zero()),
        Binary::Rem => a.wrapping_rem(b),
        Binary::Pow if b < 0 => {
            return Err(Stop::Message(format!("exponent less than 0 (error token is \"{b}\")")));
        }
        Binary::Pow => {
            let (mut base, mut exponent, mut power) = (a, b, 1i64);
            while exponent > 0 {
                if exponent & 1 == 1 {
                    power = power.wrapping_mul(base);
                }
                base = base.wrapping_mul(base);
                exponent >>= 1;
            }
            power
        }
    })
}
