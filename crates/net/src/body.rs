//! The body of a request, and the form in which a connection sends it.
//!
//! Separate from `upload`, which passes the pieces of a streamed body between threads.

use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Frame, SizeHint};

use crate::error::{FetchError, FetchErrorKind};
use crate::upload::{BodySink, Piece, Upload};

/// The body of a request.
pub struct Body(Source);

enum Source {
    Empty,
    Full(Bytes),
    Stream(Arc<Upload>),
    /// A stream that was handed to a connection and cannot be replayed.
    Spent,
}

impl Body {
    /// Creates an empty body.
    pub fn empty() -> Self {
        Self(Source::Empty)
    }

    /// Creates a body that is written while it is sent. It cannot be sent twice, so a redirect that
    /// needs it again fails.
    pub fn channel() -> (BodySink, Self) {
        let (sink, upload) = Upload::new(None);
        (sink, Self(Source::Stream(Arc::new(upload))))
    }

    /// Creates a body of `length` bytes that is written while it is sent. A redirect that needs the
    /// body again asks for it [from the beginning](crate::Wanted::FromTheBeginning).
    pub fn channel_of(length: usize) -> (BodySink, Self) {
        let (sink, upload) = Upload::new(Some(length));
        (sink, Self(Source::Stream(Arc::new(upload))))
    }

    pub(crate) fn is_empty(&self) -> bool {
        matches!(self.0, Source::Empty)
    }

    /// Returns the number of bytes to send, if known.
    pub(crate) fn len(&self) -> Option<usize> {
        match &self.0 {
            Source::Empty => Some(0),
            Source::Full(bytes) => Some(bytes.len()),
            Source::Stream(upload) => upload.length,
            Source::Spent => None,
        }
    }

    /// Returns the body for one connection, or `None` if it is a stream that was already used.
    pub(crate) fn send(&mut self, most: usize) -> Option<Outgoing> {
        let (source, turn) = match &self.0 {
            Source::Empty => (Source::Empty, 0),
            Source::Full(bytes) => (Source::Full(bytes.clone()), 0),
            Source::Stream(upload) => (Source::Stream(upload.clone()), upload.begin()),
            Source::Spent => return None,
        };
        let length = self.len();
        if length.is_none() {
            self.0 = Source::Spent;
        }
        let left = length.unwrap_or(most);
        Some(Outgoing { source, turn, length, limit: most, left, fault: Fault::default() })
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

/// The reason why a body was not sent completely. The connection itself reports only that it broke.
#[derive(Debug, Clone, Default)]
pub(crate) struct Fault(Arc<OnceLock<SendFault>>);

/// The cause of a body that ended prematurely.
#[derive(Debug, Clone, Copy)]
pub(crate) enum SendFault {
    TooLong(usize),
    /// The length differs from the declared one.
    NotAsLong(usize),
    Dropped,
}

impl Fault {
    /// Returns the error for the request to `host` if its body caused the failure.
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
            Self::NotAsLong(length) => {
                let reason = format!("the request's body is not {length} bytes long, as declared");
                FetchError::new(FetchErrorKind::BadRequest, host, reason)
            }
            Self::Dropped => {
                let reason = "the request's body ended before it was finished";
                FetchError::new(FetchErrorKind::Aborted, host, reason)
            }
        }
    }
}

/// A request body as one connection sends it.
pub(crate) struct Outgoing {
    source: Source,
    /// Number of the connection that reads a stream; see [`Upload::begin`].
    turn: u32,
    length: Option<usize>,
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

/// The error given to hyper; the [`Fault`] holds the actual reason.
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
        let turn = self.turn;
        let bytes = match &mut self.source {
            Source::Empty | Source::Spent => return Poll::Ready(None),
            Source::Full(bytes) => {
                let bytes = std::mem::take(bytes);
                self.source = Source::Empty;
                bytes
            }
            Source::Stream(upload) => match ready!(upload.poll_piece(turn, cx)) {
                Piece::Data(bytes) => bytes,
                Piece::End => match self.length {
                    Some(length) if self.left > 0 => {
                        return self.fail(SendFault::NotAsLong(length));
                    }
                    Some(_) | None => {
                        self.source = Source::Empty;
                        return Poll::Ready(None);
                    }
                },
                Piece::Lost => return self.fail(SendFault::Dropped),
            },
        };
        match self.left.checked_sub(bytes.len()) {
            Some(left) => self.left = left,
            None => {
                let long = SendFault::TooLong(self.limit);
                let fault = self.length.map_or(long, SendFault::NotAsLong);
                return self.fail(fault);
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
            Source::Stream(_) => match self.length {
                Some(_) => SizeHint::with_exact(self.left as u64),
                None => SizeHint::default(),
            },
        }
    }
}
