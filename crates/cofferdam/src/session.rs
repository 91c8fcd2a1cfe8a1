//! Sessions: kept cells, in which variables stay between runs.

use std::sync::Arc;
use std::time::Instant;

use cofferdam_cell::Cell;
use cofferdam_kernel::Kernel;

use crate::drive;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::run::Run;
use crate::sandbox::SandboxState;
use crate::tool::Tool;

/// The cell of a session between two runs. Runs of one session wait for this lock.
pub(crate) type Slot = tokio::sync::Mutex<Option<Cell<Kernel>>>;

/// A kept cell. Each run is a script: its top-level declarations are there for the next run, and
/// the value of its last expression is the result. Anything that stops a run discards the cell, and
/// the next run starts with a fresh one.
pub struct Session {
    pub(crate) state: Arc<SandboxState>,
    pub(crate) slot: Arc<Slot>,
}

impl Session {
    /// Starts a script in the kept cell. The returned [`Run`] is a future that can be cancelled.
    pub fn start(&self, tool: Tool) -> Result<Run, Error> {
        let began = Instant::now();
        let switch = self.state.new_switch();
        let registered = self.state.register(&switch)?;
        let (of_run, slot) = (switch.clone(), self.slot.clone());
        let future =
            Box::pin(
                async move { drive::kept(&registered.state, &tool, &of_run, &slot, began).await },
            );
        Ok(Run { switch, future })
    }

    /// Runs a script in the kept cell.
    pub async fn run(&self, tool: &Tool) -> Result<Outcome, Error> {
        let began = Instant::now();
        let switch = self.state.new_switch();
        let _registered = self.state.register(&switch)?;
        drive::kept(&self.state, tool, &switch, &self.slot, began).await
    }
}
