//! Failures before a program is started.

use std::fmt;
use std::io;

/// A program that cannot be found or read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    message: String,
}

impl Error {
    pub(crate) fn not_found(name: &str, error: &io::Error) -> Self {
        let reason = match error.kind() {
            io::ErrorKind::NotFound => "no such program".to_owned(),
            io::ErrorKind::IsADirectory => "a folder, not a program".to_owned(),
            _ => error.to_string(),
        };
        Error { message: format!("{}: {reason}", cofferdam_caps::visible(name)) }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
