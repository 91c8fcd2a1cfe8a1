//! Response bodies that a tool has not read to their end.

use std::sync::{Arc, Mutex};

use cofferdam_net::{FetchError, ResponseBody};

use crate::shared::call_error::{CallError, Working, nothing};
use crate::shared::lock::lock;
use crate::shared::numbered::Numbered;

/// A body; taken out while it is read.
type Stream = Arc<Mutex<Option<ResponseBody>>>;

/// The open bodies of one run, by number. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Streams {
    open: Arc<Mutex<Numbered<Stream>>>,
}

impl Streams {
    pub(crate) fn add(&self, body: ResponseBody) -> u32 {
        lock(&self.open).add(Arc::new(Mutex::new(Some(body))))
    }

    /// The next piece of a body; nothing at its end. `failed` says what an error is to the reader.
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

    /// The rest is not wanted: the connection is closed.
    pub(crate) fn remove(&self, number: u32) {
        lock(&self.open).remove(number);
    }

    pub(crate) fn open(&self) -> usize {
        lock(&self.open).len()
    }
}
