//! The error of parsing a capability or a concrete name.

use std::fmt;

use crate::visible::shortened;

/// Longest excerpt of the offending text that an error repeats, in characters.
const MAX_SUBJECT: usize = 120;

/// The reason why a text is not a valid capability or concrete name.
///
/// Displayed as one line. Hidden characters of the text are escaped, so the line is safe to print
/// on a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    subject: String,
    reason: String,
    suggestion: Option<String>,
}

/// Category of an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No capability has this name.
    UnknownName,
    /// The scope after the colon is empty.
    EmptyScope,
    /// The text is longer than [`MAX_CAPABILITY_LEN`](crate::MAX_CAPABILITY_LEN) or
    /// [`MAX_NAME_LEN`](crate::MAX_NAME_LEN).
    TooLong,
    /// A star or a backslash is misplaced.
    BadPattern,
    /// A key, state name, variable, command name, function name or selector is invalid.
    BadName,
    /// A path is not absolute, or contains `.`, `..` or empty segments.
    BadPath,
    /// A URL or URL pattern is malformed or ambiguous.
    BadUrl,
    /// A host is neither a plain domain nor an IP address.
    BadHost,
    /// A scheme is neither `http` nor `https`.
    BadScheme,
    /// A URL contains a user name or password.
    Credentials,
    /// A word is not an HTTP method, or is a forbidden one.
    BadMethod,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, subject: &str, reason: impl Into<String>) -> Self {
        let subject = shortened(subject, MAX_SUBJECT);
        Self { kind, subject, reason: reason.into(), suggestion: None }
    }

    pub(crate) fn suggest(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Replaces the subject with the larger text that contains it, unless that text holds
    /// credentials.
    pub(crate) fn within(mut self, subject: &str) -> Self {
        if self.kind != ErrorKind::Credentials {
            self.subject = shortened(subject, MAX_SUBJECT);
        }
        self
    }

    /// Returns the category of this error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the probable intended text, for the whole input or for its invalid part. It is
    /// escaped like the error itself.
    pub fn suggestion(&self) -> Option<&str> {
        self.suggestion.as_deref()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.subject, self.reason)?;
        match &self.suggestion {
            Some(suggestion) => write!(f, ", did you mean {suggestion}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
