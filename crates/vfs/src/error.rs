//! The error of a file operation: an errno and the path it concerns.

use std::fmt;

use crate::Errno;

/// A failed operation and its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    errno: Errno,
    path: Box<str>,
}

impl Error {
    /// Creates an error at `path`; public for crates that build on this one.
    pub fn new(errno: Errno, path: &str) -> Self {
        Error { errno, path: path.into() }
    }

    /// Returns the errno for the guest.
    pub fn errno(&self) -> Errno {
        self.errno
    }

    /// Returns the path as given. A path from a guest is hostile text.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A person reads the message, so control, bidi and zero-width characters are escaped.
        for c in self.path.chars() {
            if c.is_control() || is_invisible(c) {
                write!(f, "{}", c.escape_unicode())?;
            } else {
                write!(f, "{c}")?;
            }
        }
        write!(f, ": {}", self.errno)
    }
}

impl std::error::Error for Error {}

fn is_invisible(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(path: &str, expect: &str) {
        assert_eq!(Error::new(Errno::IsDirectory, path).to_string(), expect);
    }

    #[test]
    fn the_subject_comes_first() {
        check("/data/a.txt", "/data/a.txt: is a directory");
    }

    #[test]
    fn hidden_characters_are_made_visible() {
        check("/a\n\u{202e}b", "/a\\u{a}\\u{202e}b: is a directory");
    }
}
