//! What went wrong on our side. A tool that fails is an outcome, not an error.

use std::fmt;

use crate::limits::Limit;

/// The sandbox could not do its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    detail: String,
    limit: Option<(Limit, u64)>,
}

/// Kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The sandbox was destroyed.
    Destroyed,
    /// Every cell is in use; try again when a run has ended.
    Busy,
    /// A setting has a value that it cannot have.
    Setting,
    /// What the sandbox was to be filled with does not fit its limits.
    Limit,
    /// The engine or a guest could not be loaded.
    Engine,
    /// Grants or audit log cannot be read or written.
    Permissions,
    /// A state that should be impossible; the run was stopped, the host goes on.
    Internal,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Error { kind, detail: detail.into(), limit: None }
    }

    pub(crate) fn limit(limit: Limit, allowed: u64, detail: impl Into<String>) -> Self {
        Error { limit: Some((limit, allowed)), ..Error::new(ErrorKind::Limit, detail) }
    }

    /// Which limit, and how much it allows, for [`ErrorKind::Limit`].
    pub fn exceeded(&self) -> Option<(Limit, u64)> {
        self.limit
    }

    /// What kind it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ErrorKind::Destroyed => write!(f, "sandbox: was destroyed"),
            ErrorKind::Busy
            | ErrorKind::Setting
            | ErrorKind::Limit
            | ErrorKind::Engine
            | ErrorKind::Permissions => f.write_str(&self.detail),
            ErrorKind::Internal => write!(f, "internal error: {}", self.detail),
        }
    }
}

impl std::error::Error for Error {}

impl From<cofferdam_cell::Error> for Error {
    fn from(error: cofferdam_cell::Error) -> Self {
        let kind = match error.kind() {
            cofferdam_cell::ErrorKind::PoolFull => ErrorKind::Busy,
            _ => ErrorKind::Engine,
        };
        Error::new(kind, error.to_string())
    }
}

impl From<cofferdam_broker::Error> for Error {
    fn from(error: cofferdam_broker::Error) -> Self {
        Error::new(ErrorKind::Permissions, error.to_string())
    }
}
