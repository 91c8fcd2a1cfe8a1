//! Runs guests under wasmtime. This is the only crate that names wasmtime.
//!
//! A [`Cell`] is one instance of an [`Image`]: it computes, and it can call its [`Host`] through
//! one import. It has a deadline, a memory limit, and a kill switch that works from any thread. A
//! cell cannot block the host, because it yields its thread to the executor at every slice.
//!
//! In reading order:
//! - [`engine`]: wasmtime's settings and the pool of memories and stacks
//! - [`alarm`]: the thread that interrupts computing cells and wakes sleeping tasks
//! - [`image`]: a guest compiled ahead of time and ready to be instantiated
//! - `code`: execution of native code in place
//! - [`cell`]: one instance, and the ways to stop it
//! - [`gate`]: the imports, with every bound checked
//! - [`program`], [`program_image`], [`imports`]: cells for programs, which import WASI
//! - [`compiler`], `cache`: compiled modules from outside, in memory and on disk
//! - `unfit`: reasons why a module cannot run, with advice
//! - `pieces`: splits long instructions, so that a program can be stopped within one
//! - [`imaging`] (feature): builds images
//! - `pacing` (feature): inserts checks into a guest, so that it can be stopped anywhere
//! - `recursion` (feature): chooses functions to check so that every cycle of calls has a check

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
pub use program::{Finish, Leave, MemoryBudget, Program, ProgramLimits, TrapKind, execute};
pub use program_image::{ProgramEngine, ProgramImage};
pub use unfit::Unfit;

/// A failure of the host: the engine could not be created, or an image does not fit it.
#[derive(Debug, Clone)]
pub struct Error {
    kind: ErrorKind,
    detail: String,
}

/// Category of an [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The engine refused its settings, or the machine has no room for the pool.
    Engine,
    /// The image is damaged, or was built for other settings or another processor.
    Image,
    /// All cells of the pool are in use.
    PoolFull,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, detail: impl ToString) -> Self {
        Error { kind, detail: detail.to_string() }
    }

    /// Returns the category of this error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.kind {
            ErrorKind::Engine => "engine: cannot be created",
            ErrorKind::Image => "guest image: cannot be loaded",
            ErrorKind::PoolFull => "pool: all cells are in use",
        };
        write!(f, "{what}: {}", self.detail)
    }
}

impl std::error::Error for Error {}
