//! Commands that a tool runs in its own sandbox.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use cofferdam_broker::Desk;
use cofferdam_cell::KillSwitch;
use cofferdam_kernel::{Asking, CommandLine, Commands, Finished, What};

use crate::allowlist::Allowlist;
use crate::command::Command;
use crate::drive::Course;
use crate::outcome::{Ending, Outcome};
use crate::program;
use crate::sandbox::World;
use crate::shell_tools::Slots;

/// Runs commands for one run of a tool, within its time and under its grants.
pub(crate) struct ToolCommands {
    pub(crate) world: Arc<World>,
    pub(crate) switch: KillSwitch,
    pub(crate) deadline: Instant,
    pub(crate) desk: Desk,
    pub(crate) asking: Asking,
    pub(crate) slots: Slots,
}

impl Commands for ToolCommands {
    fn run(
        &self,
        line: CommandLine,
    ) -> Pin<Box<dyn Future<Output = Result<Finished, String>> + Send>> {
        let (world, switch, deadline) = (self.world.clone(), self.switch.clone(), self.deadline);
        let (desk, asking, slots) = (self.desk.clone(), self.asking.clone(), self.slots.clone());
        Box::pin(async move {
            let course = Course {
                world: &world,
                switch: &switch,
                began: Instant::now(),
                deadline,
                desk,
                asking,
                slots,
                console: None,
            };
            let allowlist = Some(Arc::new(Allowlist::new(course.desk.clone())));
            let outcome = program::run_in(&course, command(line), allowlist).await;
            outcome.map(finished).map_err(|error| error.to_string())
        })
    }
}

fn command(line: CommandLine) -> Command {
    let mut command = match line.what {
        What::Shell(text) => Command::shell(text),
        What::Arguments(argv) => Command::new(argv.first().cloned().unwrap_or_default()).argv(argv),
    };
    command = command.stdin(line.stdin);
    if let Some(cwd) = line.cwd {
        command = command.cwd(cwd);
    }
    if let Some(env) = line.env {
        command = command.clear_env();
        for (name, value) in env {
            command = command.env(name, value);
        }
    }
    command
}

fn finished(outcome: Outcome) -> Finished {
    let mut stderr = outcome.stderr.bytes.clone();
    // What stopped it is told where people look for it.
    if let (Some(error), false) = (outcome.error(), matches!(outcome.ending, Ending::Denied(_))) {
        stderr.extend_from_slice(format!("{}: {}\n", error.name, error.message).as_bytes());
    }
    Finished { exit_code: i32::from(outcome.exit_code()), stdout: outcome.stdout.bytes, stderr }
}
