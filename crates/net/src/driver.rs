//! The thread and tokio runtime that all connections run on.
//!
//! Separate, so that callers may use any executor or none.

use std::io;
use std::sync::Mutex;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// Most concurrent name lookups. The system resolver blocks one thread for each, and a guest asking
/// for names that time out must not occupy more.
const MAX_LOOKUPS: usize = 16;

/// The thread that runs all connections, started on first use.
///
/// It has its own runtime, so callers may use any executor or none.
#[derive(Default)]
pub(crate) struct Driver {
    running: Mutex<Option<Running>>,
}

struct Running {
    handle: Handle,
    /// Ends the thread and all its tasks when dropped.
    _stop: oneshot::Sender<()>,
}

impl Driver {
    /// Runs `task` on the thread, which is started if needed.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) -> io::Result<()> {
        let mut running = self.running.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let running = match &mut *running {
            Some(running) => running,
            none => none.insert(start()?),
        };
        running.handle.spawn(task);
        Ok(())
    }
}

fn start() -> io::Result<Running> {
    let runtime = Builder::new_current_thread()
        .enable_io()
        .enable_time()
        .max_blocking_threads(MAX_LOOKUPS)
        .build()?;
    let handle = runtime.handle().clone();
    let (stop, stopped) = oneshot::channel();
    std::thread::Builder::new().name("cofferdam-net".to_owned()).spawn(move || {
        let _ = runtime.block_on(stopped);
        // Does not wait for lookups, which cannot be interrupted.
        runtime.shutdown_background();
    })?;
    Ok(Running { handle, _stop: stop })
}
