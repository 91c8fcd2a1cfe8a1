use std::io;
use std::sync::Mutex;

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

/// Most names resolved at once: the system's resolver holds a thread for each, and a guest that
/// asks for names nobody answers for must not have more.
const MAX_LOOKUPS: usize = 16;

/// The thread that all connections live on, started when first needed.
///
/// One thread with a runtime of its own, so that callers may use any executor, or none.
#[derive(Default)]
pub(crate) struct Driver {
    running: Mutex<Option<Running>>,
}

struct Running {
    handle: Handle,
    /// Dropped with the driver, which ends the thread and every task on it.
    _stop: oneshot::Sender<()>,
}

impl Driver {
    /// Runs `task` on the thread.
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
        // Not waiting for lookups, which cannot be interrupted.
        runtime.shutdown_background();
    })?;
    Ok(Running { handle, _stop: stop })
}
