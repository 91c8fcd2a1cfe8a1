//! How much a run may use. Every limit is enforced where the thing is made, before it is made.

use std::time::Duration;

use crate::error::{Error, ErrorKind};

/// Limits of a run and of its sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Wall time of a run.
    pub time: Duration,
    /// Memory of each cell.
    pub memory_bytes: u64,
    /// Length of a tool's source or of a command.
    pub source_bytes: u64,
    /// Standard output that is kept.
    pub stdout_bytes: u64,
    /// Standard error that is kept.
    pub stderr_bytes: u64,
    /// Length of a result, as it is packed for the crossing.
    pub result_bytes: u64,
    /// Bytes in the sandbox's files.
    pub fs_bytes: u64,
    /// Number of the sandbox's files.
    pub file_count: u64,
    /// Processes at once.
    pub processes: u64,
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
        }
    }
}

/// One limit, by the name that callers use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Limit {
    Time,
    Memory,
    Source,
    Stdout,
    Stderr,
    Result,
    FsBytes,
    FileCount,
    Processes,
    /// Depth of calls; follows from the guest's stack and cannot be set.
    Stack,
    /// Length of something that a program makes in one step: a list of words, a padded number.
    /// The program's own, and cannot be set.
    Expansion,
}

impl Limit {
    /// Those that can be set, with their names.
    pub const NAMES: [(Limit, &'static str); 9] = [
        (Limit::Time, "timeoutMs"),
        (Limit::Memory, "memoryBytes"),
        (Limit::Source, "commandBytes"),
        (Limit::Stdout, "stdoutBytes"),
        (Limit::Stderr, "stderrBytes"),
        (Limit::Result, "resultBytes"),
        (Limit::FsBytes, "fsBytes"),
        (Limit::FileCount, "fileCount"),
        (Limit::Processes, "processes"),
    ];

    /// The name that callers use.
    pub fn name(self) -> &'static str {
        let found = Self::NAMES.iter().find(|(limit, _)| *limit == self);
        let fixed = if self == Limit::Expansion { "expansion" } else { "stack" };
        found.map_or(fixed, |(_, name)| name)
    }
}

impl Limits {
    /// Sets a limit by its name.
    pub fn set(&mut self, name: &str, value: u64) -> Result<(), Error> {
        let found = Limit::NAMES.iter().find(|(_, known)| *known == name);
        let Some((limit, _)) = found else {
            let known: Vec<_> = Limit::NAMES.iter().map(|(_, name)| *name).collect();
            let text = format!("{name}: unknown limit; the limits are {}", known.join(", "));
            return Err(Error::new(ErrorKind::Setting, text));
        };
        if value == 0 && matches!(limit, Limit::Time | Limit::Memory | Limit::Processes) {
            return Err(Error::new(ErrorKind::Setting, format!("{name}: must be more than 0")));
        }
        match limit {
            Limit::Time => self.time = Duration::from_millis(value),
            Limit::Memory => self.memory_bytes = value.min(4 << 30),
            Limit::Source => self.source_bytes = value,
            Limit::Stdout => self.stdout_bytes = value,
            Limit::Stderr => self.stderr_bytes = value,
            Limit::Result => self.result_bytes = value,
            Limit::FsBytes => self.fs_bytes = value,
            Limit::FileCount => self.file_count = value,
            Limit::Processes => self.processes = value,
            Limit::Stack | Limit::Expansion => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_sets_something() {
        for (_, name) in Limit::NAMES {
            let mut limits = Limits::default();
            assert_eq!(limits.set(name, 7), Ok(()));
            assert_ne!(limits, Limits::default(), "{name}");
        }
    }

    #[test]
    fn an_unknown_name_is_an_error_that_lists_the_known() {
        let error = Limits::default().set("timeout", 7).expect_err("unknown");
        assert!(error.to_string().contains("timeoutMs"), "{error}");
    }

    #[test]
    fn no_time_at_all_is_an_error() {
        assert!(Limits::default().set("timeoutMs", 0).is_err());
    }
}
