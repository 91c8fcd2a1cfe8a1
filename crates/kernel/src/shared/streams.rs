//! Response bodies that a guest has not read to the end.

use std::sync::{Arc, Mutex};

use cofferdam_net::{FetchError, ResponseBody};

use crate::shared::call_error::{CallError, Working, nothing};
use crate::shared::lock::lock;
use crate::shared::numbered::Numbered;

/// A body; taken out while it is being read.
type Stream = Arc<Mutex<Option<ResponseBody>>>;

/// The open bodies of one run, by number. Clones share their content.
#[derive(Clone, Default)]
pub(crate) struct Streams {
    open: Arc<Mutex<Numbered<Stream>>>,
}

impl Streams {
    pub(crate) fn add(&self, body: ResponseBody) -> u32 {
        lock(&self.open).add(Arc::new(Mutex::new(Some(body))))
    }

    /// Starts reading the next piece of a body; the piece is empty at the end. `failed` converts an
    /// error for the reader.
    pub(crate) fn read(
        &self,
        number: u32,
        failed: fn(&FetchError) -> CallError,
    ) -> Result<Working, CallError> {
        let stream = lock(&self.open).get(number).cloned();
        let stream = stream.ok_or(CallError::new("TypeError", "the body was read already"))?;
        let streams = self.clone();
        Ok(Box::pin(async move {
            let Some(mut body) = lock(&stream).take() else {
                return Err(CallError::new("TypeError", "the body is being read already"));
            };
            match body.chunk().await {
                Some(Ok(bytes)) => {
                    *lock(&stream) = Some(body);
                    Ok(bytes.to_vec())
                }
                Some(Err(error)) => {
                    streams.remove(number);
                    Err(failed(&error))
                }
                None => {
                    streams.remove(number);
                    nothing()
                }
            }
        }))
    }

    /// Discards the rest of a body and closes its connection.
    pub(crate) fn remove(&self, number: u32) {
        lock(&self.open).remove(number);
    }

    pub(crate) fn open(&self) -> usize {
        lock(&self.open).len()
    }
}
