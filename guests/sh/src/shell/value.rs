//! Variables: values and attributes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::assoc::Assoc;
use crate::syntax::ast::Text;

/// Attribute flags of a variable, named by their `declare` letter.
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
    /// Assigned before a command, for that command only. It is no attribute of `declare`.
    pub const TEMPORARY: u16 = 256;
}

/// The value of a variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Value {
    /// Declared but not assigned.
    Unset,
    /// A single value.
    Scalar(Text),
    /// An indexed array; the flag is true once it has been assigned.
    Indexed(BTreeMap<i64, Text>, bool),
    /// An associative array; the flag is true once it has been assigned.
    Assoc(Assoc, bool),
}

/// A variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Var {
    /// Current value.
    pub value: Value,
    /// Attributes; see [`flag`].
    pub flags: u16,
}

impl Var {
    /// Creates a variable without attributes.
    pub fn scalar(value: impl Into<Text>) -> Var {
        Var { value: Value::Scalar(value.into()), flags: 0 }
    }

    /// Returns true if the variable has this attribute.
    pub fn has(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    /// Returns the value of `$x`; for an array, element 0.
    pub fn first(&self) -> Option<&Text> {
        match &self.value {
            Value::Unset => None,
            Value::Scalar(text) => Some(text),
            Value::Indexed(map, _) => map.get(&0),
            Value::Assoc(map, _) => map.get(b"0"),
        }
    }

    /// Returns true for an array of either kind.
    pub fn is_array(&self) -> bool {
        matches!(self.value, Value::Indexed(..) | Value::Assoc(..))
    }

    /// Returns true if the variable was ever assigned a value.
    pub fn is_assigned(&self) -> bool {
        match &self.value {
            Value::Unset => false,
            Value::Scalar(_) => true,
            Value::Indexed(_, assigned) | Value::Assoc(_, assigned) => *assigned,
        }
    }

    /// Returns all values in order.
    pub fn values(&self) -> Vec<Text> {
        match &self.value {
            Value::Unset => Vec::new(),
            Value::Scalar(text) => vec![text.clone()],
            Value::Indexed(map, _) => map.values().cloned().collect(),
            Value::Assoc(map, _) => map.iter().map(|(_, value)| value.clone()).collect(),
        }
    }

    /// Returns all keys in order.
    pub fn keys(&self) -> Vec<Text> {
        match &self.value {
            Value::Unset => Vec::new(),
            Value::Scalar(_) => vec![b"0".to_vec()],
            Value::Indexed(map, _) => map.keys().map(|k| k.to_string().into_bytes()).collect(),
            Value::Assoc(map, _) => map.iter().map(|(key, _)| key.clone()).collect(),
        }
    }
}
