use std::fmt;

use crate::Errno;

/// A failed operation: why, and on which path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    errno: Errno,
    path: Box<str>,
}

impl Error {
    /// A failure at `path`, for whoever builds on this crate.
    pub fn new(errno: Errno, path: &str) -> Self {
        Error { errno, path: path.into() }
    }

    /// What the guest is told.
    pub fn errno(&self) -> Errno {
        self.errno
    }

    /// The path as it was given, which for a guest's path is hostile text.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A path may hold control, bidi and zero-width characters; a message is read by a person.
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
