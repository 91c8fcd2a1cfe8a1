use std::fmt;

/// Why an operation on a document was refused.
///
/// The kind names the exception a script would see, the message what was wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: Box<str>,
}

/// The kinds of [`Error`], named as the exceptions of the DOM standard are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The tree would not be one, or not a document.
    HierarchyRequest,
    /// The node is not where the caller said, or not there any more.
    NotFound,
    /// A name has characters that names do not have.
    InvalidCharacter,
    /// A prefix and a namespace do not fit each other.
    Namespace,
    /// A selector or a position that cannot be read.
    Syntax,
    /// The operation has no meaning for this node.
    NotSupported,
    /// The parent forbids it: an outer HTML without a parent, for example.
    NoModificationAllowed,
    /// A budget is used up.
    QuotaExceeded,
}

impl ErrorKind {
    /// The `name` of the `DOMException`.
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
    pub(crate) fn new(kind: ErrorKind, message: impl Into<Box<str>>) -> Error {
        Error { kind, message: message.into() }
    }

    pub(crate) fn gone() -> Error {
        Error::new(ErrorKind::NotFound, "node: it does not exist any more")
    }

    /// What kind of refusal it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What was wrong, without the name of the exception.
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

/// As much of a text as an error message shows.
const SHOWN: usize = 120;

/// The beginning of `text`, marked where it was cut.
pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(SHOWN) {
        None => text.to_owned(),
        Some((at, _)) => format!("{}… ({} bytes)", &text[..at], text.len()),
    }
}
