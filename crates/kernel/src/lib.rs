//! The host side of a cell: owns what the guest only borrows, and answers its calls.
//!
//! In reading order:
//! - [`kernel`]: takes crossings apart, dispatches calls, keeps what is pending
//! - `calls`: one file per area of calls
//! - `guard`: calls that need a permit; [`denials`]: those that did not get one
//! - `asking`: whether somebody is being asked
//! - [`resources`]: what a sandbox owns and its runs use
//! - [`commands`]: commands that a tool runs; [`tools`]: tools that a program runs
//! - `streams`: response bodies that a tool has not read to their end
//! - `uploads`: request bodies that a tool sends while it makes them
//! - [`run`]: a program and all that it starts, from its first process to its end
//! - `system`, `crew`, `table`, `signal`: what the processes of a run share, who runs them, who
//!   waits for whom
//! - `process`, `spawn`, [`policy`]: one process, what a name stands for, who may start what
//! - `changes`: what programs change outside the sandbox, noted before
//! - `descriptor`, `pipe`, `fifo`, `device`, `rights`: what is open
//! - `wasi`, `memory`, [`errno`]: WASI preview 1, one file per area
//! - [`furniture`], `proc`: what every sandbox has in its files: `/dev`, `/proc`, commands
//! - [`clock`], [`random`]: time and chance, real or fixed for tests and replay
//! - [`output`]: what the guest printed, cut at a limit

mod answers;
mod asking;
mod calls;
mod changes;
pub mod clock;
pub mod commands;
mod crew;
pub mod denials;
mod descriptor;
mod device;
pub mod errno;
mod fifo;
pub mod furniture;
mod guard;
pub mod kernel;
mod lock;
mod memory;
mod numbered;
pub mod output;
pub mod page;
mod pipe;
pub mod policy;
mod proc;
mod process;
pub mod random;
pub mod resources;
mod rights;
pub mod run;
mod signal;
mod spawn;
mod streams;
mod system;
mod table;
mod term;
pub mod tools;
mod types;
mod uploads;
mod view;
mod wasi;

pub use answers::Answers;
pub use asking::Asking;
pub use clock::Clock;
pub use commands::{CommandLine, Commands, Finished, What};
pub use denials::Denials;
pub use errno::Errno;
pub use kernel::{KeptCode, Kernel, Settings};
pub use output::{Output, Stream, Watcher};
pub use page::{Answered, Asked, Elsewhere, Shown};
pub use pipe::Writer;
pub use policy::{AllowAll, Denied, Exec, Policy};
pub use process::Process;
pub use random::Random;
pub use resources::Resources;
pub use run::{
    Command, Executable, Preopens, Ran, RanEnding, Stdin, Terminal, run as run_program, stdin,
};
pub use system::{Caps, Environment, Hits, Later, ProcessLimits, Programs, Reaper, World};
pub use term::Term;
pub use tools::{Console, ToolLine, Tools};
pub use types::{TypesFailed, TypesStripper};
