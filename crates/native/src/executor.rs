//! A thread for everything that waits without blocking: people, and connections. Most runs need
//! neither, so it is started with the first of them.

use std::io;
use std::sync::{Mutex, OnceLock};
use std::thread;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::lock;

/// The executor of one run.
#[derive(Default)]
pub(crate) struct Executor {
    handle: OnceLock<Option<Handle>>,
    /// Ends the thread when it is dropped.
    end: Mutex<Option<oneshot::Sender<()>>>,
}

impl Executor {
    /// Returns the executor; `None` if the system has no thread left.
    pub(crate) fn handle(&self) -> Option<&Handle> {
        self.handle.get_or_init(|| self.start()).as_ref()
    }

    /// Runs a future; drops it if the system has no thread left.
    pub(crate) fn spawn(&self, future: impl Future<Output = ()> + Send + 'static) {
        if let Some(handle) = self.handle() {
            handle.spawn(future);
        }
    }

    /// Drops all futures, and ends the thread.
    pub(crate) fn end(&self) {
        drop(lock(&self.end).take());
    }

    fn start(&self) -> Option<Handle> {
        let (end, ended) = oneshot::channel::<()>();
        let (sender, receiver) = std::sync::mpsc::channel();
        let work = move || {
            let Ok(runtime) = build() else { return };
            let _ = sender.send(runtime.handle().clone());
            runtime.block_on(async {
                let _ = ended.await;
            });
            runtime.shutdown_background();
        };
        thread::Builder::new().name("cofferdam-native".into()).spawn(work).ok()?;
        *lock(&self.end) = Some(end);
        receiver.recv().ok()
    }
}

fn build() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}
