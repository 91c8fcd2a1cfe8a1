use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

use bytes::{Bytes, BytesMut};
use cofferdam_caps::network::FetchUrl;
use futures_core::Stream;
use http::{HeaderMap, StatusCode};
use tokio::sync::mpsc;

use crate::driver::Driver;
use crate::error::{FetchError, FetchErrorKind};

/// What came back, fit for a guest: no cookies, no trace of secret headers.
///
/// A server that repeats a secret in its answer has told the guest; that cannot be kept from
/// here.
#[derive(Debug)]
#[expect(missing_docs, reason = "the types say it")]
pub struct Response {
    pub status: StatusCode,
    /// The reason phrase; text of the server's.
    pub status_text: String,
    pub headers: HeaderMap,
    /// Where it came from, after redirects.
    pub url: FetchUrl,
    /// Whether a redirect was followed.
    pub redirected: bool,
    pub body: ResponseBody,
}

/// The body as it arrives, decoded. Nothing is read ahead of the caller but a chunk or two.
///
/// Dropping it closes the connection.
pub struct ResponseBody {
    chunks: mpsc::Receiver<Bytes>,
    ending: Ending,
    ended: bool,
    host: String,
    /// The thread that reads, kept alive for as long as there is something to read.
    driver: Option<Arc<Driver>>,
}

/// How the reader ended; set before its last sender goes.
pub(crate) type Ending = Arc<OnceLock<Result<(), FetchError>>>;

impl ResponseBody {
    pub(crate) fn new(host: String) -> (mpsc::Sender<Bytes>, Ending, Self) {
        let (sender, chunks) = mpsc::channel(1);
        let ending = Ending::default();
        let body = Self { chunks, ending: ending.clone(), ended: false, host, driver: None };
        (sender, ending, body)
    }

    pub(crate) fn keep(&mut self, driver: Arc<Driver>) {
        self.driver = Some(driver);
    }

    /// The next bytes, in pieces of 64 KiB at most; none at the end, and none after an error.
    pub async fn chunk(&mut self) -> Option<Result<Bytes, FetchError>> {
        std::future::poll_fn(|cx| self.poll_chunk(cx)).await
    }

    /// [`chunk`](Self::chunk) for those who poll.
    pub fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, FetchError>>> {
        if self.ended {
            return Poll::Ready(None);
        }
        if let Some(bytes) = ready!(self.chunks.poll_recv(cx)) {
            return Poll::Ready(Some(Ok(bytes)));
        }
        self.ended = true;
        self.driver = None;
        Poll::Ready(match self.ending.get() {
            Some(Ok(())) => None,
            Some(Err(error)) => Some(Err(error.clone())),
            None => {
                let reason = "the client stopped while the body was read";
                Some(Err(FetchError::new(FetchErrorKind::Stopped, &self.host, reason)))
            }
        })
    }

    /// All that is left of it; no more than the limit of the fetch.
    pub async fn bytes(mut self) -> Result<Bytes, FetchError> {
        let mut all = BytesMut::new();
        while let Some(chunk) = self.chunk().await {
            all.extend_from_slice(&chunk?);
        }
        Ok(all.freeze())
    }
}

impl Stream for ResponseBody {
    type Item = Result<Bytes, FetchError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.poll_chunk(cx)
    }
}

impl fmt::Debug for ResponseBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseBody").field("ended", &self.ended).finish_non_exhaustive()
    }
}
