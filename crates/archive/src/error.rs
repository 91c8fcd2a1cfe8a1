//! The error of reading or writing an archive, apart because every other module returns it.

use std::fmt;

/// The error returned when an archive cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not a valid archive; the text names the defect.
    Bad(String),
    /// The tree refused an operation that the archive asked for.
    Refused(cofferdam_vfs::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Bad(what) => write!(f, "archive: {what}"),
            Error::Refused(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<cofferdam_vfs::Error> for Error {
    fn from(error: cofferdam_vfs::Error) -> Self {
        Error::Refused(error)
    }
}

pub(crate) fn bad<T>(what: impl fmt::Display) -> Result<T, Error> {
    Err(Error::Bad(what.to_string()))
}
