//! Frees the memory of large cells on a thread of its own, so that no caller waits for it.

use std::sync::OnceLock;
use std::sync::mpsc::{SyncSender, sync_channel};

use cofferdam_cell::Cell;
use cofferdam_kernel::Kernel;

/// Largest cell that is freed in place: that takes microseconds, less than waking a thread.
const SMALL: usize = 16 << 20;

/// Most large cells that wait to be freed; each still holds its memory.
const QUEUE: usize = 4;

/// A thread that drops cells. It starts with the first large cell and ends with the runtime.
#[derive(Default)]
pub(crate) struct Reaper {
    queue: OnceLock<Option<SyncSender<Box<dyn Send>>>>,
}

impl Reaper {
    /// Drops a cell: in place if it is small or the queue is full, otherwise on the thread.
    pub(crate) fn take(&self, cell: Cell<Kernel>) {
        if cell.memory_bytes() > SMALL {
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
            // If the queue is full or its thread has ended, the error returns the value, which is
            // dropped here.
            let _ = queue.try_send(large);
        }
    }
}
