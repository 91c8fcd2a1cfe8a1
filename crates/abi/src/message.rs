//! What a page and a sandbox say to each other where they exchange messages and not crossings, as
//! with `postMessage` between a page and a worker or frame: plain data, one object a message.
//!
//! | `type` | from | besides `id` and `type` |
//! |---|---|---|
//! | `execute` | page | `params: { code, args?, file?, language?, capabilities? }` |
//! | `call` | sandbox | `method`, `params`: an array |
//! | `answer` | page | `result`, or `error` |
//! | `result` | sandbox | `result` |
//! | `error` | sandbox | `error` |
//!
//! `id` is the sender's: an answer has the `id` of its call, a result or error that of its
//! `execute`. `method` is a name of the table of calls. What is not in this table is refused by
//! name, from either side: a page is as little trusted here as a tool.

mod member;
mod schema;

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::call::ToolCall;
use crate::value::Value;
use member::Members;

pub use schema::schema;

/// Longest `id`.
pub const MAX_ID: usize = 128;

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// Runs a tool.
    Execute {
        /// Which run this is.
        id: String,
        /// What to run.
        params: Execute,
    },
    /// A tool makes a call.
    Call {
        /// Which call this is.
        id: String,
        /// What it calls.
        method: ToolCall,
        /// With what.
        params: Vec<Value>,
    },
    /// What became of a call.
    Answer {
        /// The call's.
        id: String,
        /// What it gave.
        outcome: Result<Value, Failure>,
    },
    /// A run returned.
    Result {
        /// The run's.
        id: String,
        /// What it returned.
        result: Value,
    },
    /// A run failed.
    Error {
        /// The run's.
        id: String,
        /// How.
        error: Failure,
    },
}

/// What to run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Execute {
    /// The source.
    pub code: String,
    /// What the tool is called with.
    pub args: Option<Value>,
    /// Its name in stack traces.
    pub file: Option<String>,
    /// `js` or `ts`.
    pub language: Option<String>,
    /// What it is granted, as text.
    pub capabilities: Vec<String>,
}

/// An error as data. Those of permissions have the last four.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failure {
    /// Its class.
    pub name: String,
    /// What it says.
    pub message: String,
    /// Where it was thrown.
    pub stack: Option<String>,
    /// `PERMISSION_DENIED`, for one.
    pub code: Option<String>,
    /// What would have to be granted.
    pub required_permission: Option<String>,
    /// What was attempted, in words.
    pub attempted_action: Option<String>,
    /// By which it can be granted.
    pub request_id: Option<String>,
}

/// Why something is no message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid(String);

impl Invalid {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Invalid(what.into())
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "message: {}", self.0)
    }
}

impl core::error::Error for Invalid {}

impl Message {
    /// Reads a message. Nothing unknown is let through.
    pub fn from_value(value: Value) -> Result<Self, Invalid> {
        if has_references(&value) {
            return Err(Invalid::new("cycles and shared references are not for messages"));
        }
        let mut members = Members::of("", value)?;
        let id = members.text("id")?;
        if id.is_empty() || id.len() > MAX_ID {
            return Err(Invalid::new(format!("id: not of 1 to {MAX_ID} bytes")));
        }
        let kind = members.text("type")?;
        let message = match kind.as_str() {
            "execute" => Message::Execute { id, params: Execute::read(members.take("params")?)? },
            "call" => {
                let name = members.text("method")?;
                let method = ToolCall::ALL.iter().find(|call| call.name() == name);
                let unknown = || Invalid::new(format!("method: there is no call {name:?}"));
                let method = *method.ok_or_else(unknown)?;
                let params = match members.take("params")? {
                    Value::Array(params) => params,
                    _ => return Err(Invalid::new("params: not an array")),
                };
                Message::Call { id, method, params }
            }
            "answer" => {
                let outcome = match members.optional("error") {
                    Some(error) => Err(Failure::read(error)?),
                    None => Ok(members.take("result")?),
                };
                Message::Answer { id, outcome }
            }
            "result" => Message::Result { id, result: members.take("result")? },
            "error" => Message::Error { id, error: Failure::read(members.take("error")?)? },
            other => return Err(Invalid::new(format!("type: {other:?} is none"))),
        };
        members.end()?;
        Ok(message)
    }

    /// The message as data.
    pub fn into_value(self) -> Value {
        let message = |kind: &str, id, rest: Vec<(&str, Value)>| {
            let mut members = alloc::vec![("id", Value::String(id)), ("type", text(kind))];
            members.extend(rest);
            object(members)
        };
        match self {
            Message::Execute { id, params } => {
                message("execute", id, alloc::vec![("params", params.into_value())])
            }
            Message::Call { id, method, params } => {
                let rest =
                    alloc::vec![("method", text(method.name())), ("params", Value::Array(params))];
                message("call", id, rest)
            }
            Message::Answer { id, outcome } => match outcome {
                Ok(result) => message("answer", id, alloc::vec![("result", result)]),
                Err(error) => message("answer", id, alloc::vec![("error", error.into_value())]),
            },
            Message::Result { id, result } => {
                message("result", id, alloc::vec![("result", result)])
            }
            Message::Error { id, error } => {
                message("error", id, alloc::vec![("error", error.into_value())])
            }
        }
    }
}

impl Execute {
    fn read(value: Value) -> Result<Self, Invalid> {
        let mut members = Members::of("params", value)?;
        let language = members.optional_text("language")?;
        if language.as_ref().is_some_and(|name| name != "js" && name != "ts") {
            return Err(Invalid::new("params.language: either \"js\" or \"ts\""));
        }
        let execute = Execute {
            code: members.text("code")?,
            args: members.optional("args"),
            file: members.optional_text("file")?,
            language,
            capabilities: members.texts("capabilities")?,
        };
        members.end()?;
        Ok(execute)
    }

    fn into_value(self) -> Value {
        let mut members = alloc::vec![("code", Value::String(self.code))];
        members.extend(self.args.map(|args| ("args", args)));
        members.extend(self.file.map(|file| ("file", Value::String(file))));
        members.extend(self.language.map(|language| ("language", Value::String(language))));
        if !self.capabilities.is_empty() {
            let capabilities = self.capabilities.into_iter().map(Value::String).collect();
            members.push(("capabilities", Value::Array(capabilities)));
        }
        object(members)
    }
}

impl Failure {
    fn read(value: Value) -> Result<Self, Invalid> {
        let mut members = Members::of("error", value)?;
        let failure = Failure {
            name: members.text("name")?,
            message: members.text("message")?,
            stack: members.optional_text("stack")?,
            code: members.optional_text("code")?,
            required_permission: members.optional_text("requiredPermission")?,
            attempted_action: members.optional_text("attemptedAction")?,
            request_id: members.optional_text("requestId")?,
        };
        members.end()?;
        Ok(failure)
    }

    fn into_value(self) -> Value {
        let mut members = alloc::vec![
            ("name", Value::String(self.name)),
            ("message", Value::String(self.message)),
        ];
        let optional = [
            ("stack", self.stack),
            ("code", self.code),
            ("requiredPermission", self.required_permission),
            ("attemptedAction", self.attempted_action),
            ("requestId", self.request_id),
        ];
        let given = optional.into_iter().filter_map(|(name, text)| Some((name, text?)));
        members.extend(given.map(|(name, text)| (name, Value::String(text))));
        object(members)
    }
}

fn text(text: &str) -> Value {
    Value::String(text.to_owned())
}

fn object(members: Vec<(&str, Value)>) -> Value {
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// Whether a value refers to one that stands elsewhere in it. Taken out of its message, it would
/// refer to something else.
fn has_references(value: &Value) -> bool {
    let mut left = alloc::vec![value];
    while let Some(value) = left.pop() {
        if matches!(value, Value::Ref(_)) {
            return true;
        }
        value.for_each_part(|part| left.push(part));
    }
    false
}

#[cfg(test)]
mod tests;
