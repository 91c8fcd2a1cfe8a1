//! The error type of this crate and of the stores that implement its traits.

use std::fmt;
use std::sync::Arc;

use cofferdam_caps::visible;

/// Failure to read or change grants, requests or the audit log.
///
/// A failure never permits anything. Displays as one line, fit for a terminal. The text may name
/// files of the host, so it is for the caller and never for a guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    // Shared, because a broken ledger makes every check return the same error.
    subject: Arc<str>,
    reason: Arc<str>,
    hint: Option<Arc<str>>,
}

/// Kind of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The terms of a grant contradict each other or exceed a limit.
    BadGrant,
    /// No request, grant or question has this id.
    NotFound,
    /// The question was already answered, was withdrawn, or has changed.
    Late,
    /// The grant or answer does not cover what was asked for.
    NotEnough,
    /// A manifest or header comment is invalid.
    BadManifest,
    /// Another process has locked the ledger for too long.
    Locked,
    /// The disk that holds the ledger is full.
    Full,
    /// The ledger cannot be written.
    ReadOnly,
    /// The file is not a ledger, or is corrupt.
    Damaged,
    /// A later version wrote the ledger.
    TooNew,
    /// The operating system reported an error.
    System,
}

impl Error {
    /// Creates an error that displays as `subject: reason`.
    pub fn new(kind: ErrorKind, subject: impl fmt::Display, reason: impl fmt::Display) -> Self {
        let subject = visible(&subject.to_string()).into();
        Self { kind, subject, reason: visible(&reason.to_string()).into(), hint: None }
    }

    /// Adds a remedy that the user can paste.
    pub fn with_hint(mut self, hint: impl fmt::Display) -> Self {
        self.hint = Some(hint.to_string().into());
        self
    }

    /// Returns the kind, to match on.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the remedy, to print on a line of its own.
    pub fn hint(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.subject, self.reason)
    }
}

impl std::error::Error for Error {}
