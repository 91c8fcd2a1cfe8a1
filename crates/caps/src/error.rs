use std::fmt;

use crate::visible::shortened;

/// Most characters of the offending text that an error repeats.
const MAX_SUBJECT: usize = 120;

/// Why a text is not a capability, or not a name that one could speak of.
///
/// Displayed as one line, fit for a terminal whatever the text held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    subject: String,
    reason: String,
    suggestion: Option<String>,
}

/// What was wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No capability has this name.
    UnknownName,
    /// A colon with nothing behind it.
    EmptyScope,
    /// Longer than [`MAX_CAPABILITY_LEN`](crate::MAX_CAPABILITY_LEN) or
    /// [`MAX_NAME_LEN`](crate::MAX_NAME_LEN).
    TooLong,
    /// A star or a backslash where it has no meaning.
    BadPattern,
    /// A key, a name of a state, variable, command or function, or a selector that cannot be one.
    BadName,
    /// A path that is not absolute and plain.
    BadPath,
    /// A URL or URL pattern that cannot be read, or reads in more than one way.
    BadUrl,
    /// A host that is neither a plain domain nor an address.
    BadHost,
    /// A scheme other than `http` and `https`.
    BadScheme,
    /// User name or password in a URL.
    Credentials,
    /// Not an HTTP method, or one that nobody may use.
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

    /// The same complaint about the text that the subject was a part of; a text with a password
    /// in it is not repeated.
    pub(crate) fn within(mut self, subject: &str) -> Self {
        if self.kind != ErrorKind::Credentials {
            self.subject = shortened(subject, MAX_SUBJECT);
        }
        self
    }

    /// What was wrong, to be matched on.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What was probably meant, for the whole text or the part that was wrong; as fit for a
    /// terminal as the error itself.
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
