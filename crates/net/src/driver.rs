//! The thread and tokio runtime that all connections run on.
//!
//! Separate, so that callers may use any executor or none.

use std::io;
use std::sync::{Arc, Mutex};

use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;

use crate::error::{FetchError, FetchErrorKind};
use crate::exchange::{Answer, Hop};
use crate::hop::Shared;

/// Most concurrent lookups of names that only the system's resolver knows. It blocks one thread for
/// each, and a guest asking for names that time out must not occupy more.
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
    /// Sends one request on the thread. Dropping the future closes the connection.
    pub(crate) async fn send(&self, hop: Hop, shared: &Arc<Shared>) -> Result<Answer, FetchError> {
        let (host, shared) = (hop.url.origin().host.clone(), shared.clone());
        let (mut answer, answered) = oneshot::channel();
        let task = async move {
            let result = tokio::select! {
                biased;
                () = answer.closed() => return,
                result = hop.run(&shared) => result,
            };
            let _ = answer.send(result);
        };
        let stopped = |reason: String| FetchError::new(FetchErrorKind::Stopped, &host, reason);
        let started = self.spawn(task);
        started.map_err(|error| stopped(format!("the client cannot start: {error}")))?;
        answered.await.unwrap_or_else(|_| Err(stopped("the client stopped".to_owned())))
    }

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
