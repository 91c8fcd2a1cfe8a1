//! Limits of a run and of its sandbox. Each limit is enforced where the resource is made, before
//! it is made.

use std::time::Duration;

use crate::error::{Error, ErrorKind};

/// Largest memory of a cell: all that 32-bit addresses reach.
const MAX_MEMORY: u64 = 4 << 30;

/// Bounds of a single call: what the surface itself needs, and the longest message of a guest.
const MIN_CALL: u64 = 64 << 10;
const MAX_CALL: u64 = 255 << 20;

/// Limits of a run and of its sandbox.
///
/// Start from [`Limits::default`] and change single limits. Values that would let nothing run are
/// refused by [`Limits::set`] at once, and otherwise by [`SandboxBuilder::build`].
///
/// ```
/// # use std::time::Duration;
/// # use cofferdam::{ErrorKind, Limits, Sandbox};
/// let limits = Limits::default().with_time(Duration::from_secs(2)).with_memory_bytes(128 << 20);
/// assert_eq!(limits.memory_bytes(), 128 << 20);
///
/// let no_time = Limits::default().with_time(Duration::ZERO);
/// let error = Sandbox::builder().limits(no_time).build().err().expect("a refusal");
/// assert_eq!(error.kind(), ErrorKind::BadOption);
/// ```
///
/// [`SandboxBuilder::build`]: crate::SandboxBuilder::build
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    pub(crate) time: Duration,
    pub(crate) memory_bytes: u64,
    pub(crate) source_bytes: u64,
    pub(crate) stdout_bytes: u64,
    pub(crate) stderr_bytes: u64,
    pub(crate) result_bytes: u64,
    pub(crate) fs_bytes: u64,
    pub(crate) file_count: u64,
    pub(crate) processes: u64,
    pub(crate) call_bytes: u64,
    pub(crate) fetch_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            time: Duration::from_secs(30),
            memory_bytes: 64 << 20,
            source_bytes: 64 << 10,
            stdout_bytes: 1 << 20,
            stderr_bytes: 1 << 20,
            result_bytes: 1 << 20,
            fs_bytes: 256 << 20,
            file_count: 10_000,
            processes: 64,
            call_bytes: 16 << 20,
            fetch_bytes: 10 << 20,
        }
    }
}

impl Limits {
    /// Wall time of a run.
    pub fn time(&self) -> Duration {
        self.time
    }

    /// Memory of each cell.
    pub fn memory_bytes(&self) -> u64 {
        self.memory_bytes
    }

    /// Length of a tool's source or of a shell command.
    pub fn source_bytes(&self) -> u64 {
        self.source_bytes
    }

    /// Length of the standard output that is kept.
    pub fn stdout_bytes(&self) -> u64 {
        self.stdout_bytes
    }

    /// Length of the standard error that is kept.
    pub fn stderr_bytes(&self) -> u64 {
        self.stderr_bytes
    }

    /// Length of a result, as it is encoded for the crossing.
    pub fn result_bytes(&self) -> u64 {
        self.result_bytes
    }

    /// Bytes in the sandbox's files.
    pub fn fs_bytes(&self) -> u64 {
        self.fs_bytes
    }

    /// Number of the sandbox's files.
    pub fn file_count(&self) -> u64 {
        self.file_count
    }

    /// Number of processes at once.
    pub fn processes(&self) -> u64 {
        self.processes
    }

    /// Length of one host call of a tool and of its answer, such as a file read at once.
    pub fn call_bytes(&self) -> u64 {
        self.call_bytes
    }

    /// Length of the body of a request and of a response.
    pub fn fetch_bytes(&self) -> u64 {
        self.fetch_bytes
    }

    /// Sets the wall time of a run; must be more than 0.
    pub fn with_time(self, time: Duration) -> Self {
        Limits { time, ..self }
    }

    /// Sets the memory of each cell; must be more than 0, and is capped at 4 GiB.
    pub fn with_memory_bytes(self, bytes: u64) -> Self {
        Limits { memory_bytes: bytes.min(MAX_MEMORY), ..self }
    }

    /// Sets the length of a tool's source or of a shell command.
    pub fn with_source_bytes(self, bytes: u64) -> Self {
        Limits { source_bytes: bytes, ..self }
    }

    /// Sets the length of the standard output that is kept.
    pub fn with_stdout_bytes(self, bytes: u64) -> Self {
        Limits { stdout_bytes: bytes, ..self }
    }

    /// Sets the length of the standard error that is kept.
    pub fn with_stderr_bytes(self, bytes: u64) -> Self {
        Limits { stderr_bytes: bytes, ..self }
    }

    /// Sets the length of a result.
    pub fn with_result_bytes(self, bytes: u64) -> Self {
        Limits { result_bytes: bytes, ..self }
    }

    /// Sets the bytes in the sandbox's files.
    pub fn with_fs_bytes(self, bytes: u64) -> Self {
        Limits { fs_bytes: bytes, ..self }
    }

    /// Sets the number of the sandbox's files.
    pub fn with_file_count(self, count: u64) -> Self {
        Limits { file_count: count, ..self }
    }

    /// Sets the number of processes at once; must be more than 0.
    pub fn with_processes(self, count: u64) -> Self {
        Limits { processes: count, ..self }
    }

    /// Sets the length of one host call of a tool and of its answer; between 64 KiB and 255 MiB.
    pub fn with_call_bytes(self, bytes: u64) -> Self {
        Limits { call_bytes: bytes.clamp(MIN_CALL, MAX_CALL), ..self }
    }

    /// Sets the length of the body of a request and of a response.
    pub fn with_fetch_bytes(self, bytes: u64) -> Self {
        Limits { fetch_bytes: bytes, ..self }
    }

    /// Sets a limit by the name that callers use, such as `timeoutMs`.
    ///
    /// Returns an error, and changes nothing, if there is no such limit or the value would let
    /// nothing run.
    pub fn set(&mut self, name: &str, value: u64) -> Result<(), Error> {
        let Some(limit) = Limit::SETTABLE.iter().find(|limit| limit.name() == name) else {
            let known: Vec<_> = Limit::SETTABLE.iter().map(|limit| limit.name()).collect();
            let text = format!("{name}: unknown limit; the limits are {}", known.join(", "));
            return Err(Error::new(ErrorKind::BadOption, text));
        };
        let changed = match limit {
            Limit::Time => self.with_time(Duration::from_millis(value)),
            Limit::Memory => self.with_memory_bytes(value),
            Limit::Source => self.with_source_bytes(value),
            Limit::Stdout => self.with_stdout_bytes(value),
            Limit::Stderr => self.with_stderr_bytes(value),
            Limit::Result => self.with_result_bytes(value),
            Limit::FsBytes => self.with_fs_bytes(value),
            Limit::FileCount => self.with_file_count(value),
            Limit::Processes => self.with_processes(value),
            Limit::Call => self.with_call_bytes(value),
            Limit::Fetch => self.with_fetch_bytes(value),
            Limit::HostMemory | Limit::Compiling | Limit::Stack | Limit::Expansion => *self,
        };
        changed.check()?;
        *self = changed;
        Ok(())
    }

    /// Returns a limit by the name that callers use, or `None` if there is no such limit.
    pub fn get(&self, name: &str) -> Option<u64> {
        let limit = Limit::SETTABLE.iter().find(|limit| limit.name() == name)?;
        match limit {
            Limit::Time => Some(u64::try_from(self.time.as_millis()).unwrap_or(u64::MAX)),
            Limit::Memory => Some(self.memory_bytes),
            Limit::Source => Some(self.source_bytes),
            Limit::Stdout => Some(self.stdout_bytes),
            Limit::Stderr => Some(self.stderr_bytes),
            Limit::Result => Some(self.result_bytes),
            Limit::FsBytes => Some(self.fs_bytes),
            Limit::FileCount => Some(self.file_count),
            Limit::Processes => Some(self.processes),
            Limit::Call => Some(self.call_bytes),
            Limit::Fetch => Some(self.fetch_bytes),
            Limit::HostMemory | Limit::Compiling | Limit::Stack | Limit::Expansion => None,
        }
    }

    /// Refuses limits that would let nothing run.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let needed = [
            (Limit::Time, self.time.is_zero()),
            (Limit::Memory, self.memory_bytes == 0),
            (Limit::Processes, self.processes == 0),
        ];
        match needed.iter().find(|(_, is_zero)| *is_zero) {
            Some((limit, _)) => {
                let text = format!("{}: must be more than 0", limit.name());
                Err(Error::new(ErrorKind::BadOption, text))
            }
            None => Ok(()),
        }
    }
}

/// One of the [`Limits`], or a limit that follows from the guest and cannot be set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// Wall time of a run.
    Time,
    /// Memory of a cell.
    Memory,
    /// Length of a tool's source or of a shell command.
    Source,
    /// Length of standard output.
    Stdout,
    /// Length of standard error.
    Stderr,
    /// Length of a result.
    Result,
    /// Bytes in the sandbox's files.
    FsBytes,
    /// Number of the sandbox's files.
    FileCount,
    /// Number of processes at once.
    Processes,
    /// Length of one host call of a tool and of its answer.
    Call,
    /// Length of the body of a request and of a response.
    Fetch,
    /// Memory that the host holds for a run: pending calls and the memory of its processes.
    /// Four times the memory of a cell; cannot be set.
    HostMemory,
    /// Memory of the process that compiles a WASI program; cannot be set for a run.
    Compiling,
    /// Depth of calls. Follows from the guest's stack and cannot be set.
    Stack,
    /// Length of a value that the shell builds in one step, such as a list of words or a padded
    /// number. Fixed in the shell and cannot be set.
    Expansion,
}

impl Limit {
    /// The limits that can be set.
    pub const SETTABLE: &'static [Limit] = &[
        Limit::Time,
        Limit::Memory,
        Limit::Source,
        Limit::Stdout,
        Limit::Stderr,
        Limit::Result,
        Limit::FsBytes,
        Limit::FileCount,
        Limit::Processes,
        Limit::Call,
        Limit::Fetch,
    ];

    /// Returns the name that callers use.
    pub fn name(self) -> &'static str {
        match self {
            Limit::Time => "timeoutMs",
            Limit::Memory => "memoryBytes",
            Limit::Source => "commandBytes",
            Limit::Stdout => "stdoutBytes",
            Limit::Stderr => "stderrBytes",
            Limit::Result => "resultBytes",
            Limit::FsBytes => "fsBytes",
            Limit::FileCount => "fileCount",
            Limit::Processes => "processes",
            Limit::Call => "callBytes",
            Limit::Fetch => "fetchBytes",
            Limit::HostMemory => "hostMemoryBytes",
            Limit::Compiling => "compilingBytes",
            Limit::Stack => "stack",
            Limit::Expansion => "expansion",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sandbox;

    #[test]
    fn every_name_sets_something() {
        for limit in Limit::SETTABLE {
            let mut limits = Limits::default();
            assert_eq!(limits.set(limit.name(), 7), Ok(()));
            assert_ne!(limits, Limits::default(), "{}", limit.name());
        }
    }

    #[test]
    fn an_unknown_name_is_an_error_that_lists_the_known() {
        let error = Limits::default().set("timeout", 7).expect_err("unknown");
        assert!(error.to_string().contains("timeoutMs"), "{error}");
    }

    #[test]
    fn a_refused_value_changes_nothing() {
        let mut limits = Limits::default();
        assert!(limits.set("timeoutMs", 0).is_err());
        assert_eq!(limits, Limits::default());
    }

    #[test]
    fn no_sandbox_is_made_with_limits_that_let_nothing_run() {
        let limits = Limits::default();
        for (limits, name) in [
            (limits.with_time(Duration::ZERO), "timeoutMs"),
            (limits.with_memory_bytes(0), "memoryBytes"),
            (limits.with_processes(0), "processes"),
        ] {
            let error = Sandbox::builder().limits(limits).build().err().expect("a refusal");
            assert_eq!(error.kind(), ErrorKind::BadOption);
            assert_eq!(error.to_string(), format!("{name}: must be more than 0"));
        }
    }
}
