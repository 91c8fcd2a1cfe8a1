//! Output that waits for the side that takes it, in pieces.

use std::collections::VecDeque;
use std::task::{Context, Poll, Waker};

use crate::shared::output::Stream;

/// Most bytes that are taken at once.
pub(crate) const MAX_PIECE: usize = 64 << 10;

/// Output from which on printers wait: as much as a pipe holds.
pub(crate) const MAX_WAITING: usize = 64 << 10;

#[derive(Debug, Default)]
pub(crate) struct Pieces {
    waiting: VecDeque<(Stream, Vec<u8>)>,
    /// Length of `waiting`, in bytes.
    length: usize,
    /// Printers that wait for room.
    printers: Vec<Waker>,
}

impl Pieces {
    /// Adds output, to the last piece if that has room for it.
    pub(crate) fn push(&mut self, stream: Stream, bytes: &[u8]) {
        self.length += bytes.len();
        let last = self.waiting.back_mut();
        match last.filter(|(of, piece)| *of == stream && piece.len() + bytes.len() <= MAX_PIECE) {
            Some((_, piece)) => piece.extend_from_slice(bytes),
            None => {
                let new = bytes.chunks(MAX_PIECE).map(|piece| (stream, piece.to_vec()));
                self.waiting.extend(new);
            }
        }
    }

    /// Takes the first piece.
    pub(crate) fn pop(&mut self) -> Option<(Stream, Vec<u8>)> {
        let (stream, bytes) = self.waiting.pop_front()?;
        self.length -= bytes.len();
        if self.length < MAX_WAITING {
            self.printers.drain(..).for_each(Waker::wake);
        }
        Some((stream, bytes))
    }

    /// Waits until there is room for more output.
    pub(crate) fn poll_room(&mut self, cx: &Context<'_>) -> Poll<()> {
        if self.length < MAX_WAITING {
            return Poll::Ready(());
        }
        if !self.printers.iter().any(|waker| waker.will_wake(cx.waker())) {
            self.printers.push(cx.waker().clone());
        }
        Poll::Pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_of_one_stream_and_bounded() {
        let mut pieces = Pieces::default();
        pieces.push(Stream::Out, b"a");
        pieces.push(Stream::Out, b"b");
        pieces.push(Stream::Err, &[b'c'; MAX_PIECE + 1]);
        assert_eq!(pieces.pop(), Some((Stream::Out, b"ab".to_vec())));
        assert_eq!(pieces.pop(), Some((Stream::Err, vec![b'c'; MAX_PIECE])));
        assert_eq!(pieces.pop(), Some((Stream::Err, b"c".to_vec())));
        assert_eq!(pieces.pop(), None);
    }

    #[test]
    fn there_is_room_again_when_a_piece_was_taken() {
        let mut pieces = Pieces::default();
        let cx = Context::from_waker(Waker::noop());
        pieces.push(Stream::Out, &[b'a'; MAX_WAITING - 1]);
        assert!(pieces.poll_room(&cx).is_ready());
        pieces.push(Stream::Err, b"b");
        assert!(pieces.poll_room(&cx).is_pending());
        pieces.pop();
        assert!(pieces.poll_room(&cx).is_ready());
    }
}
