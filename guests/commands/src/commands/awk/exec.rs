//! Executes statements.

use std::io::Write;
use std::rc::Rc;

use super::ast::*;
use super::globals::PROCINFO;
use super::machine::{Answer, Machine, Slot, Stop};
use super::streams::Mode;
use super::value::{Value, looks_numeric};
use super::{builtins, format, order};

/// The way in which a statement ended.
pub(super) enum Flow {
    Normal,
    Break,
    Continue,
    Return(Value),
}

impl<'p> Machine<'p> {
    pub(super) fn block(&mut self, block: &'p Block) -> Answer<Flow> {
        for statement in block {
            match self.statement(statement)? {
                Flow::Normal => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::Normal)
    }

    fn statement(&mut self, statement: &'p Statement) -> Answer<Flow> {
        match statement {
            Statement::Expr(expr) => {
                self.effect(expr)?;
            }
            Statement::Print(args, redirect) => self.print(args, redirect.as_ref())?,
            Statement::Printf(args, redirect) => {
                let text = self.formatted(args)?;
                self.emit(&text, redirect.as_ref())?;
            }
            Statement::If(condition, then, otherwise) => {
                let chosen = if self.is_true(condition)? { then } else { otherwise };
                return self.block(chosen);
            }
            Statement::While(condition, body) => {
                while self.is_true(condition)? {
                    match self.block(body)? {
                        Flow::Normal | Flow::Continue => {}
                        Flow::Break => break,
                        Flow::Return(value) => return Ok(Flow::Return(value)),
                    }
                }
            }
            Statement::Do(body, condition) => loop {
                match self.block(body)? {
                    Flow::Normal | Flow::Continue => {}
                    Flow::Break => break,
                    Flow::Return(value) => return Ok(Flow::Return(value)),
                }
                if !self.is_true(condition)? {
                    break;
                }
            },
            Statement::For(first, condition, step, body) => {
                if let Some(first) = first {
                    self.statement(first)?;
                }
                loop {
                    if let Some(condition) = condition
                        && !self.is_true(condition)?
                    {
                        break;
                    }
                    match self.block(body)? {
                        Flow::Normal | Flow::Continue => {}
                        Flow::Break => break,
                        Flow::Return(value) => return Ok(Flow::Return(value)),
                    }
                    if let Some(step) = step {
                        self.statement(step)?;
                    }
                }
            }
            Statement::ForIn(variable, array, body) => return self.walk(*variable, *array, body),
            Statement::Switch(value, cases) => return self.switch(value, cases),
            Statement::Block(block) => return self.block(block),
            Statement::Next => return Err(Stop::Next),
            Statement::NextFile => return Err(Stop::NextFile),
            Statement::Exit(code) => {
                if let Some(code) = code {
                    self.exit = self.eval(code)?.number() as i32 & 0xFF;
                }
                return Err(Stop::Exit);
            }
            Statement::Return(value) => {
                let value = match value {
                    Some(value) => self.eval(value)?,
                    None => Value::Unset,
                };
                return Ok(Flow::Return(value));
            }
            Statement::Break => return Ok(Flow::Break),
            Statement::Continue => return Ok(Flow::Continue),
            Statement::Delete(array, subscript) => {
                let array = self.array(*array)?;
                match subscript {
                    Some(subscript) => {
                        let key = self.subscript(subscript)?;
                        array.borrow_mut().remove(&key);
                    }
                    None => array.borrow_mut().clear(),
                }
            }
        }
        Ok(Flow::Normal)
    }

    fn walk(&mut self, variable: Name, array: Name, body: &'p Block) -> Answer<Flow> {
        let wish = self.walk_order()?;
        let array = self.array(array)?;
        let mut elements: Vec<(Rc<[u8]>, Value)> =
            array.borrow().iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        elements = order::arrange(elements);
        if let Some(wish) = wish {
            builtins::sort_elements(&mut elements, &wish);
        }
        for (key, _) in elements {
            if !array.borrow().contains(&key) {
                continue;
            }
            // A key is text, even if it looks like a number.
            self.set(variable, Value::Text(key))?;
            match self.block(body)? {
                Flow::Normal | Flow::Continue => {}
                Flow::Break => break,
                Flow::Return(value) => return Ok(Flow::Return(value)),
            }
        }
        Ok(Flow::Normal)
    }

    /// Returns the value of `PROCINFO["sorted_in"]`.
    fn walk_order(&mut self) -> Answer<Option<Rc<[u8]>>> {
        let Slot::Array(info) = self.slot(Name::Global(PROCINFO)) else { return Ok(None) };
        Ok(info.borrow().get(b"sorted_in").map(|order| order.string(b"%.6g")))
    }

    fn switch(&mut self, value: &'p Expr, cases: &'p [Case]) -> Answer<Flow> {
        let value = self.eval(value)?;
        let mut chosen = cases.iter().position(|case| case.label.is_none());
        for (number, case) in cases.iter().enumerate() {
            let Some(label) = &case.label else { continue };
            let same = match label {
                Expr::Regex(pattern) => {
                    self.constant(pattern)?.is_match(&value.string(&self.convfmt))
                }
                label => {
                    let label = self.eval(label)?;
                    value.compare(&label, &self.convfmt).is_some_and(|order| order.is_eq())
                }
            };
            if same {
                chosen = Some(number);
                break;
            }
        }
        for case in chosen.map_or(&[][..], |from| &cases[from..]) {
            match self.block(&case.body)? {
                Flow::Normal => {}
                Flow::Break => return Ok(Flow::Normal),
                other => return Ok(other),
            }
        }
        Ok(Flow::Normal)
    }

    pub(super) fn print_record(&mut self) -> Answer<()> {
        let record = self.whole().string(&self.convfmt);
        let ors = self.ors.clone();
        self.written(|streams| {
            streams.out.write_all(&record)?;
            streams.out.write_all(&ors)
        })
    }

    fn print(&mut self, args: &'p [Expr], redirect: Option<&'p Redirect>) -> Answer<()> {
        if args.is_empty() && redirect.is_none() {
            return self.print_record();
        }
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        if args.is_empty() {
            self.whole().append(&mut text, &self.convfmt);
        }
        for (number, arg) in args.iter().enumerate() {
            if number > 0 {
                text.extend_from_slice(&self.ofs);
            }
            self.append(arg, &mut text)?;
        }
        text.extend_from_slice(&self.ors);
        self.emit(&text, redirect)?;
        self.scratch = text;
        Ok(())
    }

    /// Appends a value to the output of `print`. A field is copied from the record.
    fn append(&mut self, arg: &'p Expr, text: &mut Vec<u8>) -> Answer<()> {
        if let Expr::Get(Place::Field(index)) = arg
            && let Expr::Number(index) = **index
            && let Some(field) = self.field_text(index)?
        {
            text.extend_from_slice(field);
            return Ok(());
        }
        let value = self.eval(arg)?;
        value.append(text, &self.ofmt);
        Ok(())
    }

    pub(super) fn formatted(&mut self, args: &'p [Expr]) -> Answer<Vec<u8>> {
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(self.eval(arg)?);
        }
        let layout = values.first().map(|first| first.string(&self.convfmt)).unwrap_or_default();
        let mut text = Vec::new();
        format::write(&mut text, &layout, values.get(1..).unwrap_or_default(), &self.convfmt)?;
        Ok(text)
    }

    fn emit(&mut self, text: &[u8], redirect: Option<&'p Redirect>) -> Answer<()> {
        let (target, mode) = match redirect {
            None => return self.written(|streams| streams.out.write_all(text)),
            Some(Redirect::Truncate(target)) => (target, Mode::Truncate),
            Some(Redirect::Append(target)) => (target, Mode::Append),
            Some(Redirect::Pipe(target)) => (target, Mode::Command),
        };
        let target = self.eval(target)?.string(&self.convfmt);
        if target.is_empty() {
            return Err("expression for redirection has null string value".to_owned().into());
        }
        self.streams.write(&target, mode, text).map_err(|error| {
            let name = String::from_utf8_lossy(&target).into_owned();
            let reason = crate::output::reason(&error);
            Stop::Fatal(format!("cannot redirect to `{name}': {reason}"))
        })
    }

    fn written(
        &mut self,
        write: impl FnOnce(&mut super::streams::Streams) -> std::io::Result<()>,
    ) -> Answer<()> {
        write(&mut self.streams)
            .map_err(|error| Stop::Fatal(format!("write error: {}", crate::output::reason(&error))))
    }
}

/// Returns the number by which a key is sorted; 0 if it does not look like a number.
pub(super) fn key_number(key: &[u8]) -> f64 {
    looks_numeric(key).unwrap_or(0.0)
}
