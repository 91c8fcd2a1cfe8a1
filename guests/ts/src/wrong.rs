//! The error in a source, and its position.

use cofferdam_abi::entry::Thrown;

/// The first error in a source, at a byte offset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) message: String,
    pub(crate) offset: usize,
}

impl Wrong {
    /// Returns the error for a source that closes its frame, so that frame and source cannot be
    /// separated.
    pub(crate) fn unframed(source: &str) -> Self {
        Wrong { message: "unexpected '}'".into(), offset: source.len() }
    }

    /// Converts the error to the exception that JavaScript would throw. Lines and columns count
    /// from 1; columns count characters.
    pub(crate) fn thrown(self, file: &str, source: &str) -> Thrown {
        let before = &source[..source.floor_char_boundary(self.offset)];
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() as u32 + 1;
        let column = before[start..].chars().count() as u32 + 1;
        Thrown {
            name: "SyntaxError".into(),
            message: self.message,
            stack: format!("    at {file}:{line}:{column}"),
            position: Some((line, column)),
            ..Thrown::default()
        }
    }
}
