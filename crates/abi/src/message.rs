//! Messages between a page and a sandbox that share no memory, as with `postMessage` between a
//! page and a worker or frame. Each message is one object of plain data.
//!
//! | `type` | sender | members besides `id` and `type` |
//! |---|---|---|
//! | `execute` | page | `params: { code, args?, file?, language?, capabilities? }` |
//! | `call` | sandbox | `method`, `params`: an array |
//! | `answer` | page | `result`, or `error` |
//! | `result` | sandbox | `result` |
//! | `error` | sandbox | `error` |
//!
//! The sender chooses `id`: an answer has the `id` of its call, a result or error that of its
//! `execute`. `method` is a name from the table of calls. Unknown types and members are refused by
//! name in both directions: a page is trusted no more than a tool.

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

/// Longest `id` in bytes.
pub const MAX_ID: usize = 128;

/// A message between a page and a sandbox.
#[derive(Debug, Clone, PartialEq)]
pub enum Message {
    /// Runs a tool.
    Execute {
        /// Identifies the run.
        id: String,
        /// The tool to run.
        params: Execute,
    },
    /// Makes a host call for a tool.
    Call {
        /// Identifies the call.
        id: String,
        /// The host call.
        method: ToolCall,
        /// Arguments of the call.
        params: Vec<Value>,
    },
    /// Completes a call.
    Answer {
        /// `id` of the call.
        id: String,
        /// Result of the call.
        outcome: Result<Value, Failure>,
    },
    /// Completes a run.
    Result {
        /// `id` of the run.
        id: String,
        /// Value that the tool returned.
        result: Value,
    },
    /// Reports a failed run.
    Error {
        /// `id` of the run.
        id: String,
        /// The error.
        error: Failure,
    },
}

/// The tool to run and its settings.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Execute {
    /// Source of the tool.
    pub code: String,
    /// Arguments of the tool.
    pub args: Option<Value>,
    /// Name shown in stack traces.
    pub file: Option<String>,
    /// `js` or `ts`.
    pub language: Option<String>,
    /// Granted capabilities as text.
    pub capabilities: Vec<String>,
}

/// An error as data. Permission errors have the last four members.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Failure {
    /// Class of the error.
    pub name: String,
    /// Message of the error.
    pub message: String,
    /// Stack trace.
    pub stack: Option<String>,
    /// Error code, such as `PERMISSION_DENIED`.
    pub code: Option<String>,
    /// Capability that would allow the call.
    pub required_permission: Option<String>,
    /// Description of the attempted action.
    pub attempted_action: Option<String>,
    /// Id of the request by which the capability can be granted.
    pub request_id: Option<String>,
}

/// The reason why a value is not a valid message.
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
    /// Parses a message and refuses unknown members.
    pub fn from_value(value: Value) -> Result<Self, Invalid> {
        if has_references(&value) {
            return Err(Invalid::new("cycles and shared references are not allowed"));
        }
        let mut members = Members::of("", value)?;
        let id = members.text("id")?;
        if id.is_empty() || id.len() > MAX_ID {
            return Err(Invalid::new(format!("id: must have 1 to {MAX_ID} bytes")));
        }
        let kind = members.text("type")?;
        let message = match kind.as_str() {
            "execute" => Message::Execute { id, params: Execute::read(members.take("params")?)? },
            "call" => {
                let name = members.text("method")?;
                let method = ToolCall::ALL.iter().find(|call| call.name() == name);
                let unknown = || Invalid::new(format!("method: unknown call {name:?}"));
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
            other => return Err(Invalid::new(format!("type: unknown type {other:?}"))),
        };
        members.end()?;
        Ok(message)
    }

    /// Converts the message to plain data.
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
            return Err(Invalid::new("params.language: must be \"js\" or \"ts\""));
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

/// Returns true if a value contains references. Outside its message, a reference would point to
/// something else.
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
