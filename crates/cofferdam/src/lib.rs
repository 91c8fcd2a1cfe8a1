//! Runs code that nobody should trust: a fresh, empty world for every call.
//!
//! ```
//! use std::time::Duration;
//!
//! use cofferdam::permissions::{Span, Terms};
//! use cofferdam::{Command, Ending, ErrorClass, Limits, Sandbox, Tool};
//! use serde_json::json;
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // A tool is the body of an async function of `(btcp, args)`.
//! let sandbox = Sandbox::new()?;
//! let tool = Tool::javascript("return args.n + 1").args(json!({ "n": 41 }));
//! let outcome = sandbox.run(&tool).await?;
//! assert_eq!(outcome.result_json(), Some(json!(42)));
//!
//! // It may only compute. A denial says what to grant, and can be granted.
//! let sandbox = Sandbox::builder().file("/data/a", "secret").build()?;
//! let reader = Tool::javascript("return await require('fs').promises.readFile('/data/a', 'utf8')");
//! let Ending::Denied(denied) = sandbox.run(&reader).await?.ending else { panic!("allowed") };
//! assert_eq!(denied.required_permission(), "fs:read:/data/a");
//! sandbox.grant(Terms::new(denied.required_permission().parse()?, Span::Once))?;
//! assert_eq!(sandbox.run(&reader).await?.result_json(), Some(json!("secret")));
//!
//! // Whatever it does, it ends.
//! let limits = Limits { time: Duration::from_millis(50), ..Limits::default() };
//! let strict = Sandbox::builder().limits(limits).build()?;
//! let outcome = strict.run(&Tool::javascript("for (;;);")).await?;
//! assert_eq!(outcome.error_class(), Some(ErrorClass::Timeout));
//!
//! // Commands of the shell and WASI programs run in the same world, and a world can be forked.
//! let outcome = sandbox.run_program(Command::shell("rev < /data/a | tee b")).await?;
//! assert_eq!(outcome.stdout.text(), "terces");
//! let fork = sandbox.fork()?;
//! fork.run_program(Command::shell("echo mine > b")).await?;
//! assert_eq!(sandbox.read_file("/home/user/b", 100)?, b"terces");
//!
//! // A page, of which tools see copies of what they were granted.
//! let shop = Sandbox::builder().page("<h1>Shop</h1>").grant("dom:read:h1".parse()?).build()?;
//! let outcome = shop.run(&Tool::javascript("return btcp.dom.getTextContent('h1')")).await?;
//! assert_eq!(outcome.result_json(), Some(json!("Shop")));
//! # Ok(())
//! # }
//! ```
//!
//! A tool that throws, runs out of time or hits a limit is an [`Outcome`]; [`Error`] means that
//! the sandbox itself could not do its work. `examples/` has five small programs: an agent loop,
//! a permission prompt, a code interpreter, a log analysis and a scraper.
//!
//! The futures need no particular executor; a run gives its thread back every few milliseconds,
//! so that one thread serves many.
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
//! - `processor`: what the guests were compiled for

/// The program in the README compiles and runs.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

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
pub mod message;
pub mod outcome;
pub mod page;
mod processor;
mod program;
mod reaper;
pub mod run;
pub mod runtime;
pub mod sandbox;
pub mod script;
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
/// Names of what may be granted, and why a text is none.
pub use cofferdam_caps as capabilities;
pub use cofferdam_caps::{Capability, visible};
/// Documents; see [`Sandbox::change_page`] and [`Sandbox::page_events`].
pub use cofferdam_dom as dom;
pub use cofferdam_kernel::{
    AllowAll, Clock, Denied, Exec, Output, Policy, Random, Stream, Watcher, Writer,
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
pub use processor::processor_features;
pub use run::{Canceller, Run};
pub use runtime::{Notice, Pool, Runtime};
pub use sandbox::{Sandbox, SandboxBuilder};
pub use script::Input;
pub use session::Session;
pub use tool::{Language, Tool};
