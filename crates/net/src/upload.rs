//! A streamed request body between its writer and the connection that sends it.
//!
//! Separate from `body`: a piece crosses threads, and a redirect may ask for the body again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

/// The state shared by the writer of a streamed body and its connection. Holds at most one piece,
/// and only while the connection waits for it: nothing is produced ahead of the wire.
#[derive(Debug, Default)]
struct Joint {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    piece: Option<Bytes>,
    /// The writer has ended the body.
    finished: bool,
    /// The writer was dropped.
    dropped: bool,
    /// A connection waits for a piece.
    wanted: bool,
    /// A connection needs the body from the beginning, and the writer does not know yet.
    again: bool,
    /// No connection will read this body any more.
    closed: bool,
    /// Number of the connection that reads; each redirect increments it.
    turn: u32,
    reader: Option<Waker>,
    writer: Option<Waker>,
}

impl Joint {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn wake(waker: &mut Option<Waker>) {
    if let Some(waker) = waker.take() {
        waker.wake();
    }
}

/// The writing end of a streamed body.
///
/// Dropping it before [`finish`](Self::finish) aborts the request.
#[derive(Debug)]
pub struct BodySink(Arc<Joint>);

/// The part of the body that the request needs next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The next piece, or the end.
    More,
    /// The first piece: a redirect needs the whole body again.
    FromTheBeginning,
}

/// The request has ended and no longer reads its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyClosed;

impl BodySink {
    /// Waits until a connection can take a piece. After [`finish`](Self::finish) this happens only
    /// if a redirect needs the body again.
    pub async fn wanted(&self) -> Result<Wanted, BodyClosed> {
        std::future::poll_fn(|cx| self.poll_wanted(cx)).await
    }

    fn poll_wanted(&self, cx: &mut Context<'_>) -> Poll<Result<Wanted, BodyClosed>> {
        let mut state = self.0.state();
        if state.closed {
            return Poll::Ready(Err(BodyClosed));
        }
        if state.wanted {
            let again = std::mem::take(&mut state.again);
            return Poll::Ready(Ok(if again { Wanted::FromTheBeginning } else { Wanted::More }));
        }
        state.writer = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Waits until the connection takes more, then passes `bytes` to it. If a redirect intervened,
    /// the bytes are dropped and [`wanted`](Self::wanted) returns the position to continue from.
    pub async fn send(&self, bytes: Bytes) -> Result<(), BodyClosed> {
        let mut bytes = Some(bytes);
        std::future::poll_fn(|cx| self.poll_send(&mut bytes, cx)).await
    }

    fn poll_send(
        &self,
        bytes: &mut Option<Bytes>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), BodyClosed>> {
        let mut state = self.0.state();
        if state.closed {
            return Poll::Ready(Err(BodyClosed));
        }
        if state.again {
            return Poll::Ready(Ok(()));
        }
        if state.wanted {
            state.piece = bytes.take();
            state.wanted = false;
            wake(&mut state.reader);
            return Poll::Ready(Ok(()));
        }
        state.writer = Some(cx.waker().clone());
        Poll::Pending
    }

    /// Ends the body. A piece passed before is still sent.
    pub fn finish(&self) {
        let mut state = self.0.state();
        // Ignored if a redirect has asked for the body again: this end belongs to the previous
        // pass.
        if !state.again {
            state.finished = true;
            state.wanted = false;
            wake(&mut state.reader);
        }
    }
}

impl Drop for BodySink {
    fn drop(&mut self) {
        let mut state = self.0.state();
        state.dropped = true;
        wake(&mut state.reader);
    }
}

/// The reading end; dropping the last reference closes the body.
#[derive(Debug)]
pub(crate) struct Upload {
    joint: Arc<Joint>,
    /// Total bytes, if known. Such a body can be requested again.
    pub(crate) length: Option<usize>,
}

/// The result of reading from the writer.
pub(crate) enum Piece {
    Data(Bytes),
    End,
    /// The writer was dropped, or another connection reads the body now.
    Lost,
}

impl Upload {
    pub(crate) fn new(length: Option<usize>) -> (BodySink, Self) {
        let joint = Arc::<Joint>::default();
        (BodySink(joint.clone()), Self { joint, length })
    }

    /// Registers a new connection and returns its number.
    pub(crate) fn begin(&self) -> u32 {
        let mut state = self.joint.state();
        state.turn += 1;
        if state.turn > 1 {
            (state.piece, state.finished, state.wanted, state.again) = (None, false, false, true);
        }
        state.turn
    }

    pub(crate) fn poll_piece(&self, turn: u32, cx: &mut Context<'_>) -> Poll<Piece> {
        let mut state = self.joint.state();
        if state.turn != turn {
            return Poll::Ready(Piece::Lost);
        }
        if let Some(bytes) = state.piece.take() {
            return Poll::Ready(Piece::Data(bytes));
        }
        if state.finished {
            return Poll::Ready(Piece::End);
        }
        if state.dropped {
            return Poll::Ready(Piece::Lost);
        }
        state.wanted = true;
        state.reader = Some(cx.waker().clone());
        wake(&mut state.writer);
        Poll::Pending
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        let mut state = self.joint.state();
        state.closed = true;
        state.piece = None;
        wake(&mut state.writer);
    }
}
