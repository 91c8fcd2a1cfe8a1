use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::sync::mpsc;

use crate::error::{FetchError, FetchErrorKind};

/// The body of a request.
pub struct Body(Source);

enum Source {
    Empty,
    Full(Bytes),
    Stream(mpsc::Receiver<Piece>),
    /// A stream that was handed to a connection.
    Spent,
}

enum Piece {
    Data(Bytes),
    End,
}

/// Where a streamed body is written to.
///
/// Dropped before [`finish`](Self::finish), it takes the request with it.
#[derive(Debug)]
pub struct BodySink(mpsc::Sender<Piece>);

/// Nobody reads the body any more: the request has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BodyClosed;

impl Body {
    /// No body.
    pub fn empty() -> Self {
        Self(Source::Empty)
    }

    /// A body that is written while it is sent. It cannot be sent twice, so a redirect that
    /// needs it again fails.
    pub fn channel() -> (BodySink, Self) {
        let (sender, receiver) = mpsc::channel(1);
        (BodySink(sender), Self(Source::Stream(receiver)))
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self.0, Source::Empty)
    }

    /// Bytes to send, where that is known.
    pub(crate) fn len(&self) -> Option<usize> {
        match &self.0 {
            Source::Empty => Some(0),
            Source::Full(bytes) => Some(bytes.len()),
            Source::Stream(_) | Source::Spent => None,
        }
    }

    /// The body for one connection; none where it was a stream that is used up.
    pub(crate) fn send(&mut self, most: usize) -> Option<Outgoing> {
        let source = match &mut self.0 {
            Source::Empty => Source::Empty,
            Source::Full(bytes) => Source::Full(bytes.clone()),
            Source::Stream(_) => std::mem::replace(&mut self.0, Source::Spent),
            Source::Spent => return None,
        };
        Some(Outgoing { source, limit: most, left: most, fault: Fault::default() })
    }
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self(Source::Full(bytes))
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::Empty => f.write_str("Body(empty)"),
            Source::Full(bytes) => write!(f, "Body({} bytes)", bytes.len()),
            Source::Stream(_) => f.write_str("Body(stream)"),
            Source::Spent => f.write_str("Body(spent)"),
        }
    }
}

impl BodySink {
    /// Waits until the connection takes more, then hands `bytes` over.
    pub async fn send(&self, bytes: Bytes) -> Result<(), BodyClosed> {
        self.0.send(Piece::Data(bytes)).await.map_err(|_| BodyClosed)
    }

    /// Ends the body.
    pub async fn finish(self) -> Result<(), BodyClosed> {
        self.0.send(Piece::End).await.map_err(|_| BodyClosed)
    }
}

/// Why a body could not be sent to its end, for whoever sees only that the connection broke.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fault(Arc<OnceLock<SendFault>>);

/// What ended a body before its end.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SendFault {
    TooLong(usize),
    Dropped,
}

impl Fault {
    /// The error of `host`'s request, if its body was the cause.
    pub(crate) fn error(&self, host: impl fmt::Display) -> Option<FetchError> {
        self.0.get().map(|fault| fault.error(host))
    }
}

impl SendFault {
    pub(crate) fn error(self, host: impl fmt::Display) -> FetchError {
        match self {
            Self::TooLong(limit) => {
                let reason = format!("the request's body is longer than {limit} bytes");
                FetchError::new(FetchErrorKind::BodyLimit, host, reason)
            }
            Self::Dropped => {
                let reason = "the request's body ended before it was finished";
                FetchError::new(FetchErrorKind::Aborted, host, reason)
            }
        }
    }
}

/// As one connection sends it.
pub(crate) struct Outgoing {
    source: Source,
    limit: usize,
    left: usize,
    fault: Fault,
}

impl Outgoing {
    pub(crate) fn fault(&self) -> Fault {
        self.fault.clone()
    }

    fn fail(&mut self, fault: SendFault) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        self.source = Source::Empty;
        let _ = self.fault.0.set(fault);
        Poll::Ready(Some(Err(Broken)))
    }
}

/// The connection needs an error; the [`Fault`] says which.
#[derive(Debug)]
pub(crate) struct Broken;

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the body ended early")
    }
}

impl std::error::Error for Broken {}

impl http_body::Body for Outgoing {
    type Data = Bytes;
    type Error = Broken;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Broken>>> {
        let bytes = match &mut self.source {
            Source::Empty | Source::Spent => return Poll::Ready(None),
            Source::Full(bytes) => {
                let bytes = std::mem::take(bytes);
                self.source = Source::Empty;
                bytes
            }
            Source::Stream(pieces) => match ready!(pieces.poll_recv(cx)) {
                Some(Piece::Data(bytes)) => bytes,
                Some(Piece::End) => {
                    self.source = Source::Empty;
                    return Poll::Ready(None);
                }
                None => return self.fail(SendFault::Dropped),
            },
        };
        match self.left.checked_sub(bytes.len()) {
            Some(left) => self.left = left,
            None => {
                let limit = self.limit;
                return self.fail(SendFault::TooLong(limit));
            }
        }
        Poll::Ready(Some(Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        match &self.source {
            Source::Empty | Source::Spent => true,
            Source::Full(bytes) => bytes.is_empty(),
            Source::Stream(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match &self.source {
            Source::Empty | Source::Spent => SizeHint::with_exact(0),
            Source::Full(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Source::Stream(_) => SizeHint::default(),
        }
    }
}
