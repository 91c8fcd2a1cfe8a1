use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use bytes::Bytes;

/// A streamed body between who writes it and the connection that sends it. It holds one piece at
/// most, and that only once the connection wants one: nothing is made ahead of the wire.
#[derive(Debug, Default)]
struct Joint {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    piece: Option<Bytes>,
    /// The writer said that there is no more.
    finished: bool,
    /// The writer went away before it said so.
    dropped: bool,
    /// A connection waits for a piece.
    wanted: bool,
    /// A connection asks for everything once more, and the writer has not heard of it.
    again: bool,
    /// No connection sends this, nor will one.
    closed: bool,
    /// Which connection sends; a redirect makes it another.
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

/// Where a streamed body is written to.
///
/// Dropped before [`finish`](Self::finish), it takes the request with it.
#[derive(Debug)]
pub struct BodySink(Arc<Joint>);

/// What the request needs next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    /// The next piece, or the end.
    More,
    /// The first piece: a redirect needs all of the body once more.
    FromTheBeginning,
}

/// Nobody reads the body any more: the request has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyClosed;

impl BodySink {
    /// Waits until a connection is there and can take a piece. After [`finish`](Self::finish) that
    /// is only so where a redirect needs the body once more.
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

    /// Waits until the connection takes more, then hands `bytes` over. Where a redirect came in
    /// between they are dropped, and [`wanted`](Self::wanted) says from where to go on.
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

    /// Ends the body. A piece that was handed over before is still sent.
    pub fn finish(&self) {
        let mut state = self.0.state();
        // The end of what a redirect does not want any more is the end of nothing.
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

/// The end that connections read; the last one to go closes the body.
#[derive(Debug)]
pub(crate) struct Upload {
    joint: Arc<Joint>,
    /// Bytes in all, where that is known. Such a body can be asked for more than once.
    pub(crate) length: Option<usize>,
}

/// What a connection reads.
pub(crate) enum Piece {
    Data(Bytes),
    End,
    /// The writer went away, or the body is another connection's by now.
    Lost,
}

impl Upload {
    pub(crate) fn new(length: Option<usize>) -> (BodySink, Self) {
        let joint = Arc::<Joint>::default();
        (BodySink(joint.clone()), Self { joint, length })
    }

    /// Begins with one more connection, and answers its number.
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
