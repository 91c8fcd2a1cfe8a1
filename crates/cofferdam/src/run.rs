//! A run under way, and handles to cancel it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use cofferdam_cell::KillSwitch;

use crate::error::Error;
use crate::outcome::Outcome;

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
