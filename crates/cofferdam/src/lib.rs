//! Runs untrusted code: every call gets a fresh WebAssembly cell that may do nothing but compute
//! until something is granted.
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
//! // A tool may only compute. A denial names the capability to grant.
//! let sandbox = Sandbox::builder().file("/data/a", "secret").build()?;
//! let reader = Tool::javascript("return await require('fs').promises.readFile('/data/a', 'utf8')");
//! let Ending::Denied(denied) = sandbox.run(&reader).await?.ending else { panic!("allowed") };
//! assert_eq!(denied.required_permission(), "fs:read:/data/a");
//! sandbox.grant(Terms::new(denied.required_permission().parse()?, Span::Once))?;
//! assert_eq!(sandbox.run(&reader).await?.result_json(), Some(json!("secret")));
//!
//! // Every run ends at its limits.
//! let limits = Limits::default().with_time(Duration::from_millis(50));
//! let strict = Sandbox::builder().limits(limits).build()?;
//! let outcome = strict.run(&Tool::javascript("for (;;);")).await?;
//! assert_eq!(outcome.error_class(), Some(ErrorClass::Timeout));
//!
//! // Shell commands and WASI programs run in the same sandbox, and a sandbox can be forked.
//! let outcome = sandbox.run_program(Command::shell("rev < /data/a | tee b")).await?;
//! assert_eq!(outcome.stdout.text(), "terces");
//! let fork = sandbox.fork()?;
//! fork.run_program(Command::shell("echo mine > b")).await?;
//! assert_eq!(sandbox.read_file("/home/user/b", 100)?, b"terces");
//!
//! // Tools see copies of the parts of a page that they were granted.
//! let shop = Sandbox::builder().page("<h1>Shop</h1>").grant("dom:read:h1".parse()?).build()?;
//! let outcome = shop.run(&Tool::javascript("return btcp.dom.getTextContent('h1')")).await?;
//! assert_eq!(outcome.result_json(), Some(json!("Shop")));
//! # Ok(())
//! # }
//! ```
//!
//! A tool that throws, runs out of time or hits a limit is an [`Outcome`]. An [`Error`] means that
//! the sandbox itself could not do its work. `examples/` has five small programs: an agent loop,
//! a permission prompt, a code interpreter, a log analysis and a scraper.
//!
//! The futures need no particular executor. A run yields its thread every few milliseconds, so
//! that one thread serves many runs.
//!
//! Features, all on by default, each of which drops a dependency or a guest when it is off:
//! - `dom`: pages, and documents of tools ([`Boundary::Iframe`])
//! - `native`: real programs of the machine (Linux)
//! - `net`: `fetch` and `curl`
//! - `shell`: the shell and its commands; WASI programs run without it
//! - `typescript`: tools in TypeScript
//!
//! An operation whose feature is off fails with an error that names the feature.
//!
//! In reading order:
//! - [`runtime`]: the engine and the guests, shared by all sandboxes
//! - [`sandbox`]: one isolated sandbox, and its builder
//! - [`tool`], [`limits`]: a script to run, and the limits of a run
//! - [`page`]: the page of a sandbox, and the globals of tools
//! - [`config`]: the boundary, read from JSON
//! - [`content_policy`]: grants, described as a content security policy
//! - [`function`]: functions that the embedding program lends to tools
//! - `schema`: the schemas of their arguments and results
//! - [`command`]: programs to run as processes: shell commands, WASI modules
//! - `streams`: files that are read and written in pieces
//! - `native`: real programs of the machine behind walls of the operating system
//! - `life`, `archive`: forks, snapshots and archives of a sandbox
//! - [`run`]: a run under way, and handles to cancel it
//! - [`session`]: a kept cell, in which variables stay between runs
//! - [`outcome`], [`error`]: the result of a run, and failures of the sandbox itself
//! - [`permissions`], [`capabilities`]: grants, questions and the audit log; names of capabilities
//! - [`dom`]: documents, and pages held by another process
//! - [`json`]: values as JSON, with notes on what JSON cannot hold
//! - `guests`, `processor`: the embedded guests, and the processor features they were compiled for

/// Compiles and runs the program in the README.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

mod archive;
pub mod capabilities;
pub mod command;
pub mod config;
pub mod content_policy;
#[cfg(feature = "dom")]
pub mod dom;
mod drive;
pub mod error;
mod files;
pub mod function;
mod guests;
mod interrupted;
pub mod json;
mod life;
pub mod limits;
pub mod message;
#[cfg(all(feature = "native", target_os = "linux"))]
pub mod native;
pub mod outcome;
pub mod page;
pub mod permissions;
#[cfg(not(target_family = "wasm"))]
mod processor;
mod program;
mod reaper;
pub mod run;
pub mod runtime;
pub mod sandbox;
mod schema;
pub mod script;
pub mod session;
mod shell_tools;
mod streams;
mod surface;
pub mod tool;
mod tool_commands;
mod typescript;

/// Settings of a [`Client`].
#[cfg(feature = "net")]
pub mod client {
    #[cfg(not(target_family = "wasm"))]
    pub use cofferdam_net::{Never, Settings};
    #[cfg(target_family = "wasm")]
    pub use cofferdam_net::{Page, PageRequest, PageResponse, Settings};
}

pub use capabilities::{Capability, shell_word, visible};
pub use cofferdam_abi::Value;
pub use cofferdam_archive::{ArchiveSeal, SealKey};
pub use cofferdam_cell::CompileWorker;
#[cfg(not(target_family = "wasm"))]
pub use cofferdam_cell::become_compiler;
pub use cofferdam_kernel::{
    AllowAll, Clock, Denied, Exec, Output, Policy, Random, Stream, Watcher, Writer,
};
#[cfg(feature = "net")]
pub use cofferdam_net::Client;
pub use cofferdam_vfs::{HostDir, Mount};
pub use command::Command;
pub use content_policy::ContentPolicy;
pub use error::{Error, ErrorKind};
pub use files::FolderEntry;
pub use function::{Function, Signature};
pub use life::Snapshot;
pub use limits::{Limit, Limits};
pub use outcome::{Ending, ErrorClass, Exhausted, Outcome, Position, ScriptError, Unseen};
pub use page::Boundary;
pub use permissions::{Approver, Broker, PermissionError};
#[cfg(not(target_family = "wasm"))]
pub use processor::processor_features;
pub use run::{Canceller, Run, RunSettings};
pub use runtime::{Notice, Pool, Runtime};
pub use sandbox::{Sandbox, SandboxBuilder};
pub use script::Input;
pub use session::Session;
pub use streams::{FileReader, FileWriter};
pub use tool::{Language, Tool};
