//! A run under way, and how to end it.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use cofferdam_cell::KillSwitch;

use crate::error::Error;
use crate::outcome::Outcome;

/// A run that was started. It goes on while it is polled; dropped, it ends and leaves nothing.
pub struct Run {
    pub(crate) switch: KillSwitch,
    pub(crate) future: Pin<Box<dyn Future<Output = Result<Outcome, Error>> + Send>>,
}

impl Run {
    /// A handle that ends this run from anywhere.
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

/// Ends a run from any thread; the run's outcome then says that it was cancelled.
#[derive(Clone)]
pub struct Canceller {
    switch: KillSwitch,
}

impl Canceller {
    /// Ends the run, whatever it is doing. Does nothing when it is over already.
    pub fn cancel(&self) {
        self.switch.kill();
    }

    /// Ready when the run was cancelled.
    pub async fn cancelled(&self) {
        self.switch.killed().await;
    }
}
