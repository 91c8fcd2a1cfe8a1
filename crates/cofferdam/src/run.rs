//! A run under way, its settings, and handles to cancel it.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use cofferdam_cell::KillSwitch;
use cofferdam_kernel::Watcher;

use crate::error::Error;
use crate::limits::Limits;
use crate::outcome::Outcome;

/// Settings of one run, in place of those of its sandbox.
#[derive(Clone, Default)]
pub struct RunSettings {
    pub(crate) limits: Option<Limits>,
    pub(crate) watcher: Option<Arc<dyn Watcher>>,
    pub(crate) name: Option<String>,
}

impl RunSettings {
    /// Sets the limits of the run. Those of files and their number stay with the sandbox. Start
    /// from [`Sandbox::limits`](crate::Sandbox::limits).
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Sets the name of the run in questions and the audit log. It must differ from the names of
    /// all other runs.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the observer of the run's output.
    pub fn watcher(mut self, watcher: Arc<dyn Watcher>) -> Self {
        self.watcher = Some(watcher);
        self
    }
}

/// A run that was started. It makes progress while it is polled. Dropping it ends the run and frees
/// everything it holds.
pub struct Run {
    pub(crate) switch: KillSwitch,
    pub(crate) future: Pin<Box<dyn Future<Output = Result<Outcome, Error>> + Send>>,
}

impl Run {
    /// Returns a handle that cancels this run.
    pub fn canceller(&self) -> Canceller {
        Canceller { switch: self.switch.clone() }
    }
}

impl Future for Run {
    type Output = Result<Outcome, Error>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.future.as_mut().poll(cx)
    }
}

/// A handle that cancels a run from any thread. The outcome of the run says that it was cancelled.
#[derive(Clone)]
pub struct Canceller {
    switch: KillSwitch,
}

impl Canceller {
    /// Cancels the run, whatever it is doing. Does nothing if the run has ended.
    pub fn cancel(&self) {
        self.switch.kill();
    }

    /// Completes when the run is cancelled.
    pub async fn cancelled(&self) {
        self.switch.killed().await;
    }
}
