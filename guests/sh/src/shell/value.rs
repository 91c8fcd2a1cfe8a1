//! What a variable holds.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::assoc::Assoc;
use crate::syntax::ast::Text;

/// Attributes of a variable.
pub mod flag {
    /// `-x`
    pub const EXPORT: u16 = 1;
    /// `-r`
    pub const READONLY: u16 = 2;
    /// `-i`
    pub const INTEGER: u16 = 4;
    /// `-l`
    pub const LOWER: u16 = 8;
    /// `-u`
    pub const UPPER: u16 = 16;
    /// `-n`
    pub const NAMEREF: u16 = 32;
    /// `-t`
    pub const TRACE: u16 = 64;
    /// `-c`
    pub const CAPITAL: u16 = 128;
}

/// What a variable holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Value {
    /// Declared, not assigned. True for an indexed array.
    Unset,
    /// One value.
    Scalar(Text),
    /// An array; the flag says whether it was ever assigned.
    Indexed(BTreeMap<i64, Text>, bool),
    /// An associative array; the flag says whether it was ever assigned.
    Assoc(Assoc, bool),
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Var {
    /// What it holds.
    pub value: Value,
    /// See [`flag`].
    pub flags: u16,
}

impl Var {
    /// A plain variable.
    pub fn scalar(value: impl Into<Text>) -> Var {
        Var { value: Value::Scalar(value.into()), flags: 0 }
    }

    /// Whether it has this attribute.
    pub fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// What `$x` gives: of an array, the element 0.
    pub fn first(&self) -> Option<&Text> {
        match &self.value {
            Value::Unset => None,
            Value::Scalar(text) => Some(text),
            Value::Indexed(map, _) => map.get(&0),
            Value::Assoc(map, _) => map.get(b"0"),
        }
    }

    /// Whether it is an array of either kind.
    pub fn is_array(&self) -> bool {
        matches!(self.value, Value::Indexed(..) | Value::Assoc(..))
    }

    /// Whether it was ever given a value.
    pub fn is_assigned(&self) -> bool {
        match &self.value {
            Value::Unset => false,
            Value::Scalar(_) => true,
            Value::Indexed(_, assigned) | Value::Assoc(_, assigned) => *assigned,
        }
    }

    /// All values in order.
    pub fn values(&self) -> Vec<Text> {
        match &self.value {
            Value::Unset => Vec::new(),
            Value::Scalar(text) => vec![text.clone()],
            Value::Indexed(map, _) => map.values().cloned().collect(),
            Value::Assoc(map, _) => map.iter().map(|(_, value)| value.clone()).collect(),
        }
    }

    /// All keys in order.
    pub fn keys(&self) -> Vec<Text> {
        match &self.value {
            Value::Unset => Vec::new(),
            Value::Scalar(_) => vec![b"0".to_vec()],
            Value::Indexed(map, _) => map.keys().map(|k| k.to_string().into_bytes()).collect(),
            Value::Assoc(map, _) => map.iter().map(|(key, _)| key.clone()).collect(),
        }
    }
}
