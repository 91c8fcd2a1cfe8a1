//! The host side of a cell: owns the resources that guests use, and serves their calls.
//!
//! - `tool`: serves the cells of tools
//! - `program`: runs programs as processes
//! - [`permitted`]: resources as guests reach them, behind permits
//! - `shared`: resources, clock, randomness, output and errors of both

pub mod permitted;
mod program;
mod shared;
mod tool;

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
pub use shared::call_error::CallError;
pub use shared::clock::Clock;
pub use shared::denials::Denials;
pub use shared::output::{Output, Stream, Watcher};
pub use shared::page::{Answered, Asked, Elsewhere, Shown};
pub use shared::random::Random;
pub use shared::resources::{self, Resources};
pub use shared::run_clock::RunClock;
pub use tool::Settled;
pub use tool::commands::{CommandLine, Commands, Finished, What};
pub use tool::kernel::{KeptCode, Kernel, Settings};
