//! Cells on the browser's own WebAssembly, for a host that is compiled to WebAssembly itself.
//!
//! Guests are instances beside the host, in the same worker, made by a few lines of JavaScript (the
//! *glue*). A guest calls the host directly. A call that has to wait suspends the guest's stack
//! (JavaScript Promise Integration), and the host resumes it with the answer. The host is never on
//! the stack while a guest computes, so a call finds everything in place.
//!
//! A guest has the checks of `pacing`. It gives the thread back to the event loop at every slice; a
//! guest that has to end is not resumed. Memory grows only through an import, so limits hold as they
//! do on the server.
//!
//! In reading order:
//! - `glue`: the functions of JavaScript that this module calls, all `unsafe` code of it
//! - `registry`: guests on the stack, and the functions that they call
//! - `memory`: access to a guest's memory, which is not the host's
//! - `engine`: names of guests in place of compiled images
//! - `cell`, `program`: tools and programs
//! - `prepare` (feature): modules from outside, with the checks that guests have

mod cell;
mod engine;
mod glue;
mod memory;
#[cfg(feature = "pacing")]
mod prepare;
mod program;
mod registry;

pub use crate::alarm::tick;
pub use cell::{Cell, Resident};
pub use engine::{
    Compiler, Compiling, Embedded, Engine, Image, Notice, ProgramEngine, ProgramImage, Unfit,
};
pub use memory::GuestMemory;
#[cfg(feature = "pacing")]
pub use prepare::{Prepared, prepare};
pub use program::execute;
