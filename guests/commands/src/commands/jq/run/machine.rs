//! The state that filters share while a program runs, and the filters that need no steps.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::super::json::{Json, Object};
use super::super::scope::{Name, Scope};
use super::super::stack::Stop;
use super::super::syntax::{Definition, Filter, Part};
use super::super::{format, library, paths};
use super::build::{key_of, written};
use super::item::shallow;
use super::operator::{calculate, negated};

/// Source of inputs.
pub(in crate::commands) trait Inputs {
    fn next(&mut self) -> Option<Result<Json, String>>;
    /// Returns the name of the current file.
    fn file(&self) -> Json;
    /// Returns the number of lines read.
    fn line(&self) -> usize;
}

/// The functions that a program can call by name.
pub(in super::super) type Globals = HashMap<String, Vec<Definition>>;

/// Everything that filters share while a program runs.
pub(in super::super) struct Machine<'a> {
    pub(in super::super) globals: &'a Globals,
    pub(in super::super) inputs: &'a RefCell<dyn Inputs + 'a>,
    pub(in super::super) environment: Json,
    pub(in super::super) regexes: RefCell<HashMap<(String, String), Rc<fancy_regex::Regex>>>,
    pub(in super::super) labels: Cell<usize>,
}

impl<'a> Machine<'a> {
    pub(in super::super) fn variable(&self, name: &str, scope: &Scope<'a>) -> Json {
        let mut at = scope;
        while let Some(node) = at.node() {
            match &node.name {
                Name::Variable(known, value) | Name::Argument(known, value) if *known == name => {
                    return value.clone();
                }
                _ => at = &node.outer,
            }
        }
        if name == "ENV" { self.environment.clone() } else { Json::Null }
    }

    pub(super) fn global(&self, name: &str, arity: usize) -> Option<&'a Definition> {
        let known = self.globals.get(name)?;
        known.iter().find(|definition| definition.parameters.len() == arity)
    }

    /// Runs a filter that has exactly one output, see [`Filter::Single`]. It recurses at most as deep
    /// as the text of the filter is nested.
    pub(in super::super) fn single(
        &self,
        filter: &'a Filter,
        scope: &Scope<'a>,
        input: Json,
    ) -> Result<Json, Stop> {
        Ok(match filter {
            Filter::Identity => input,
            Filter::Single(inner) => self.single(inner, scope, input)?,
            Filter::Literal(value) => value.clone(),
            Filter::Variable(name) => self.variable(name, scope),
            Filter::Format(name) => format::apply(name, &input)?.into(),
            Filter::Index(term, key) => {
                let key = match &**key {
                    Filter::Literal(key) => key.clone(),
                    key => self.single(key, scope, input.clone())?,
                };
                paths::index(&self.single(term, scope, input)?, &key)?
            }
            Filter::Array(None) => Vec::new().into(),
            Filter::Array(Some(inner)) => shallow(vec![self.single(inner, scope, input)?].into())?,
            Filter::Negate(operand) => negated(self.single(operand, scope, input)?)?,
            Filter::Pipe(first, second) => {
                let value = self.single(first, scope, input)?;
                self.single(second, scope, value)?
            }
            Filter::Binary(operator, left, right) => {
                let right = self.single(right, scope, input.clone())?;
                calculate(*operator, self.single(left, scope, input)?, right)?
            }
            Filter::And(left, right) => (self.single(left, scope, input.clone())?.is_true()
                && self.single(right, scope, input)?.is_true())
            .into(),
            Filter::Or(left, right) => (self.single(left, scope, input.clone())?.is_true()
                || self.single(right, scope, input)?.is_true())
            .into(),
            Filter::Alternative(left, right) => {
                let value = self.single(left, scope, input.clone())?;
                if value.is_true() { value } else { self.single(right, scope, input)? }
            }
            Filter::If(condition, then, otherwise) => {
                let truth = self.single(condition, scope, input.clone())?.is_true();
                self.single(if truth { then } else { otherwise }, scope, input)?
            }
            Filter::Object(members) => {
                let mut object = Object::default();
                for (key, value) in members {
                    let key = key_of(self.single(key, scope, input.clone())?)?;
                    object.insert(key, self.single(value, scope, input.clone())?);
                }
                shallow(object.into())?
            }
            Filter::Text(format, parts) => {
                let format = format.as_deref();
                let mut texts = Vec::with_capacity(parts.len());
                // Parts run from the last to the first.
                for part in parts.iter().rev() {
                    texts.push(match part {
                        Part::Plain(plain) => Rc::from(plain.as_str()),
                        Part::Filter(filter) => {
                            written(format, &self.single(filter, scope, input.clone())?)?
                        }
                    });
                }
                texts.iter().rev().map(|text| &**text).collect::<String>().into()
            }
            Filter::Call(name, arguments) => {
                let mut values = Vec::with_capacity(arguments.len());
                for argument in arguments {
                    values.push(self.single(argument, scope, input.clone())?);
                }
                shallow(library::plain(self, name, &values, input)?)?
            }
            _ => return Err("filter is not a single one".to_owned().into()),
        })
    }
}

/// Returns true if [`Machine::single`] can run the filter.
pub(super) fn is_quick(filter: &Filter) -> bool {
    matches!(
        filter,
        Filter::Single(_) | Filter::Literal(_) | Filter::Identity | Filter::Variable(_)
    )
}
