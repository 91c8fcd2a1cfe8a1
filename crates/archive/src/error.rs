use std::fmt;

/// Why an archive was not taken, or could not be written.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// It is not an archive as this program writes them; says what is wrong.
    Bad(String),
    /// The tree does not take what it holds.
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
