//! A function body as a program of its own, and back.

use swc_common::BytePos;

/// What stands around a source while it is parsed. It begins on the source's first line, so
/// lines stay; it is written as the code generator would write it, so it can be cut off again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Frame {
    /// The body of an async function: may `return` and `await`. It has no parameters here, because a
    /// script may declare the names of the host's again.
    Body,
    /// A script that may `await`.
    Script,
    /// Nothing.
    Module,
}

impl Frame {
    /// Also says how to parse it.
    pub(crate) fn is_module(self) -> bool {
        match self {
            Frame::Body | Frame::Script => false,
            Frame::Module => true,
        }
    }

    pub(crate) fn head(self) -> &'static str {
        match self {
            Frame::Body => "async function tool() {",
            Frame::Script => "async function script() {",
            Frame::Module => "",
        }
    }

    fn tail(self) -> &'static str {
        match self {
            // On a line of its own: the last line may be a comment.
            Frame::Body | Frame::Script => "\n}",
            Frame::Module => "",
        }
    }

    /// A program.
    pub(crate) fn around(self, source: &str) -> String {
        [self.head(), source, self.tail()].concat()
    }

    /// What was around it is gone again. `None` where the source had closed the frame itself.
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

    /// Where a position in the program is in the source; behind its end counts as its end.
    pub(crate) fn offset(self, at: BytePos, source: &str) -> usize {
        // Positions begin at 1: 0 is no position.
        let offset = (at.0 as usize).saturating_sub(1 + self.head().len());
        source.floor_char_boundary(offset)
    }
}
