//! Request bodies that a tool sends while it makes them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use cofferdam_net::{Body, BodyClosed, BodySink, Bytes, Wanted};

use crate::guard::{Refused, Working};
use crate::lock::lock;

/// Most bodies that are sent at once.
const MAX_UPLOADS: usize = 256;

/// Longest piece handed over at once; it is host memory until the connection has taken it.
const MAX_PIECE: usize = 64 * 1024;

/// The bodies of one run that are being sent, by number. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Uploads {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    by_number: HashMap<u32, Upload>,
    last: u32,
}

struct Upload {
    sink: Arc<BodySink>,
    /// Until a request takes it.
    body: Option<Body>,
}

impl Uploads {
    /// A new body, of so many bytes where that is known.
    pub(crate) fn open(&self, length: Option<usize>) -> Result<u32, Refused> {
        let mut inner = lock(&self.inner);
        if inner.by_number.len() >= MAX_UPLOADS {
            let message = format!("more than {MAX_UPLOADS} bodies are sent at once");
            return Err(Refused::new("RangeError", message));
        }
        let (sink, body) = length.map_or_else(Body::channel, Body::channel_of);
        inner.last = inner.last.wrapping_add(1);
        let number = inner.last;
        inner.by_number.insert(number, Upload { sink: Arc::new(sink), body: Some(body) });
        Ok(number)
    }

    /// The body itself, for the one request that sends it.
    pub(crate) fn body(&self, number: u32) -> Option<Body> {
        lock(&self.inner).by_number.get_mut(&number)?.body.take()
    }

    /// Hands a piece over, or the end, and waits for what is wanted then. None is wanted before
    /// there is a connection, so nothing is handed over that was not permitted.
    pub(crate) fn send(&self, number: u32, piece: &[u8], last: bool) -> Result<Working, Refused> {
        let sink = lock(&self.inner).by_number.get(&number).map(|upload| upload.sink.clone());
        let sink = sink.ok_or_else(|| Refused::new("TypeError", "the body was sent already"))?;
        if piece.len() > MAX_PIECE {
            let message = format!("a piece of a body of more than {MAX_PIECE} bytes");
            return Err(Refused::new("RangeError", message));
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

    /// There will be no more of it: the request fails, unless it had all.
    pub(crate) fn remove(&self, number: u32) {
        lock(&self.inner).by_number.remove(&number);
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
