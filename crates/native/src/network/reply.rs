//! Replies to the program, and their bodies.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use cofferdam_broker::PermissionError;
use cofferdam_net::{FetchError, FetchErrorKind, ResponseBody};
use http::{HeaderValue, Response, StatusCode};
use http_body::{Frame, SizeHint};

use crate::supervisor::Supervisor;

/// Header that only a denial has: the id of its request. It is removed from every other response,
/// so that a server's own 403 is never taken for a denial.
pub(super) const DENIED: &str = "cofferdam-denied";

/// The body of a reply.
pub(super) enum ReplyBody {
    Whole(Option<Bytes>),
    /// A response that arrives. The program sees only that it broke, so that the reason is told.
    Stream(ResponseBody, Arc<Supervisor>),
}

pub(super) type Reply = Response<ReplyBody>;

/// Replies with a text of our own.
pub(super) fn text(status: StatusCode, kind: &'static str, text: String) -> Reply {
    let mut reply = Response::new(ReplyBody::Whole(Some(text.into())));
    *reply.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    reply.headers_mut().insert(http::header::CONTENT_TYPE, kind);
    reply
}

/// Replies with a denial.
pub(super) fn denied(error: &PermissionError) -> Reply {
    let mut reply = text(StatusCode::FORBIDDEN, "application/json", error.to_json());
    if let Ok(id) = HeaderValue::from_str(error.request_id()) {
        reply.headers_mut().insert(DENIED, id);
    }
    reply
}

/// Tells why a request failed, and returns the line.
pub(super) fn failure(supervisor: &Supervisor, error: &FetchError) -> String {
    let hint = match error.kind() == FetchErrorKind::BodyLimit {
        true => " (the limit fetchBytes)",
        false => "",
    };
    supervisor.tell_failure(&format!("{error}{hint}"))
}

impl http_body::Body for ReplyBody {
    type Data = Bytes;
    type Error = FetchError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match &mut *self {
            ReplyBody::Whole(bytes) => {
                Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes))))
            }
            ReplyBody::Stream(body, supervisor) => {
                let chunk = body.poll_chunk(cx);
                if let Poll::Ready(Some(Err(error))) = &chunk {
                    failure(supervisor, error);
                }
                chunk.map(|chunk| chunk.map(|bytes| bytes.map(Frame::data)))
            }
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            ReplyBody::Whole(bytes) => {
                SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
            }
            ReplyBody::Stream(..) => SizeHint::default(),
        }
    }
}
