//! Frees the memory of large cells on a thread of its own, so that no caller waits for it.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};

use cofferdam_cell::Cell;
use cofferdam_kernel::Kernel;

/// Growth of the largest cell that is freed in place: that takes microseconds, less than waking a
/// thread.
const SMALL: u64 = 16 << 20;

/// Most large cells that wait to be freed; each still holds its memory.
const QUEUE: usize = 4;

/// A thread that drops cells. It starts with the first large cell and ends with the runtime.
#[derive(Default)]
pub(crate) struct Reaper {
    queue: OnceLock<Option<SyncSender<Box<dyn Send>>>>,
    /// Values that were handed to the thread and are not freed yet.
    waiting: Arc<AtomicU32>,
}

/// A value on its way to the thread. Reports its end after the value is freed.
struct Waiting {
    value: Option<Box<dyn Send>>,
    waiting: Arc<AtomicU32>,
}

impl Drop for Waiting {
    fn drop(&mut self) {
        drop(self.value.take());
        self.waiting.fetch_sub(1, Ordering::Release);
    }
}

impl Reaper {
    /// Drops a cell: in place if it is small or the queue is full, otherwise on the thread.
    pub(crate) fn take(&self, cell: Cell<Kernel>) {
        if cell.grown_bytes() > SMALL {
            self.take_large(Box::new(cell));
        }
    }

    /// Drops a large value on the thread, or in place if the queue is full.
    pub(crate) fn take_large(&self, large: Box<dyn Send>) {
        let queue = self.queue.get_or_init(|| {
            let (queue, cells) = sync_channel::<Box<dyn Send>>(QUEUE);
            let thread = std::thread::Builder::new().name("cofferdam-reaper".into());
            thread.spawn(move || cells.into_iter().for_each(drop)).ok().map(|_| queue)
        });
        if let Some(queue) = queue {
            self.waiting.fetch_add(1, Ordering::Relaxed);
            let large = Waiting { value: Some(large), waiting: self.waiting.clone() };
            // If the queue is full or its thread has ended, the error returns the value, which is
            // dropped here.
            let _ = queue.try_send(Box::new(large));
        }
    }

    /// Returns the number of values that still hold their memory.
    pub(crate) fn waiting(&self) -> u32 {
        self.waiting.load(Ordering::Acquire)
    }

    /// Waits until everything that was handed over so far is freed.
    pub(crate) fn settle(&self) {
        let Some(Some(queue)) = self.queue.get() else { return };
        let (done, freed) = sync_channel::<()>(1);
        // The thread drops values in order, so this sender is dropped last.
        if queue.send(Box::new(done)).is_ok() {
            let _ = freed.recv();
        }
    }
}
