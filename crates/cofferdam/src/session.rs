//! Sessions: kept cells, in which variables stay between runs.

use std::sync::Arc;
use std::time::Instant;

use cofferdam_cell::Cell;
use cofferdam_kernel::Kernel;

use crate::drive;
use crate::error::Error;
use crate::outcome::Outcome;
use crate::run::{Run, RunSettings};
use crate::sandbox::SandboxState;
use crate::tool::{Engine, Tool};

/// The cells of a session between two runs. Runs of one session wait for this lock.
pub(crate) type Slot = tokio::sync::Mutex<Cells>;

/// The kept cells of a session, one for each interpreter that it has used.
#[derive(Default)]
pub(crate) struct Cells {
    javascript: Option<Cell<Kernel>>,
    python: Option<Cell<Kernel>>,
}

impl Cells {
    /// Takes the cell of an interpreter, if it is kept.
    pub(crate) fn take(&mut self, engine: Engine) -> Option<Cell<Kernel>> {
        self.of(engine).take()
    }

    /// Keeps the cell of an interpreter.
    pub(crate) fn put(&mut self, engine: Engine, cell: Cell<Kernel>) {
        *self.of(engine) = Some(cell);
    }

    fn of(&mut self, engine: Engine) -> &mut Option<Cell<Kernel>> {
        match engine {
            Engine::JavaScript => &mut self.javascript,
            Engine::Python => &mut self.python,
        }
    }
}

/// A kept cell for each language. Each run is a script: its top-level declarations are there for the next run, and
/// the value of its last expression is the result. Anything that stops a run discards the cell, and
/// the next run starts with a fresh one.
pub struct Session {
    pub(crate) state: Arc<SandboxState>,
    pub(crate) slot: Arc<Slot>,
}

impl Session {
    /// Starts a script in the kept cell. The returned [`Run`] is a future that can be cancelled.
    pub fn start(&self, tool: Tool) -> Result<Run, Error> {
        self.start_with(tool, RunSettings::default())
    }

    /// Starts a script in the kept cell with settings for this run. The memory of a kept cell is
    /// that of the run which created it.
    pub fn start_with(&self, tool: Tool, settings: RunSettings) -> Result<Run, Error> {
        let began = Instant::now();
        let switch = self.state.new_switch();
        let registered = self.state.register(&switch)?;
        let (of_run, slot) = (switch.clone(), self.slot.clone());
        let future = Box::pin(async move {
            drive::kept(&registered.state, &tool, &of_run, &slot, began, &settings).await
        });
        Ok(Run { switch, future })
    }

    /// Runs a script in the kept cell.
    pub async fn run(&self, tool: &Tool) -> Result<Outcome, Error> {
        let began = Instant::now();
        let switch = self.state.new_switch();
        let _registered = self.state.register(&switch)?;
        drive::kept(&self.state, tool, &switch, &self.slot, began, &RunSettings::default()).await
    }
}
