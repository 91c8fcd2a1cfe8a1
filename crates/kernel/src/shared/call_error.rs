//! Errors and results of host calls, packed as the guest receives them.

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;

use cofferdam_abi::frame::{Refusal, Status};
use cofferdam_abi::wire::{Reader, Writer};
use cofferdam_abi::{Malformed, Value, value};
use cofferdam_broker::PermissionError;

/// Result of a permitted call: bytes for the guest, or an error.
pub(crate) type Done = Result<Vec<u8>, CallError>;

/// A call under way.
pub(crate) type Working = Pin<Box<dyn Future<Output = Done> + Send>>;

/// Reason why a well-formed call was not carried out, as the guest receives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallError {
    pub(crate) name: &'static str,
    pub(crate) message: String,
    pub(crate) members: Vec<(&'static str, String)>,
}

impl CallError {
    pub(crate) fn new(name: &'static str, message: impl Into<String>) -> Self {
        CallError { name, message: message.into(), members: Vec::new() }
    }

    pub(crate) fn with(mut self, member: &'static str, value: impl Into<String>) -> Self {
        self.members.push((member, value.into()));
        self
    }
}

impl From<&PermissionError> for CallError {
    fn from(error: &PermissionError) -> Self {
        CallError::new("PermissionError", error.message())
            .with("code", error.code())
            .with("requiredPermission", error.required_permission())
            .with("attemptedAction", error.attempted_action())
            .with("requestId", error.request_id())
    }
}

/// Turns a name that no grant can cover into an error in the tool; it is no breach.
pub(crate) fn name<T>(parsed: Result<T, cofferdam_caps::Error>) -> Result<T, CallError> {
    parsed.map_err(|error| CallError::new("TypeError", error.to_string()))
}

/// Packs a value as an answer.
pub(crate) fn packed(value: &Value) -> Done {
    let mut w = Writer::new();
    value::encode(value, &mut w);
    Ok(w.finish())
}

/// Returns an answer without content.
pub(crate) fn nothing() -> Done {
    Ok(Vec::new())
}

/// Reads a packed value that stands behind its length.
pub(crate) fn read_value(fields: &mut Reader<'_>) -> Result<Value, Malformed> {
    let packed = fields.bytes()?;
    value::decode(packed)
}

pub(crate) fn pack_done(done: &Done) -> (Status, Cow<'_, [u8]>) {
    match done {
        Ok(bytes) => (Status::Done, Cow::Borrowed(bytes)),
        Err(refused) => (Status::Refused, Cow::Owned(pack_refusal(refused))),
    }
}

pub(crate) fn pack_refusal(refused: &CallError) -> Vec<u8> {
    let members = refused.members.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut w = Writer::new();
    Refusal { name: refused.name, message: &refused.message, members }.write(&mut w);
    w.finish()
}
