//! The response as a guest sees it, and the reading end of its body.

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

/// A response without cookies and secret headers.
///
/// A server that repeats a secret in its response discloses it to the guest; this crate cannot
/// prevent that.
#[derive(Debug)]
#[expect(missing_docs, reason = "the types say it")]
pub struct Response {
    pub status: StatusCode,
    /// The reason phrase, chosen by the server.
    pub status_text: String,
    pub headers: HeaderMap,
    /// The URL of the response, after redirects.
    pub url: FetchUrl,
    /// True if a redirect was followed.
    pub redirected: bool,
    pub body: ResponseBody,
}

/// The decoded body, read at the caller's pace with at most two chunks of read-ahead.
///
/// Dropping the body closes the connection.
pub struct ResponseBody {
    chunks: mpsc::Receiver<Bytes>,
    ending: Ending,
    ended: bool,
    host: String,
    /// Keeps the reading thread alive while there is something to read.
    driver: Option<Arc<Driver>>,
}

/// The result of the pump; set before its sender is dropped.
pub(crate) type Ending = Arc<OnceLock<Result<(), FetchError>>>;

impl ResponseBody {
    #[cfg(not(target_family = "wasm"))]
    pub(crate) fn new(host: String) -> (mpsc::Sender<Bytes>, Ending, Self) {
        let (sender, chunks) = mpsc::channel(1);
        let ending = Ending::default();
        let body = Self { chunks, ending: ending.clone(), ended: false, host, driver: None };
        (sender, ending, body)
    }

    /// Creates a body that has arrived already.
    #[cfg(target_family = "wasm")]
    pub(crate) fn whole(host: String, bytes: Bytes) -> Self {
        const CHUNK: usize = 64 << 10;
        let (sender, chunks) = mpsc::channel(bytes.len() / CHUNK + 1);
        let mut rest = bytes;
        while !rest.is_empty() {
            // There is room for all of them.
            let _ = sender.try_send(rest.split_to(rest.len().min(CHUNK)));
        }
        let ending = Ending::default();
        let _ = ending.set(Ok(()));
        Self { chunks, ending, ended: false, host, driver: None }
    }

    pub(crate) fn keep(&mut self, driver: Arc<Driver>) {
        self.driver = Some(driver);
    }

    /// Returns the next chunk of at most 64 KiB, or `None` at the end and after an error.
    pub async fn chunk(&mut self) -> Option<Result<Bytes, FetchError>> {
        std::future::poll_fn(|cx| self.poll_chunk(cx)).await
    }

    /// Polls for the next chunk; see [`chunk`](Self::chunk).
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

    /// Reads the rest of the body, which is bounded by the limit of the fetch.
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
