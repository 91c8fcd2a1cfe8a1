//! The host side of a cell: owns the resources that guests use, and serves their calls.
//!
//! - `tool`: serves the cells of tools
//! - `program`: runs programs as processes
//! - [`permitted`]: resources as guests reach them, behind permits
//! - `shared`: resources, clock, randomness, output and errors of both
//! - `without`: stand-ins for features that are off

// Parts of `shared` serve features alone.
#![cfg_attr(not(all(feature = "dom", feature = "net")), allow(dead_code))]

pub mod permitted;
mod program;
mod shared;
mod tool;
#[cfg(not(all(feature = "dom", feature = "net")))]
mod without;

pub use program::errno::Errno;
pub use program::furniture;
pub use program::pipe::Writer;
pub use program::policy::{AllowAll, Denied, Exec, Policy};
pub use program::process::Process;
pub use program::run::{
    Command, Executable, Preopens, Ran, RanEnding, Stdin, Terminal, run as run_program, stdin,
};
pub use program::start_rules::StartRules;
pub use program::system::{
    Caps, Environment, Hits, Later, ProcessLimits, ProgramSetup, Programs, Reaper,
};
pub use program::tools::{Console, ToolLine, Tools};
pub use shared::allowance::Allowance;
pub use shared::call_error::CallError;
pub use shared::clock::Clock;
pub use shared::denials::Denials;
pub use shared::output::{Output, Stream, Watcher};
pub use shared::page::Shown;
#[cfg(feature = "dom")]
pub use shared::page::{Answered, Asked, Elsewhere};
pub use shared::random::Random;
pub use shared::resources::{self, Resources};
pub use shared::run_clock::RunClock;
pub use tool::Settled;
pub use tool::commands::{CommandLine, Commands, Finished, What};
pub use tool::kernel::{KeptCode, Kernel, Settings};
pub use tool::types::{TypesFailed, TypesStripper};
