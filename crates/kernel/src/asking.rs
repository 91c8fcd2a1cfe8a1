//! Whether a run waits for somebody's answer: that time is not the tool's.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the open questions of one run. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Asking {
    open: Arc<AtomicUsize>,
}

/// One open question.
pub(crate) struct Asked {
    open: Arc<AtomicUsize>,
}

impl Asking {
    /// A question is open until the answer is dropped.
    pub(crate) fn begin(&self) -> Asked {
        self.open.fetch_add(1, Ordering::SeqCst);
        Asked { open: self.open.clone() }
    }

    /// Whether any is open.
    pub(crate) fn is_any(&self) -> bool {
        self.open.load(Ordering::SeqCst) > 0
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        self.open.fetch_sub(1, Ordering::SeqCst);
    }
}
