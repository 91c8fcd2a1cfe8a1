//! Commands that a tool runs in its own sandbox.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use cofferdam_kernel::{CommandLine, Commands, Finished, What};

use crate::allowlist::Allowlist;
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
    ) -> Pin<Box<dyn Future<Output = Result<Finished, String>> + Send>> {
        let course = self.0.anew(None);
        Box::pin(async move {
            let permitted = line.permitted.clone();
            let allowlist = Some(Arc::new(Allowlist::new(course.desk.clone(), permitted)));
            // The tool receives the output and decides whether to show it.
            let mut settings = course.state.settings(course.desk.clone(), &course.clock, None);
            settings.watcher = None;
            let outcome = program::run_on_course(&course, settings, command(line), allowlist).await;
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
    // The reason for a stop goes to standard error, where callers of commands look for it.
    if let (Some(error), false) = (outcome.error(), matches!(outcome.ending, Ending::Denied(_))) {
        stderr.extend_from_slice(format!("{}: {}\n", error.name, error.message).as_bytes());
    }
    Finished { exit_code: i32::from(outcome.exit_code()), stdout: outcome.stdout.bytes, stderr }
}
