//! Commands that a tool runs in its sandbox.

use std::future::Future;
use std::pin::Pin;

/// What a tool wants to run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandLine {
    /// Text for the shell, or a command with its arguments.
    pub what: What,
    /// Where; the sandbox's own directory if not said.
    pub cwd: Option<String>,
    /// Variables in place of the sandbox's.
    pub env: Option<Vec<(String, String)>>,
    /// What it reads on standard input.
    pub stdin: Vec<u8>,
    /// The command that was permitted already, and is not to be asked about when it is started.
    pub permitted: Option<String>,
}

/// See [`CommandLine::what`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Run as with `bash -c`.
    Shell(String),
    /// Run without a shell; never empty.
    Arguments(Vec<String>),
}

impl Default for What {
    fn default() -> Self {
        What::Shell(String::new())
    }
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
