//! Puts strings and objects together from the outputs of their parts.

use std::rc::Rc;

use super::super::format;
use super::super::json::Json;
use super::super::scope::Item;
use super::super::stack::{Building, Step, Steps, Stop, Writing};
use super::super::syntax::Part;
use super::item::shallow;
use super::{Doing, Next, Run};

impl<'a> Run<'a, '_> {
    pub(super) fn write(&mut self, mut writing: Box<Writing<'a>>, steps: Steps<'a>) -> Doing<'a> {
        while let Some((last, rest)) = writing.parts.split_last() {
            writing.parts = rest;
            match last {
                Part::Plain(plain) => writing.tail.insert_str(0, plain),
                Part::Filter(filter) => {
                    match self.quick(filter, &writing.scope, &writing.input.value) {
                        Some(value) => writing.add(&value?)?,
                        None => {
                            let scope = writing.scope.clone();
                            let value = Item::of(writing.input.value.clone());
                            let steps = steps.then(Step::Text(writing))?;
                            return Ok(Next::Run(filter, scope, value, steps));
                        }
                    }
                }
            }
        }
        Ok(Next::Give(writing.input.made(writing.tail.into()), steps))
    }

    pub(super) fn build(&mut self, mut building: Box<Building<'a>>, steps: Steps<'a>) -> Doing<'a> {
        while let Some(((key, value), rest)) = building.members.split_first() {
            let (scope, input) = (&building.scope, &building.input.value);
            let Some(key) = self.quick(key, scope, input) else {
                let (scope, input) = (scope.clone(), Item::of(input.clone()));
                return Ok(Next::Run(key, scope, input, steps.then(Step::Key(building))?));
            };
            let key = key_of(key?)?;
            let Some(value) = self.quick(value, scope, input) else {
                return self.member(key, building, steps);
            };
            building.object.insert(key, value?);
            building.members = rest;
        }
        let Building { object, input, .. } = *building;
        Ok(Next::Give(input.made(shallow(object.into())?), steps))
    }

    /// Runs the value of the next member.
    pub(super) fn member(
        &mut self,
        key: Rc<str>,
        mut building: Box<Building<'a>>,
        steps: Steps<'a>,
    ) -> Doing<'a> {
        let Some(((_, value), rest)) = building.members.split_first() else {
            return Ok(Next::Back);
        };
        building.members = rest;
        let (scope, input) = (building.scope.clone(), Item::of(building.input.value.clone()));
        Ok(Next::Run(value, scope, input, steps.then(Step::Member(key, building))?))
    }
}

impl Writing<'_> {
    pub(super) fn add(&mut self, value: &Json) -> Result<(), Stop> {
        self.tail.insert_str(0, &written(self.format, value)?);
        Ok(())
    }
}

/// Returns a value as it is written into a string.
pub(super) fn written(format: Option<&str>, value: &Json) -> Result<Rc<str>, Stop> {
    Ok(match format {
        Some(name) => format::apply(name, value)?.into(),
        None => value.plain(),
    })
}

pub(super) fn key_of(key: Json) -> Result<Rc<str>, Stop> {
    match key {
        Json::Str(key) => Ok(key),
        other => Err(format!("Object keys must be strings, not {}", other.described()).into()),
    }
}
