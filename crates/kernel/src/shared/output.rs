//! Output of a guest: cut at a limit, or passed on at the pace of its reader.

use std::task::{Context, Poll};

/// One of the two output streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stream {
    /// Standard output.
    Out,
    /// Standard error.
    Err,
}

/// Receives output while the run goes on. Any function of a stream and bytes is a watcher.
///
/// The watcher is called from inside the run and delays it, past its deadline if necessary. A
/// watcher with a slow reader should hand the bytes to another thread.
pub trait Watcher: Send + Sync {
    /// Receives bytes that were kept, nothing past the limit; or all bytes of a stream that is
    /// passed on.
    fn saw(&self, stream: Stream, bytes: &[u8]);

    /// Returns false if nobody reads the stream any more. A program that prints to such a stream
    /// ends as at a closed pipe.
    fn is_read(&self, _: Stream) -> bool {
        true
    }

    /// Returns true if the watcher hands all of a stream to a reader. Such a stream has no limit,
    /// and the outcome keeps nothing of it. Memory stays bounded, because [`Watcher::poll_room`]
    /// delays the run.
    fn passes_on(&self, _: Stream) -> bool {
        false
    }

    /// Returns ready if the watcher takes more of a stream that it passes on. Otherwise whoever
    /// prints is woken when it does.
    fn poll_room(&self, _: Stream, _: &mut Context<'_>) -> Poll<()> {
        Poll::Ready(())
    }
}

impl<F: Fn(Stream, &[u8]) + Send + Sync> Watcher for F {
    fn saw(&self, stream: Stream, bytes: &[u8]) {
        self(stream, bytes);
    }
}

/// Text of one stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Output {
    /// Printed bytes, up to the limit.
    pub bytes: Vec<u8>,
    /// True if more was printed than the limit allows.
    pub is_cut: bool,
}

impl Output {
    /// Adds bytes of a stream: passed on by the watcher, or kept up to the limit and shown to it.
    pub(crate) fn print(
        &mut self,
        stream: Stream,
        bytes: &[u8],
        limit: usize,
        watcher: Option<&dyn Watcher>,
    ) {
        let kept = match watcher.is_some_and(|watcher| watcher.passes_on(stream)) {
            true => bytes,
            false => self.write(bytes, limit),
        };
        if let Some(watcher) = watcher
            && !kept.is_empty()
        {
            watcher.saw(stream, kept);
        }
    }

    /// Appends the bytes that fit, and returns them.
    // T-CELL-015: output flood.
    pub(crate) fn write<'a>(&mut self, bytes: &'a [u8], limit: usize) -> &'a [u8] {
        if self.is_cut {
            return &[];
        }
        let room = limit.saturating_sub(self.bytes.len());
        let kept = if bytes.len() <= room {
            bytes
        } else {
            self.is_cut = true;
            &bytes[..character_boundary(bytes, room)]
        };
        self.bytes.extend_from_slice(kept);
        kept
    }

    /// Returns the bytes as text; invalid UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// Returns the last position at or before `at` that does not split a UTF-8 character.
fn character_boundary(bytes: &[u8], at: usize) -> usize {
    let is_inside = |at: &usize| bytes.get(*at).is_some_and(|byte| byte & 0xc0 == 0x80);
    // A character has at most four bytes. Longer sequences of continuation bytes are not text.
    (at.saturating_sub(3)..=at).rev().find(|at| !is_inside(at)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(writes: &[&[u8]], limit: usize, kept: &[u8], is_cut: bool) {
        let mut output = Output::default();
        for bytes in writes {
            output.write(bytes, limit);
        }
        assert_eq!((output.bytes.as_slice(), output.is_cut), (kept, is_cut));
    }

    /// T-CELL-015.
    #[test]
    fn what_fits_is_not_cut() {
        check(&[b"abc", b"def"], 6, b"abcdef", false);
    }

    /// T-CELL-015.
    #[test]
    fn it_is_cut_at_a_character() {
        check(&["aé".as_bytes()], 2, b"a", true);
        check(&["a🙂b".as_bytes()], 4, b"a", true);
        check(&["a🙂b".as_bytes()], 5, "a🙂".as_bytes(), true);
    }

    /// T-CELL-015.
    #[test]
    fn nothing_follows_after_the_cut() {
        check(&["aé".as_bytes(), b"b"], 2, b"a", true);
    }

    /// T-CELL-015.
    #[test]
    fn bytes_that_are_no_text_are_cut_anywhere() {
        check(&[&[0x80; 10]], 7, &[0x80; 7], true);
    }
}
