//! Runs guests under wasmtime, or under the browser's own WebAssembly if this crate is itself
//! compiled to WebAssembly. This is the only crate that names wasmtime.
//!
//! A [`Cell`] is one instance of an [`Image`]: it computes, and it can call its [`Host`] through
//! one import. It has a deadline, a memory limit, and a kill switch that works from any thread. A
//! cell cannot block the host, because it yields its thread to the executor at every slice.
//!
//! The contract, in reading order:
//! - `contract`: the traits that handle the calls of guests, and the ends of programs
//! - [`wasi`]: the table of WASI's functions
//! - `stop`: the ways to stop a cell
//! - `pool`: the number of cells
//! - `compile_worker`: the program that compiles modules
//! - `budget`, `memory`: the memory of programs
//! - [`alarm`]: the thread that interrupts computing cells and wakes sleeping tasks
//!
//! Under wasmtime:
//! - [`engine`]: wasmtime's settings and the pool of memories and stacks
//! - [`image`]: a guest compiled ahead of time and ready to be instantiated
//! - `code`: execution of native code in place
//! - [`embedded`]: the code of a guest inside the program, plain or packed
//! - `copies`: files with the code of guests, unpacked or copied
//! - [`cell`]: one instance
//! - [`park`]: the memory of a guest that waits for long
//! - `gate`: the imports, with every bound checked
//! - [`program`], [`program_image`], `imports`: cells for programs, which import WASI
//! - [`compiler`], `cache`: compiled modules from outside, in memory and on disk
//! - `worker`: a process that compiles one module
//! - `unfit`: reasons why a module cannot run, with advice
//! - `pieces`: splits long instructions, so that a program can be stopped within one
//! - [`imaging`] (feature): builds images
//! - `pacing` (feature): inserts checks into a guest, so that it can be stopped anywhere
//! - `segments` (feature): joins the data segments of an image for browsers
//! - `recursion` (feature): chooses functions to check so that every cycle of calls has a check
//!
//! In a browser:
//! - `browser`: the same types on top of the browser's WebAssembly

#[cfg_attr(target_family = "wasm", allow(dead_code, reason = "a browser has no alarm thread"))]
pub mod alarm;
mod budget;
mod compile_worker;
mod contract;
mod guest_files;
#[cfg(not(target_family = "wasm"))]
mod memory;
mod pool;
mod stop;
pub mod wasi;

#[cfg(not(target_family = "wasm"))]
mod cache;
#[cfg(not(target_family = "wasm"))]
pub mod cell;
#[cfg(not(target_family = "wasm"))]
mod code;
#[cfg(not(target_family = "wasm"))]
pub mod compiler;
#[cfg(not(target_family = "wasm"))]
mod copies;
#[cfg(not(target_family = "wasm"))]
pub mod embedded;
#[cfg(not(target_family = "wasm"))]
pub mod engine;
#[cfg(not(target_family = "wasm"))]
mod faults;
#[cfg(not(target_family = "wasm"))]
mod gate;
#[cfg(not(target_family = "wasm"))]
pub mod image;
#[cfg(feature = "imaging")]
pub mod imaging;
#[cfg(not(target_family = "wasm"))]
mod imports;
#[cfg(any(feature = "imaging", feature = "pacing"))]
mod pacing;
#[cfg(not(target_family = "wasm"))]
pub mod park;
#[cfg(any(not(target_family = "wasm"), feature = "pacing"))]
mod pieces;
#[cfg(not(target_family = "wasm"))]
pub mod program;
#[cfg(not(target_family = "wasm"))]
pub mod program_image;
#[cfg(any(feature = "imaging", feature = "pacing"))]
mod recursion;
#[cfg(feature = "imaging")]
mod segments;
#[cfg(not(target_family = "wasm"))]
mod symbols;
#[cfg(any(not(target_family = "wasm"), feature = "pacing"))]
mod unfit;
#[cfg(not(target_family = "wasm"))]
mod worker;

#[cfg(target_family = "wasm")]
pub mod browser;

pub use alarm::{Alarm, Ring, Sleep};
pub use budget::{Charge, MemoryBudget, ProgramLimits};
pub use compile_worker::CompileWorker;
pub use contract::{Finish, Host, Leave, Program, TrapKind};
pub use guest_files::GuestFiles;
pub use pool::Pool;
pub use stop::{KillSwitch, Limits, Stop};
pub use wasi::Import;

#[cfg(target_family = "wasm")]
pub use browser::{
    Cell, Compiler, Compiling, Embedded, Engine, GuestMemory, Image, Notice, ProgramEngine,
    ProgramImage, Resident, Unfit, execute,
};
#[cfg(not(target_family = "wasm"))]
pub use {
    cell::Cell,
    compiler::{Compiler, Compiling, Notice},
    embedded::{Embedded, Packed},
    engine::Engine,
    image::Image,
    memory::GuestMemory,
    park::Resident,
    program::execute,
    program_image::{ProgramEngine, ProgramImage},
    unfit::Unfit,
    worker::become_compiler,
};

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
