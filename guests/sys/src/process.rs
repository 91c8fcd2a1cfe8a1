//! Process types: start parameters, exit status and self-description.

use std::time::Duration;

use crate::Fd;

/// A process number.
pub type Pid = u32;

/// Parameters for starting a process.
#[derive(Debug, Clone, Default)]
pub struct Spawn<'a> {
    /// An absolute path, or the bare name of a command built into the sandbox.
    pub program: &'a [u8],
    /// Arguments; the first is the program's name.
    pub argv: Vec<&'a [u8]>,
    /// Variables, each `NAME=value`.
    pub env: Vec<&'a [u8]>,
    /// Working directory, absolute.
    pub cwd: &'a [u8],
    /// Pairs of a script number in the child and a descriptor of this process. The child inherits
    /// no other descriptor.
    pub descriptors: Vec<(u32, Fd)>,
    /// State passed to the child in [`Myself::state`]. If it is not empty, the child runs this
    /// program again and `program` is ignored.
    pub state: &'a [u8],
}

/// Selects the child to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The first child that ends.
    Any,
    /// The child with this number.
    One(Pid),
}

/// Reason a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The process exited with this code.
    Exited(u8),
    /// The process was killed by this signal.
    Killed(u8),
}

impl Status {
    /// Returns the value of `$?` for this status: the exit code, or 128 plus the signal.
    pub fn code(self) -> i32 {
        match self {
            Status::Exited(code) => i32::from(code),
            Status::Killed(signal) => 128 + i32::from(signal),
        }
    }
}

/// Information about the current process.
#[derive(Debug, Clone, Default)]
pub struct Myself {
    /// Process number.
    pub pid: Pid,
    /// Parent's process number, or 0 if there is no parent.
    pub parent: Pid,
    /// Initial working directory, absolute.
    pub cwd: Vec<u8>,
    /// State passed by the parent in [`Spawn::state`].
    pub state: Vec<u8>,
    /// Signals ignored at start, bit `n` for signal `n`.
    pub ignored: u64,
    /// Arguments; the first is the program's name.
    pub args: Vec<Vec<u8>>,
    /// Environment variables, each `NAME=value`.
    pub environment: Vec<Vec<u8>>,
    /// Open descriptors among the script numbers in [`LISTED`].
    pub open: Vec<Fd>,
    /// Current time since 1970.
    pub now: Duration,
}

/// Script numbers that [`Myself::open`] reports on.
pub const LISTED: std::ops::Range<u32> = 3..10;
