//! What is wrong with a source, and where.

use cofferdam_abi::entry::Thrown;

/// The first thing wrong, at a byte of the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wrong {
    pub(crate) message: String,
    pub(crate) offset: usize,
}

impl Wrong {
    /// A source that closed its frame, so that the frame cannot be told from it.
    pub(crate) fn unframed(source: &str) -> Self {
        Wrong { message: "unexpected '}'".into(), offset: source.len() }
    }

    /// As JavaScript would throw it. Lines and columns count from 1, columns in characters.
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
