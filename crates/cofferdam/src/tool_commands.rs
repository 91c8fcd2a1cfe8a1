//! Commands that a tool runs in its own sandbox.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use cofferdam_broker::Permit;
use cofferdam_kernel::permitted::StartProgram;
use cofferdam_kernel::{CommandLine, Commands, Finished, StartRules, Watcher, What};

use crate::command::Command;
use crate::drive::Course;
use crate::outcome::{Ending, Outcome};
use crate::program;

/// Runs commands for one run of a tool, within its time and under its grants.
pub(crate) struct ToolCommands(pub(crate) Course);

impl Commands for ToolCommands {
    fn run(
        &self,
        line: CommandLine,
        watcher: Option<Arc<dyn Watcher>>,
    ) -> Pin<Box<dyn Future<Output = Result<Finished, String>> + Send>> {
        let course = self.0.anew(None);
        Box::pin(async move {
            let (command, permit) = command(line);
            let policy = course.state.policy.clone();
            let start_rules = StartRules::granted(policy, course.desk.clone(), permit);
            // The tool receives the output and decides whether to show it.
            let mut settings = course.program_settings();
            settings.watcher = watcher;
            let outcome = program::run_on_course(&course, settings, command, start_rules).await;
            outcome.map(finished).map_err(|error| error.to_string())
        })
    }
}

/// Returns the command, and the permit for the program that it starts first.
fn command(line: CommandLine) -> (Command, Option<Permit<StartProgram>>) {
    let (mut command, permit) = match line.what {
        What::Shell(text, permit) => (Command::shell(text), permit),
        What::Arguments(permit, argv) => {
            (Command::new(argv.first().cloned().unwrap_or_default()).argv(argv), Some(permit))
        }
    };
    command.stdin = Some(line.stdin);
    if let Some(cwd) = line.cwd {
        command = command.cwd(cwd);
    }
    if let Some(env) = line.env {
        command = command.clear_env();
        for (name, value) in env {
            command = command.env(name, value);
        }
    }
    for (name, value) in line.changed {
        command = match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    (command, permit)
}

fn finished(outcome: Outcome) -> Finished {
    let mut stderr = outcome.stderr.bytes.clone();
    // The reason for a stop goes to standard error, where callers of commands look for it.
    if let (Some(error), false) = (outcome.error(), matches!(outcome.ending, Ending::Denied(_))) {
        stderr.extend_from_slice(format!("{}: {}\n", error.name, error.message).as_bytes());
    }
    Finished { exit_code: i32::from(outcome.exit_code()), stdout: outcome.stdout.bytes, stderr }
}
