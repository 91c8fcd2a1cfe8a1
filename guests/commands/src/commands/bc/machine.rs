//! Executes statements.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::io::Write;
use std::rc::Rc;

use super::math;
use super::number::{Number, Result};
use super::parser::{Expression, Function, Place, Printed, Statement};

/// Deepest nesting of function calls; each call takes stack.
const MAX_CALLS: usize = 250;

/// Largest value of `scale`.
const MAX_SCALE: i64 = 100_000;

/// Width at which output lines are broken, including the backslash and the newline.
const LINE: usize = 70;

/// The way in which a statement ended.
#[derive(Debug, PartialEq)]
pub(super) enum Flow {
    On,
    Break,
    Continue,
    Return(Number),
    Quit,
}

pub(super) struct Machine<W> {
    pub(super) out: W,
    variables: HashMap<String, Number>,
    elements: HashMap<(String, i64), Number>,
    functions: HashMap<String, Rc<Function>>,
    scale: u32,
    ibase: u32,
    obase: u32,
    last: Number,
    calls: usize,
    has_library: bool,
    line: usize,
}

impl<W: Write> Machine<W> {
    pub(super) fn new(out: W, has_library: bool) -> Self {
        let line = std::env::var("BC_LINE_LENGTH").ok().and_then(|text| text.parse().ok());
        Machine {
            out,
            variables: HashMap::new(),
            elements: HashMap::new(),
            functions: HashMap::new(),
            scale: if has_library { 20 } else { 0 },
            ibase: 10,
            obase: 10,
            last: Number::from(0),
            calls: 0,
            has_library,
            line: line.map_or(LINE, |line: usize| if line < 3 { 0 } else { line }),
        }
    }

    pub(super) fn run(&mut self, statement: &Statement) -> Result<Flow> {
        match statement {
            Statement::Show(expression) => {
                let value = self.value(expression)?;
                let text = self.broken(&value.text(self.obase));
                self.write(&format!("{text}\n"))?;
                self.last = value;
            }
            Statement::Do(expression) => drop(self.value(expression)?),
            Statement::Text(text) => self.write(text)?,
            Statement::Print(list) => {
                for printed in list {
                    match printed {
                        Printed::Text(text) => self.write(&unescaped(text))?,
                        Printed::Value(expression) => {
                            let value = self.value(expression)?;
                            let text = self.broken(&value.text(self.obase));
                            self.write(&text)?;
                            self.last = value;
                        }
                    }
                }
            }
            Statement::Block(list) => return self.run_all(list),
            Statement::If(condition, then, otherwise) => {
                if self.is_true(condition)? {
                    return self.run(then);
                } else if let Some(otherwise) = otherwise {
                    return self.run(otherwise);
                }
            }
            Statement::While(condition, body) => return self.repeat(Some(condition), None, body),
            Statement::For(first, condition, step, body) => {
                if let Some(first) = first {
                    self.value(first)?;
                }
                return self.repeat(condition.as_ref(), step.as_ref(), body);
            }
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
            Statement::Return(value) => {
                let value = match value {
                    Some(value) => self.value(value)?,
                    None => Number::from(0),
                };
                return Ok(Flow::Return(value));
            }
            Statement::Quit => return Ok(Flow::Quit),
            Statement::Define(function) => {
                self.functions.insert(function.name.clone(), Rc::new(function.clone()));
            }
        }
        Ok(Flow::On)
    }

    fn run_all(&mut self, list: &[Statement]) -> Result<Flow> {
        for statement in list {
            let flow = self.run(statement)?;
            if flow != Flow::On {
                return Ok(flow);
            }
        }
        Ok(Flow::On)
    }

    fn repeat(
        &mut self,
        condition: Option<&Expression>,
        step: Option<&Expression>,
        body: &Statement,
    ) -> Result<Flow> {
        loop {
            if let Some(condition) = condition
                && !self.is_true(condition)?
            {
                return Ok(Flow::On);
            }
            match self.run(body)? {
                Flow::On | Flow::Continue => {}
                Flow::Break => return Ok(Flow::On),
                flow @ (Flow::Return(_) | Flow::Quit) => return Ok(flow),
            }
            if let Some(step) = step {
                self.value(step)?;
            }
        }
    }

    fn is_true(&mut self, expression: &Expression) -> Result<bool> {
        Ok(!self.value(expression)?.is_zero())
    }

    fn value(&mut self, expression: &Expression) -> Result<Number> {
        match expression {
            Expression::Number(text) => Ok(Number::parse(text, self.ibase)),
            Expression::Read(place) => self.read(place),
            Expression::Assign(place, operator, value) => {
                let mut value = self.value(value)?;
                if let Some(operator) = operator {
                    let old = self.read(place)?;
                    value = self.computed(operator, &old, &value)?;
                }
                self.assign(place, value.clone())?;
                Ok(value)
            }
            Expression::Step { place, by, first } => {
                let old = self.read(place)?;
                let new = old.plus(&Number::from(*by));
                self.assign(place, new.clone())?;
                Ok(if *first { new } else { old })
            }
            Expression::Binary("&&", a, b) => {
                Ok(Number::truth(self.is_true(a)? && self.is_true(b)?))
            }
            Expression::Binary("||", a, b) => {
                Ok(Number::truth(self.is_true(a)? || self.is_true(b)?))
            }
            Expression::Binary(sign, a, b) => {
                let (a, b) = (self.value(a)?, self.value(b)?);
                self.computed(sign, &a, &b)
            }
            Expression::Negate(value) => Ok(self.value(value)?.negated()),
            Expression::Not(value) => Ok(Number::truth(!self.is_true(value)?)),
            Expression::Call(name, arguments) => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.value(argument)?);
                }
                self.call(name, values)
            }
        }
    }

    fn computed(&self, sign: &str, a: &Number, b: &Number) -> Result<Number> {
        let compared = |wanted: fn(Ordering) -> bool| Ok(Number::truth(wanted(a.compared(b))));
        match sign {
            "+" => Ok(a.plus(b)),
            "-" => Ok(a.minus(b)),
            "*" => a.times(b, self.scale),
            "/" => a.over(b, self.scale),
            "%" => a.rest(b, self.scale),
            "^" => a.power(b, self.scale),
            "==" => compared(Ordering::is_eq),
            "!=" => compared(Ordering::is_ne),
            "<" => compared(Ordering::is_lt),
            "<=" => compared(Ordering::is_le),
            ">" => compared(Ordering::is_gt),
            ">=" => compared(Ordering::is_ge),
            _ => Err(format!("{sign}: no such operator")),
        }
    }

    fn read(&mut self, place: &Place) -> Result<Number> {
        let zero = || Number::from(0);
        Ok(match place {
            Place::Last => self.last.clone(),
            Place::Variable(name) => match name.as_str() {
                "scale" => Number::from(i64::from(self.scale)),
                "ibase" => Number::from(i64::from(self.ibase)),
                "obase" => Number::from(i64::from(self.obase)),
                name => self.variables.get(name).cloned().unwrap_or_else(zero),
            },
            Place::Element(name, index) => {
                let index = self.index(index)?;
                self.elements.get(&(name.clone(), index)).cloned().unwrap_or_else(zero)
            }
        })
    }

    fn index(&mut self, index: &Expression) -> Result<i64> {
        let index = self.value(index)?.to_i64();
        index.filter(|index| (0..1 << 24).contains(index)).ok_or("Array index out of bounds".into())
    }

    fn assign(&mut self, place: &Place, value: Number) -> Result<()> {
        match place {
            Place::Last => self.last = value,
            Place::Variable(name) => match name.as_str() {
                "scale" => self.scale = whole(&value, 0, MAX_SCALE, "scale")? as u32,
                "ibase" => self.ibase = whole(&value, 2, 16, "ibase")? as u32,
                "obase" => self.obase = whole(&value, 2, 1_000_000_000, "obase")? as u32,
                name => drop(self.variables.insert(name.to_owned(), value)),
            },
            Place::Element(name, index) => {
                let index = self.index(index)?;
                self.elements.insert((name.clone(), index), value);
            }
        }
        Ok(())
    }

    fn call(&mut self, name: &str, mut values: Vec<Number>) -> Result<Number> {
        if let Some(function) = self.functions.get(name).cloned() {
            return self.call_own(&function, values);
        }
        let [value] = values.as_mut_slice() else {
            return match (name, values.len()) {
                ("read", 0) => Err("read(): not supported".into()),
                _ => Err(format!("Function {name} not defined.")),
            };
        };
        let scale = self.scale;
        match name {
            "sqrt" => value.root(scale),
            "length" => Ok(Number::from(value.digit_count() as i64)),
            "scale" => Ok(Number::from(i64::from(value.scale))),
            "abs" => {
                Ok(if value.digits < 0.into() { value.clone().negated() } else { value.clone() })
            }
            "e" if self.has_library => math::exponential(value, scale),
            "l" if self.has_library => Ok(math::logarithm(value, scale)),
            "s" if self.has_library => Ok(math::sine(value, scale)),
            "c" if self.has_library => Ok(math::cosine(value, scale)),
            "a" if self.has_library => Ok(math::arctangent(value, scale)),
            _ => Err(format!("Function {name} not defined.")),
        }
    }

    fn call_own(&mut self, function: &Function, values: Vec<Number>) -> Result<Number> {
        if values.len() != function.parameters.len() {
            return Err("Parameter number mismatch".into());
        }
        if function.parameters.iter().any(|name| name.ends_with("[]")) {
            return Err(format!("{}: arrays as parameters are not supported", function.name));
        }
        if self.calls >= MAX_CALLS {
            return Err(format!("more than {MAX_CALLS} calls in each other"));
        }
        self.calls += 1;
        let names = function.parameters.iter().chain(&function.locals);
        let given = values.into_iter().chain(std::iter::repeat(Number::from(0)));
        let mut kept = Vec::new();
        let mut kept_elements = Vec::new();
        for (name, value) in names.zip(given) {
            match name.strip_suffix("[]") {
                Some(array) => {
                    let of = |key: &(String, i64)| key.0 == array;
                    kept_elements.extend(self.elements.extract_if(|key, _| of(key)));
                }
                None => kept.push((name, self.variables.insert(name.clone(), value))),
            }
        }
        let ended = self.run_all(&function.body);
        let locals = function.locals.iter().filter_map(|name| name.strip_suffix("[]"));
        for array in locals {
            self.elements.retain(|key, _| key.0 != array);
        }
        self.elements.extend(kept_elements);
        for (name, value) in kept.into_iter().rev() {
            match value {
                Some(value) => self.variables.insert(name.clone(), value),
                None => self.variables.remove(name),
            };
        }
        self.calls -= 1;
        match ended? {
            Flow::Return(value) => Ok(value),
            Flow::Quit => {
                let _ = self.out.flush();
                std::process::exit(0)
            }
            Flow::On | Flow::Break | Flow::Continue => Ok(Number::from(0)),
        }
    }

    /// Resets the call depth after an error, which abandons all calls.
    pub(super) fn recover(&mut self) {
        self.calls = 0;
    }

    fn write(&mut self, text: &str) -> Result<()> {
        self.out.write_all(text.as_bytes()).map_err(|e| crate::output::reason(&e))
    }

    /// Breaks a long number into several lines.
    fn broken(&self, text: &str) -> String {
        // Leaves room for the backslash and the newline.
        let room = self.line.saturating_sub(2);
        if room == 0 || text.len() <= room {
            return text.to_owned();
        }
        let pieces: Vec<&str> = text
            .as_bytes()
            .chunks(room)
            .map(|piece| std::str::from_utf8(piece).unwrap_or_default())
            .collect();
        pieces.join("\\\n")
    }
}

fn whole(value: &Number, least: i64, most: i64, what: &str) -> Result<i64> {
    let value = value.to_i64().unwrap_or(most + 1);
    if (least..=most).contains(&value) {
        return Ok(value);
    }
    Err(format!("{what} must be from {least} to {most}"))
}

/// Processes the escapes of `print`.
fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let letter = match chars.next() {
            Some('n') => '\n',
            Some('t') => '\t',
            Some('r') => '\r',
            Some('a') => '\u{7}',
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('q') => '"',
            Some('\\') | None => '\\',
            Some(other) => {
                out.push('\\');
                other
            }
        };
        out.push(letter);
    }
    out
}
