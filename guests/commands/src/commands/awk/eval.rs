//! Evaluates expressions.

use std::rc::Rc;

use crate::pattern::Pattern;

use super::ast::*;
use super::exec::Flow;
use super::globals::{FNR, NR};
use super::machine::{Answer, Machine, Slot, Stop};
use super::streams::Ending;
use super::value::Value;

/// Longest string that a program may build, in bytes.
pub(super) const MAX_TEXT: usize = 256 << 20;

impl<'p> Machine<'p> {
    pub(super) fn is_true(&mut self, expr: &'p Expr) -> Answer<bool> {
        match expr {
            Expr::Regex(pattern) => {
                let record = self.whole();
                let pattern = self.constant(pattern)?;
                Ok(pattern.is_match(&record.string(&self.convfmt)))
            }
            Expr::And(left, right) => Ok(self.is_true(left)? && self.is_true(right)?),
            Expr::Or(left, right) => Ok(self.is_true(left)? || self.is_true(right)?),
            Expr::Not(operand) => Ok(!self.is_true(operand)?),
            Expr::Compare(kind, left, right) => self.compare(*kind, left, right),
            Expr::Match(text, pattern, negated) => Ok(self.matches(text, pattern)? != *negated),
            _ => Ok(self.eval(expr)?.is_true()),
        }
    }

    pub(super) fn string(&mut self, expr: &'p Expr) -> Answer<Rc<[u8]>> {
        let value = self.eval(expr)?;
        Ok(value.string(&self.convfmt))
    }

    fn number(&mut self, expr: &'p Expr) -> Answer<f64> {
        Ok(self.eval(expr)?.number())
    }

    /// Evaluates an expression for its effect only, which saves a copy of the old value in `x++`.
    pub(super) fn effect(&mut self, expr: &'p Expr) -> Answer<()> {
        if let Expr::Step(place, by, true) = expr {
            return self.step(place, *by).map(drop);
        }
        self.eval(expr).map(drop)
    }

    pub(super) fn eval(&mut self, expr: &'p Expr) -> Answer<Value> {
        Ok(match expr {
            Expr::Number(number) => Value::Number(*number),
            Expr::Text(text) => Value::Text(text.clone()),
            Expr::Get(place) => return self.read(place),
            Expr::Assign(place, value) => {
                let value = self.eval(value)?;
                self.assign(place, value.clone())?;
                value
            }
            Expr::Update(kind, place, value) => {
                let value = self.number(value)?;
                let (_, after) = self.change(place, |before| arithmetic(*kind, before, value))?;
                Value::Number(after)
            }
            Expr::Step(place, by, before) => {
                let number = self.step(place, *by)?;
                Value::Number(if *before { number } else { number + by })
            }
            Expr::Arithmetic(kind, left, right) => {
                let left = self.number(left)?;
                let right = self.number(right)?;
                Value::Number(arithmetic(*kind, left, right)?)
            }
            Expr::Concat(parts) => {
                let mut text = Vec::new();
                for part in parts {
                    let value = self.eval(part)?;
                    value.append(&mut text, &self.convfmt);
                }
                if text.len() > MAX_TEXT {
                    return Err(format!("string longer than {MAX_TEXT} bytes").into());
                }
                Value::text(text)
            }
            Expr::Negative(operand) => Value::Number(-self.number(operand)?),
            Expr::Positive(operand) => Value::Number(self.number(operand)?),
            Expr::Condition(condition, yes, no) => {
                let chosen = if self.is_true(condition)? { yes } else { no };
                return self.eval(chosen);
            }
            Expr::In(subscript, array) => {
                let key = self.subscript(subscript)?;
                let array = self.array(*array)?;
                Value::bool(array.borrow().contains(&key))
            }
            Expr::Grouping(list) => {
                let key = self.subscript(list)?;
                Value::text(key)
            }
            Expr::Call(function, args) => return self.call(*function, args),
            Expr::Builtin(builtin, args) => return self.builtin(*builtin, args),
            Expr::Getline(place, source) => return self.getline(place.as_deref(), source),
            Expr::Regex(_)
            | Expr::And(..)
            | Expr::Or(..)
            | Expr::Not(_)
            | Expr::Compare(..)
            | Expr::Match(..) => Value::bool(self.is_true(expr)?),
        })
    }

    fn compare(&mut self, kind: Comparison, left: &'p Expr, right: &'p Expr) -> Answer<bool> {
        let left = self.eval(left)?;
        let right = self.eval(right)?;
        let order = left.compare(&right, &self.convfmt);
        Ok(match kind {
            Comparison::Less => order.is_some_and(|order| order.is_lt()),
            Comparison::LessEqual => order.is_some_and(|order| order.is_le()),
            Comparison::Equal => order.is_some_and(|order| order.is_eq()),
            Comparison::NotEqual => !order.is_some_and(|order| order.is_eq()),
            Comparison::Greater => order.is_some_and(|order| order.is_gt()),
            Comparison::GreaterEqual => order.is_some_and(|order| order.is_ge()),
        })
    }

    fn matches(&mut self, text: &'p Expr, pattern: &'p Expr) -> Answer<bool> {
        let text = self.string(text)?;
        let pattern = self.pattern_of(pattern)?;
        Ok(pattern.is_match(&text))
    }

    /// Returns the pattern of an expression in a position that expects one.
    pub(super) fn pattern_of(&mut self, expr: &'p Expr) -> Answer<Rc<Pattern>> {
        if let Expr::Regex(pattern) = expr {
            return self.constant(pattern);
        }
        let text = self.string(expr)?;
        self.pattern(&text)
    }

    /// Returns a constant pattern; with `IGNORECASE`, as one that ignores case.
    pub(super) fn constant(&mut self, pattern: &Rc<Pattern>) -> Answer<Rc<Pattern>> {
        match self.ignores_case {
            true => self.pattern(pattern.text().as_bytes()),
            false => Ok(pattern.clone()),
        }
    }

    /// Returns the key of an element; several subscripts are joined by `SUBSEP`.
    pub(super) fn subscript(&mut self, subscript: &'p [Expr]) -> Answer<Rc<[u8]>> {
        if let [one] = subscript {
            return self.string(one);
        }
        let mut key = Vec::new();
        for (number, part) in subscript.iter().enumerate() {
            if number > 0 {
                key.extend_from_slice(&self.subsep);
            }
            let value = self.eval(part)?;
            value.append(&mut key, &self.convfmt);
        }
        Ok(key.into())
    }

    fn read(&mut self, place: &'p Place) -> Answer<Value> {
        match place {
            Place::Variable(name) => self.get(*name),
            Place::Field(index) => {
                let index = match &**index {
                    Expr::Number(number) => *number,
                    other => self.number(other)?,
                };
                self.field(index)
            }
            Place::Element(array, subscript) => {
                let key = self.subscript(subscript)?;
                let array = self.array(*array)?;
                let mut array = array.borrow_mut();
                Ok(array.element(&key).clone())
            }
        }
    }

    pub(super) fn assign(&mut self, place: &'p Place, value: Value) -> Answer<()> {
        match place {
            Place::Variable(name) => self.set(*name, value),
            Place::Field(index) => {
                let index = self.number(index)?;
                self.set_field(index, value)
            }
            Place::Element(array, subscript) => {
                let key = self.subscript(subscript)?;
                self.array(*array)?.borrow_mut().set(&key, value);
                Ok(())
            }
        }
    }

    /// Adds `by` to a place and returns its old value as a number.
    fn step(&mut self, place: &'p Place, by: f64) -> Answer<f64> {
        self.change(place, |before| Ok(before + by)).map(|(before, _)| before)
    }

    /// Changes the number at a place and returns it as it was and as it is now. The subscript is
    /// evaluated once: it may have effects, as in `a[i++] += 1`.
    fn change(
        &mut self,
        place: &'p Place,
        change: impl FnOnce(f64) -> Answer<f64>,
    ) -> Answer<(f64, f64)> {
        match place {
            Place::Element(array, subscript) => {
                let key = self.subscript(subscript)?;
                let array = self.array(*array)?;
                let mut array = array.borrow_mut();
                let element = array.element(&key);
                let before = element.number();
                let after = change(before)?;
                *element = Value::Number(after);
                Ok((before, after))
            }
            Place::Field(index) => {
                let index = self.number(index)?;
                let before = self.field(index)?.number();
                let after = change(before)?;
                self.set_field(index, Value::Number(after))?;
                Ok((before, after))
            }
            Place::Variable(name) => {
                let before = self.get(*name)?.number();
                let after = change(before)?;
                self.set(*name, Value::Number(after))?;
                Ok((before, after))
            }
        }
    }

    fn call(&mut self, number: usize, args: &'p [Expr]) -> Answer<Value> {
        let function = &self.program.functions[number];
        if args.len() > function.params {
            let name = &function.name;
            return Err(
                format!("function `{name}' called with more arguments than declared").into()
            );
        }
        let mut slots = Vec::with_capacity(function.params);
        for (position, arg) in args.iter().enumerate() {
            let slot = match arg {
                Expr::Get(Place::Variable(name)) => {
                    if function.arrays[position] && matches!(self.slot(*name), Slot::Untyped) {
                        self.array(*name)?;
                    }
                    match self.slot(*name).clone() {
                        Slot::Scalar(_) => Slot::Scalar(self.get(*name)?),
                        other => other,
                    }
                }
                other => Slot::Scalar(self.eval(other)?),
            };
            slots.push(slot);
        }
        slots.resize(function.params, Slot::Untyped);
        self.deeper()?;
        let base = std::mem::replace(&mut self.base, self.locals.len());
        self.locals.append(&mut slots);
        let flow = self.block(&function.body);
        self.locals.truncate(self.base);
        self.base = base;
        self.calls -= 1;
        match flow? {
            Flow::Return(value) => Ok(value),
            Flow::Normal | Flow::Break | Flow::Continue => Ok(Value::Unset),
        }
    }

    fn getline(&mut self, place: Option<&'p Place>, source: &'p Source) -> Answer<Value> {
        let ending: Ending = self.ending.clone();
        let (record, counts) = match source {
            Source::Main => {
                if place.is_none() {
                    return Ok(Value::bool(self.next_main()?));
                }
                let before = self.whole();
                if !self.next_main()? {
                    return Ok(Value::Number(0.0));
                }
                let record = self.whole();
                self.set_record(before);
                (Some(record), [None, None])
            }
            Source::File(name) => {
                let name = self.string(name)?;
                let Ok(reader) = self.streams.file(&name) else {
                    return Ok(Value::Number(-1.0));
                };
                match reader.record(&ending) {
                    Ok(record) => (record.map(|(text, _)| Value::input(text)), [None, None]),
                    Err(_) => return Ok(Value::Number(-1.0)),
                }
            }
            Source::Command(command) => {
                let command = self.string(command)?;
                let reader = self.streams.command(&command)?;
                match reader.record(&ending) {
                    Ok(record) => (record.map(|(text, _)| Value::input(text)), [Some(NR), None]),
                    Err(_) => return Ok(Value::Number(-1.0)),
                }
            }
        };
        let Some(record) = record else { return Ok(Value::Number(0.0)) };
        for number in counts.into_iter().flatten() {
            self.count(number);
            if number == NR {
                self.count(FNR);
            }
        }
        match place {
            Some(place) => self.assign(place, record)?,
            None => self.set_record(record),
        }
        Ok(Value::Number(1.0))
    }
}

fn arithmetic(kind: Arithmetic, left: f64, right: f64) -> Answer<f64> {
    Ok(match kind {
        Arithmetic::Add => left + right,
        Arithmetic::Subtract => left - right,
        Arithmetic::Multiply => left * right,
        Arithmetic::Divide | Arithmetic::Remainder if right == 0.0 => {
            return Err(Stop::Fatal("division by zero".to_owned()));
        }
        Arithmetic::Divide => left / right,
        Arithmetic::Remainder => left % right,
        Arithmetic::Power if right == right.trunc() && right.abs() < 1024.0 => {
            left.powi(right as i32)
        }
        Arithmetic::Power => left.powf(right),
    })
}
