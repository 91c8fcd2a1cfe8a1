//! Response bodies that a tool has not read to their end.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use cofferdam_net::ResponseBody;

use crate::lock::lock;

/// A body; taken out while it is read.
pub(crate) type Stream = Arc<Mutex<Option<ResponseBody>>>;

/// The open bodies of one run, by number. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Streams {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Default)]
struct Inner {
    by_number: HashMap<u32, Stream>,
    last: u32,
}

impl Streams {
    pub(crate) fn add(&self, body: ResponseBody) -> u32 {
        let mut inner = lock(&self.inner);
        inner.last = inner.last.wrapping_add(1);
        let number = inner.last;
        inner.by_number.insert(number, Arc::new(Mutex::new(Some(body))));
        number
    }

    pub(crate) fn get(&self, number: u32) -> Option<Stream> {
        lock(&self.inner).by_number.get(&number).cloned()
    }

    /// The rest is not wanted: the connection is closed.
    pub(crate) fn remove(&self, number: u32) {
        lock(&self.inner).by_number.remove(&number);
    }

    pub(crate) fn open(&self) -> usize {
        lock(&self.inner).by_number.len()
    }
}
