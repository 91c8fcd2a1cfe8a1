//! Runs code that nobody should trust: a fresh, empty world for every call.
//!
//! ```
//! use cofferdam::{Sandbox, Tool};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), cofferdam::Error> {
//! let sandbox = Sandbox::new()?;
//! let tool = Tool::javascript("return args.n + 1").args(serde_json::json!({ "n": 41 }));
//! let outcome = sandbox.run(&tool).await?;
//! assert_eq!(outcome.result_json(), Some(serde_json::json!(42)));
//! # Ok(())
//! # }
//! ```
//!
//! A tool that throws, runs out of time or hits a limit is an [`Outcome`]; [`Error`] means that
//! the sandbox itself could not do its work.
//!
//! In reading order:
//! - [`runtime`]: the engine and the guests, shared by all sandboxes
//! - [`sandbox`]: one isolated world, in which tools run
//! - [`tool`], [`limits`]: what runs, and how much it may use
//! - [`page`]: a page for tools, and what they find around them
//! - [`config`]: the boundary, as JSON
//! - [`content_policy`]: what grants open, as browsers say it
//! - [`function`]: what the embedding program lets tools call
//! - [`command`]: what runs as a process: commands of the shell, WASI programs
//! - `life`, `archive`: forks and snapshots of a sandbox, and one file for all of it
//! - [`run`]: a run under way, and how to end it
//! - [`session`]: a kept cell, in which variables stay between runs
//! - [`outcome`], [`error`]: what became of it
//! - [`json`]: values to JSON, saying what JSON cannot hold

mod allowlist;
mod archive;
pub mod command;
pub mod config;
pub mod content_policy;
mod drive;
pub mod error;
mod files;
pub mod function;
pub mod json;
mod life;
pub mod limits;
pub mod outcome;
pub mod page;
mod program;
mod reaper;
pub mod run;
pub mod runtime;
pub mod sandbox;
pub mod session;
mod shell_tools;
mod surface;
pub mod tool;
mod tool_commands;
mod typescript;

pub use cofferdam_abi::Value;
/// Grants, questions and the audit log; see [`Sandbox::permissions`].
pub use cofferdam_broker as permissions;
pub use cofferdam_broker::{Approver, Broker, PermissionError};
pub use cofferdam_caps::{Capability, visible};
/// Documents; see [`Sandbox::change_page`] and [`Sandbox::page_events`].
pub use cofferdam_dom as dom;
pub use cofferdam_kernel::{
    AllowAll, Clock, Denied, Output, Policy, Random, Stream, Watcher, Writer,
};
pub use cofferdam_net::Client;
pub use cofferdam_vfs::{HostDir, Mount};
pub use command::Command;
pub use content_policy::ContentPolicy;
pub use error::{Error, ErrorKind};
pub use function::Function;
pub use life::Snapshot;
pub use limits::{Limit, Limits};
pub use outcome::{Ending, ErrorClass, Exhausted, Outcome, ScriptError};
pub use page::Boundary;
pub use run::{Canceller, Run};
pub use runtime::{Pool, Runtime};
pub use sandbox::{Sandbox, SandboxBuilder};
pub use session::Session;
pub use tool::{Language, Tool};
