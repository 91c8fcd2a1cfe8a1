//! Processes as the shell sees them.

use std::time::Duration;

use crate::Fd;

/// Number of a process.
pub type Pid = u32;

/// A new process.
#[derive(Debug, Clone, Default)]
pub struct Spawn<'a> {
    /// An absolute path, or the bare name of a command that the sandbox has.
    pub program: &'a [u8],
    /// Arguments, the first being the name it goes by.
    pub argv: Vec<&'a [u8]>,
    /// Variables, each `NAME=value`.
    pub env: Vec<&'a [u8]>,
    /// Working directory, absolute.
    pub cwd: &'a [u8],
    /// Script number in the child, descriptor in this process. All others are closed.
    pub descriptors: Vec<(u32, Fd)>,
    /// Handed to the child, which finds it in [`Myself::state`]. Where it is not empty, the
    /// program is this one again, whatever `program` says.
    pub state: &'a [u8],
}

/// Which child to wait for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// The one that ends first.
    Any,
    /// This one.
    One(Pid),
}

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// By itself.
    Exited(u8),
    /// By a signal.
    Killed(u8),
}

impl Status {
    /// What `$?` says.
    pub fn code(self) -> i32 {
        match self {
            Status::Exited(code) => i32::from(code),
            Status::Killed(signal) => 128 + i32::from(signal),
        }
    }
}

/// What a process learns about itself.
#[derive(Debug, Clone, Default)]
pub struct Myself {
    /// Its number.
    pub pid: Pid,
    /// Its parent's number; 0 where there is none.
    pub parent: Pid,
    /// Where it was started, absolute.
    pub cwd: Vec<u8>,
    /// What its parent handed over.
    pub state: Vec<u8>,
    /// Signals that it was born ignoring, bit `n` for signal `n`.
    pub ignored: u64,
    /// Its arguments, the first being the name it goes by.
    pub args: Vec<Vec<u8>>,
    /// Its variables, each `NAME=value`.
    pub environment: Vec<Vec<u8>>,
    /// Its descriptors as far as somebody asked for them; see [`LISTED`].
    pub open: Vec<Fd>,
    /// The time, since 1970.
    pub now: Duration,
}

/// Script numbers that [`Myself::open`] knows about.
pub const LISTED: std::ops::Range<u32> = 3..10;
