//! The host side of a cell: owns what the guest only borrows, and answers its calls.
//!
//! In reading order:
//! - [`kernel`]: takes crossings apart, dispatches calls, keeps what is pending
//! - `calls`: one file per area of calls
//! - `guard`: calls that need a permit; [`denials`]: those that did not get one
//! - [`resources`]: what a sandbox owns and its runs use
//! - [`commands`]: commands that a tool runs
//! - `streams`: response bodies that a tool has not read to their end
//! - [`clock`], [`random`]: time and chance, real or fixed for tests and replay
//! - [`output`]: what the guest printed, cut at a limit

mod calls;
pub mod clock;
pub mod commands;
pub mod denials;
mod guard;
pub mod kernel;
pub mod output;
pub mod random;
pub mod resources;
mod streams;

pub use clock::Clock;
pub use commands::{CommandLine, Commands, Ran, What};
pub use denials::Denials;
pub use kernel::{Answers, Kernel, Settings};
pub use output::{Output, Stream, Watcher};
pub use random::Random;
pub use resources::Resources;
