//! A kept cell, in which variables stay between runs.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::Poll;
use std::time::Instant;

use cofferdam_cell::{Cell, KillSwitch};
use cofferdam_kernel::{Kernel, Output};

use crate::drive;
use crate::error::Error;
use crate::outcome::{Ending, Exhausted, Outcome};
use crate::run::Run;
use crate::sandbox::World;
use crate::tool::Tool;

/// The cell of a session, between two runs; runs of one session wait for each other.
pub(crate) type Slot = tokio::sync::Mutex<Option<Cell<Kernel>>>;

/// A kept cell. Its runs are scripts: what one declares at the top is there for the next, and
/// the value of the last expression is the result. Whatever stops a run discards the cell, and
/// the next run starts fresh.
pub struct Session {
    pub(crate) world: Arc<World>,
    pub(crate) slot: Arc<Slot>,
}

impl Session {
    /// Starts a script in the kept cell; it can be cancelled through what this answers.
    pub fn start(&self, tool: Tool) -> Result<Run, Error> {
        let began = Instant::now();
        let switch = self.world.new_switch();
        let registered = self.world.register(&switch)?;
        let (of_run, slot) = (switch.clone(), self.slot.clone());
        let future = Box::pin(async move {
            turn(&registered.world, &tool, &of_run, &slot, began).await
        });
        Ok(Run { switch, future })
    }

    /// Runs a script in the kept cell.
    pub async fn run(&self, tool: &Tool) -> Result<Outcome, Error> {
        let began = Instant::now();
        let switch = self.world.new_switch();
        let _registered = self.world.register(&switch)?;
        turn(&self.world, tool, &switch, &self.slot, began).await
    }
}

/// Waits until the run before it has ended, no longer than its own time, then runs.
async fn turn(
    world: &Arc<World>,
    tool: &Tool,
    switch: &KillSwitch,
    slot: &Slot,
    began: Instant,
) -> Result<Outcome, Error> {
    let deadline = drive::course(world, switch, began).deadline;
    let mut sleep = world.runtime.engine().alarm().sleep_until(deadline);
    let mut lock = pin!(slot.lock());
    let locked = poll_fn(|cx| {
        switch.wake_on_kill(cx.waker());
        if switch.is_killed() {
            return Poll::Ready(Err(Exhausted::Cancelled { stack: String::new() }));
        }
        if let Poll::Ready(slot) = lock.as_mut().poll(cx) {
            return Poll::Ready(Ok(slot));
        }
        let limit = world.limits.time;
        let late = |()| Err(Exhausted::Time { limit, stack: String::new() });
        Pin::new(&mut sleep).poll(cx).map(late)
    });
    match locked.await {
        Ok(mut slot) => drive::kept(world, tool, switch, &mut slot, began).await,
        Err(exhausted) => Ok(Outcome {
            ending: Ending::Stopped(exhausted),
            stdout: Output::default(),
            stderr: Output::default(),
            duration: began.elapsed(),
        }),
    }
}
