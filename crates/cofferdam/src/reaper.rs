//! Gives the memory of large cells back where nobody waits for it.

use std::sync::OnceLock;
use std::sync::mpsc::{SyncSender, sync_channel};

use cofferdam_cell::Cell;
use cofferdam_kernel::Kernel;

/// Cells up to this size are reset in microseconds, faster than a thread is woken.
const SMALL: usize = 16 << 20;

/// Large cells that may wait to be given back; each still holds its memory.
const QUEUE: usize = 4;

/// A thread that drops cells. It starts with the first large one, and ends with the runtime.
#[derive(Default)]
pub(crate) struct Reaper {
    queue: OnceLock<Option<SyncSender<Box<dyn Send>>>>,
}

impl Reaper {
    /// Drops a cell: here if it is small or the queue is full, else later.
    pub(crate) fn take(&self, cell: Cell<Kernel>) {
        if cell.memory_bytes() > SMALL {
            self.take_large(Box::new(cell));
        }
    }

    /// Drops something large: later, or here if the queue is full.
    pub(crate) fn take_large(&self, large: Box<dyn Send>) {
        let queue = self.queue.get_or_init(|| {
            let (queue, cells) = sync_channel::<Box<dyn Send>>(QUEUE);
            let thread = std::thread::Builder::new().name("cofferdam-reaper".into());
            thread.spawn(move || cells.into_iter().for_each(drop)).ok().map(|_| queue)
        });
        if let Some(queue) = queue {
            // Full or gone: it comes back with the error and is dropped here.
            let _ = queue.try_send(large);
        }
    }
}
