//! Request bodies that a tool sends piece by piece.

use std::sync::{Arc, Mutex};

use cofferdam_net::{Body, BodyClosed, BodySink, Bytes, Wanted};

use crate::shared::call_error::{CallError, Working};
use crate::shared::lock::lock;
use crate::shared::numbered::Numbered;

/// Most bodies that are being sent at once.
// T-NET-008: headers and bodies without end, compressed bombs.
const MAX_UPLOADS: usize = 256;

/// Longest piece handed over at once; it is host memory until the connection has taken it.
const MAX_PIECE: usize = 64 * 1024;

/// The bodies of one run that are being sent, by number. Clones share their content.
#[derive(Clone, Default)]
pub(crate) struct Uploads {
    sent: Arc<Mutex<Numbered<Upload>>>,
}

struct Upload {
    sink: Arc<BodySink>,
    /// Taken by the request that sends the body.
    body: Option<Body>,
}

impl Uploads {
    /// Creates a body, of `length` bytes if the length is known.
    pub(crate) fn open(&self, length: Option<usize>) -> Result<u32, CallError> {
        let mut sent = lock(&self.sent);
        if sent.len() >= MAX_UPLOADS {
            let message = format!("more than {MAX_UPLOADS} bodies are sent at once");
            return Err(CallError::new("RangeError", message));
        }
        let (sink, body) = length.map_or_else(Body::channel, Body::channel_of);
        Ok(sent.add(Upload { sink: Arc::new(sink), body: Some(body) }))
    }

    /// Takes the body for the one request that sends it.
    pub(crate) fn body(&self, number: u32) -> Option<Body> {
        lock(&self.sent).get_mut(number)?.body.take()
    }

    /// Hands over a piece, or the end, and waits for the connection to want more. A connection
    /// wants the first piece only after the request was permitted.
    pub(crate) fn send(&self, number: u32, piece: &[u8], last: bool) -> Result<Working, CallError> {
        let sink = lock(&self.sent).get(number).map(|upload| upload.sink.clone());
        let sink = sink.ok_or_else(|| CallError::new("TypeError", "the body was sent already"))?;
        if piece.len() > MAX_PIECE {
            let message = format!("a piece of a body of more than {MAX_PIECE} bytes");
            return Err(CallError::new("RangeError", message));
        }
        let piece = Bytes::copy_from_slice(piece);
        let uploads = self.clone();
        Ok(Box::pin(async move {
            let wanted = next(&sink, piece, last).await;
            Ok(vec![match wanted {
                Ok(Wanted::More) => 1,
                Ok(Wanted::FromTheBeginning) => 2,
                Err(BodyClosed) => {
                    uploads.remove(number);
                    0
                }
            }])
        }))
    }

    /// Abandons a body. Its request fails, unless it had the whole body.
    pub(crate) fn remove(&self, number: u32) {
        lock(&self.sent).remove(number);
    }
}

async fn next(sink: &BodySink, piece: Bytes, last: bool) -> Result<Wanted, BodyClosed> {
    if !piece.is_empty() {
        sink.send(piece).await?;
    }
    if last {
        sink.finish();
    }
    sink.wanted().await
}
