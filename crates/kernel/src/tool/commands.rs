//! Commands that a tool runs in its sandbox.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use cofferdam_broker::Permit;

use crate::permitted::StartProgram;
use crate::program::run::Stdin;
use crate::shared::output::Watcher;

/// A command that a tool runs.
pub struct CommandLine {
    /// Text for the shell, or a command with its arguments.
    pub what: What,
    /// Working directory; the sandbox's own by default.
    pub cwd: Option<String>,
    /// Variables that replace those of the sandbox.
    pub env: Option<Vec<(String, String)>>,
    /// Variables that are set, or removed, on top of those.
    pub changed: Vec<(String, Option<String>)>,
    /// Standard input.
    pub stdin: Stdin,
}

/// See [`CommandLine::what`].
#[derive(Debug)]
pub enum What {
    /// Text for `bash -c`. The permit, if there is one, is used by the program that it names; every
    /// other program that the shell starts is checked when it is started.
    Shell(String, Option<Permit<StartProgram>>),
    /// A program with its arguments, started without a shell.
    Arguments(Permit<StartProgram>, Vec<String>),
}

/// Result of a command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finished {
    /// Exit code as the shell shows it.
    pub exit_code: i32,
    /// Standard output, cut at its limit.
    pub stdout: Vec<u8>,
    /// Standard error, cut at its limit.
    pub stderr: Vec<u8>,
}

/// Runs commands in the sandbox of a tool. Programs that they start are checked when they are
/// started.
pub trait Commands: Send + Sync {
    /// Runs a command to its end, observed by a watcher. Dropping the future ends the command.
    fn run(
        &self,
        line: CommandLine,
        watcher: Option<Arc<dyn Watcher>>,
    ) -> Pin<Box<dyn Future<Output = Result<Finished, String>> + Send>>;
}
