//! Reading the members of an object one by one; any that remain are unknown.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::Invalid;
use crate::value::Value;

pub(super) struct Members {
    /// Name of the object in errors; empty for the message itself.
    place: &'static str,
    left: Vec<(String, Value)>,
}

impl Members {
    pub(super) fn of(place: &'static str, value: Value) -> Result<Self, Invalid> {
        match value {
            Value::Object(left) => Ok(Members { place, left }),
            _ if place.is_empty() => Err(Invalid::new("not an object")),
            _ => Err(Invalid::new(format!("{place}: not an object"))),
        }
    }

    fn named(&self, name: &str) -> String {
        match self.place {
            "" => name.into(),
            place => format!("{place}.{name}"),
        }
    }

    /// Takes a member that may be missing; `undefined` counts as missing.
    pub(super) fn optional(&mut self, name: &str) -> Option<Value> {
        let at = self.left.iter().position(|(key, _)| key == name)?;
        let (_, value) = self.left.swap_remove(at);
        (value != Value::Undefined).then_some(value)
    }

    /// Takes a required member; `undefined` counts as a value.
    pub(super) fn take(&mut self, name: &str) -> Result<Value, Invalid> {
        let at = self.left.iter().position(|(key, _)| key == name);
        let missing = || Invalid::new(format!("{}: missing", self.named(name)));
        let at = at.ok_or_else(missing)?;
        Ok(self.left.swap_remove(at).1)
    }

    pub(super) fn text(&mut self, name: &str) -> Result<String, Invalid> {
        match self.take(name)? {
            Value::String(text) => Ok(text),
            _ => Err(Invalid::new(format!("{}: not a string", self.named(name)))),
        }
    }

    pub(super) fn optional_text(&mut self, name: &str) -> Result<Option<String>, Invalid> {
        match self.optional(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(Invalid::new(format!("{}: not a string", self.named(name)))),
        }
    }

    pub(super) fn texts(&mut self, name: &str) -> Result<Vec<String>, Invalid> {
        let text = |value| match value {
            Value::String(text) => Some(text),
            _ => None,
        };
        let texts = match self.optional(name) {
            None => return Ok(Vec::new()),
            Some(Value::Array(items)) => items.into_iter().map(text).collect(),
            Some(_) => None,
        };
        texts.ok_or_else(|| Invalid::new(format!("{}: not an array of strings", self.named(name))))
    }

    /// Refuses members that have not been taken.
    pub(super) fn end(self) -> Result<(), Invalid> {
        match self.left.first() {
            None => Ok(()),
            Some((name, _)) => Err(Invalid::new(format!("{}: unknown", self.named(name)))),
        }
    }
}
