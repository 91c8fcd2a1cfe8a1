//! The error of an operation on a document.

use std::fmt;

/// The reason why an operation on a document was refused.
///
/// The kind names the exception that a script sees; the message gives the details.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: Box<str>,
}

/// Category of an [`Error`], named after the exceptions of the DOM standard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operation would create a cycle or an invalid document.
    HierarchyRequest,
    /// The node no longer exists or is not in the expected place.
    NotFound,
    /// A name contains invalid characters.
    InvalidCharacter,
    /// A prefix and a namespace are inconsistent.
    Namespace,
    /// A selector or a position is malformed.
    Syntax,
    /// The operation is not defined for this kind of node.
    NotSupported,
    /// The parent does not allow the change; for example, `outerHTML` of a node without a parent.
    NoModificationAllowed,
    /// A budget is exhausted.
    QuotaExceeded,
}

impl ErrorKind {
    /// Returns the `name` of the `DOMException`.
    pub fn dom_name(self) -> &'static str {
        match self {
            ErrorKind::HierarchyRequest => "HierarchyRequestError",
            ErrorKind::NotFound => "NotFoundError",
            ErrorKind::InvalidCharacter => "InvalidCharacterError",
            ErrorKind::Namespace => "NamespaceError",
            ErrorKind::Syntax => "SyntaxError",
            ErrorKind::NotSupported => "NotSupportedError",
            ErrorKind::NoModificationAllowed => "NoModificationAllowedError",
            ErrorKind::QuotaExceeded => "QuotaExceededError",
        }
    }
}

impl Error {
    /// Creates an error; the message begins with its subject.
    pub fn new(kind: ErrorKind, message: impl Into<Box<str>>) -> Error {
        Error { kind, message: message.into() }
    }

    pub(crate) fn gone() -> Error {
        Error::new(ErrorKind::NotFound, "node: no longer exists")
    }

    /// Returns the category of this error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the message without the name of the exception.
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.kind.dom_name(), self.message)
    }
}

impl std::error::Error for Error {}

/// Longest excerpt of a text in an error message, in characters.
const SHOWN: usize = 120;

/// Returns the beginning of `text`, with an ellipsis and its length if it was cut.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}… ({} bytes)", &text[..at], text.len()),
    }
}
