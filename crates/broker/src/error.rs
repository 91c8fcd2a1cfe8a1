use std::fmt;
use std::sync::Arc;

use cofferdam_caps::visible;

/// Why grants could not be read or changed. Never a reason to permit anything.
///
/// Displayed as one line, fit for a terminal. It may name files of the host, so it is for the
/// caller and never for a guest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    // Shared, since a broken ledger makes the same error again and again.
    subject: Arc<str>,
    reason: Arc<str>,
    hint: Option<Arc<str>>,
}

/// What was wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A grant that cannot be given like that.
    BadGrant,
    /// No request, grant or question has this id.
    NotFound,
    /// The question was answered already, withdrawn, or is another one now.
    Late,
    /// The answer does not allow what was asked for.
    NotEnough,
    /// A manifest or header comment that cannot be read.
    BadManifest,
    /// Another process holds the ledger for too long.
    Locked,
    /// No room is left where the ledger is.
    Full,
    /// The ledger cannot be written.
    ReadOnly,
    /// The ledger is not one, or is broken.
    Damaged,
    /// The ledger was made by a later version.
    TooNew,
    /// The system failed.
    System,
}

impl Error {
    /// An error about `subject`, in words that go on after `subject: `.
    pub fn new(kind: ErrorKind, subject: impl fmt::Display, reason: impl fmt::Display) -> Self {
        let subject = visible(&subject.to_string()).into();
        Self { kind, subject, reason: visible(&reason.to_string()).into(), hint: None }
    }

    /// The way out, in words that can be pasted.
    pub fn with_hint(mut self, hint: impl fmt::Display) -> Self {
        self.hint = Some(hint.to_string().into());
        self
    }

    /// What was wrong, to be matched on.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The way out, for a line of its own.
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
