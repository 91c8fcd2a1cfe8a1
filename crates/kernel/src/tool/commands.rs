//! Commands that a tool runs in its sandbox.

use std::future::Future;
use std::pin::Pin;

use cofferdam_broker::Permit;

use crate::permitted::StartProgram;

/// A command that a tool runs.
#[derive(Debug)]
pub struct CommandLine {
    /// Text for the shell, or a command with its arguments.
    pub what: What,
    /// Where; the sandbox's own directory if not said.
    pub cwd: Option<String>,
    /// Variables in place of the sandbox's.
    pub env: Option<Vec<(String, String)>>,
    /// What it reads on standard input.
    pub stdin: Vec<u8>,
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

/// What became of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Finished {
    /// As the shell would show it.
    pub exit_code: i32,
    /// Standard output, cut at its limit.
    pub stdout: Vec<u8>,
    /// Standard error, cut at its limit.
    pub stderr: Vec<u8>,
}

/// Runs commands in the sandbox of a tool. What they start is checked where it is started.
pub trait Commands: Send + Sync {
    /// Runs one to its end. Dropped, it ends.
    fn run(
        &self,
        line: CommandLine,
    ) -> Pin<Box<dyn Future<Output = Result<Finished, String>> + Send>>;
}
