//! Wraps a function body so that it parses as a program, and unwraps it again.

use swc_common::BytePos;

/// The text around a source while it is parsed. The frame opens on the first line of the source, so
/// line numbers are kept. It is spelled exactly as the code generator prints it, so it can be cut
/// off again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frame {
    /// The body of an async function of `(btcp, args)`: may `return` and `await`.
    Body,
    /// A script that may `await`.
    Script,
    /// A module, which needs no frame.
    Module,
}

impl Frame {
    /// Returns true if the source must be parsed as a module.
    pub(crate) fn is_module(self) -> bool {
        match self {
            Frame::Body | Frame::Script => false,
            Frame::Module => true,
        }
    }

    pub(crate) fn head(self) -> &'static str {
        match self {
            Frame::Body => "async function tool(btcp, args) {",
            Frame::Script => "async function script() {",
            Frame::Module => "",
        }
    }

    fn tail(self) -> &'static str {
        match self {
            // On its own line, because the last line of the source may be a comment.
            Frame::Body | Frame::Script => "\n}",
            Frame::Module => "",
        }
    }

    /// Returns `source` inside the frame.
    pub(crate) fn around(self, source: &str) -> String {
        [self.head(), source, self.tail()].concat()
    }

    /// Cuts the frame off a program. Returns `None` if the source had closed the frame itself.
    pub(crate) fn cut(self, program: &str) -> Option<&str> {
        let inner = program.strip_prefix(self.head())?;
        match self {
            Frame::Body | Frame::Script => {
                let inner = inner.trim_ascii_end().strip_suffix('}')?;
                Some(inner.strip_suffix('\n').unwrap_or(inner))
            }
            Frame::Module => Some(inner),
        }
    }

    /// Maps a position in the program to an offset in the source; positions past the end map to the
    /// end.
    pub(crate) fn offset(self, at: BytePos, source: &str) -> usize {
        // Positions start at 1; 0 means no position.
        let offset = (at.0 as usize).saturating_sub(1 + self.head().len());
        source.floor_char_boundary(offset)
    }
}
