//! Runs a guest under wasmtime. The only crate that names wasmtime.
//!
//! A [`Cell`] is one instance of an [`Image`]: it computes, and it can call its [`Host`] through
//! one import. It has a deadline, a memory limit and a kill switch that works from any thread;
//! whatever it does, the host's threads go on, because a cell that computes for long hands its
//! thread back to the executor at every slice.
//!
//! In reading order:
//! - [`engine`]: settings of wasmtime, the pool of memories and stacks
//! - [`alarm`]: the one thread that rings for cells that compute, and wakes sleepers
//! - [`image`]: a guest compiled ahead of time, ready to be instantiated
//! - `code`: native code used where the program's file has it
//! - [`cell`]: one instance, and what stops it
//! - [`gate`]: the imports, with every bound checked
//! - [`program`], [`program_image`], [`imports`]: cells for programs, which import WASI
//! - [`compiler`], `cache`: a stranger's module made ready, in memory and on disk
//! - `unfit`: why a module cannot run, and what to do about it
//! - `pieces`: its long instructions in pieces, so that it can be stopped within one
//! - [`imaging`] (feature): makes images at build time
//! - `pacing` (feature): puts checks into a guest, so that it can be stopped anywhere
//! - `recursion` (feature): which functions need a check so that no cycle of calls is without

pub mod alarm;
mod cache;
pub mod cell;
mod code;
pub mod compiler;
pub mod engine;
mod faults;
mod gate;
pub mod image;
#[cfg(feature = "imaging")]
pub mod imaging;
pub mod imports;
#[cfg(feature = "imaging")]
mod pacing;
mod pieces;
pub mod program;
pub mod program_image;
#[cfg(feature = "imaging")]
mod recursion;
mod unfit;

pub use alarm::{Alarm, Ring, Sleep};
pub use cell::{Cell, KillSwitch, Limits, Stop};
pub use compiler::{Compiler, Compiling, Notice};
pub use engine::{Engine, Pool};
pub use gate::Host;
pub use image::Image;
pub use imports::Import;
pub use program::{Finish, Leave, MemoryBudget, Program, ProgramLimits, TrapKind, run_program};
pub use program_image::{ProgramEngine, ProgramImage};
pub use unfit::Unfit;

/// What went wrong on our side: the engine could not be made, an image does not fit it.
#[derive(Debug, Clone)]
pub struct Error {
    kind: ErrorKind,
    detail: String,
}

/// Kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The engine refused its settings, or the machine has no room for the pool.
    Engine,
    /// The image is damaged, or was made for other settings or another processor.
    Image,
    /// Every cell of the pool is in use.
    PoolFull,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, detail: impl ToString) -> Self {
        Error { kind, detail: detail.to_string() }
    }

    /// What kind it is.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.kind {
            ErrorKind::Engine => "engine: cannot be made",
            ErrorKind::Image => "guest image: cannot be loaded",
            ErrorKind::PoolFull => "pool: every cell is in use",
        };
        write!(f, "{what}: {}", self.detail)
    }
}

impl std::error::Error for Error {}
