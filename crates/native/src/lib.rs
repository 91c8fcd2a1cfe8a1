//! Real programs of the machine under the broker: the walls of `cofferdam-walls`, with every
//! question decided at the desk of a run.
//!
//! A call that leads out of the sandbox becomes a request like that of a tool. A permit becomes a
//! mount of the running sandbox; a denial is `EACCES` for the program and a line of JSON on its
//! standard error.
//!
//! In reading order:
//!
//! - [`Program`], [`Limits`]: a program to run
//! - `identify`: the identity that grants belong to
//! - [`Prepared`], [`Running`], [`Ran`]: a run, from start to end
//! - `managers`, `installed`: programs behind the stand-ins of version managers, and in folders of
//!   `PATH` that are the user's own
//! - `world`, `private`: what the program sees before anything is granted during the run
//! - `supervisor`: answers the calls
//! - [`Files`], [`Programs`]: files and programs behind permits
//! - `network`: names and connections of the program, and its requests
//! - `silent`, `told`: paths that are probed for and not meant; paths that shims ask
//! - `deno`: questions of Deno over the protocol of its permission broker
//! - [`Observer`], `clock`, `host`: output, time, and paths of the host

#![cfg(target_os = "linux")]

mod clock;
mod deno;
mod errno;
mod error;
mod executor;
mod files;
mod host;
mod identify;
mod installed;
mod managers;
mod network;
mod output;
mod private;
mod program;
mod run;
mod silent;
mod start;
mod supervisor;
mod told;
mod world;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use cofferdam_walls::{Found, Missing, Piece, become_launcher, is_inside, launch_ahead, probe};
pub use error::Error;
pub use files::{Files, ShowFile};
pub use output::{Observer, Stream, Written};
pub use program::{Limits, Program};
pub use run::{End, Killer, Prepared, Ran, Running};
pub use start::{Programs, StartFile};
pub use world::SHIMS;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
