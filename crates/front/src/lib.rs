//! The part that the fronts of Cofferdam share: parameters of runs and sandboxes, starting runs, and
//! the JSON of questions, grants and requests.
//!
//! A front is a way to reach Cofferdam: JSON-RPC on standard input, HTTP, MCP. All of them take the
//! same parameters and return the same objects, so these live here once. Absent on purpose: any
//! transport, any identity of a client, and any decision.
//!
//! In reading order:
//!
//! - [`fields`]: names and JSON Schema of parameters and results
//! - [`exec`]: parameters, parsed into a run and its sandbox
//! - [`runner`]: starts runs, keeps sessions
//! - [`cache`]: the folder of compiled code
//! - `native`: starts real programs of the machine
//! - [`json`]: questions, grants, requests and audit lines as JSON
//! - [`lock`]: for state that the requests of a front share
//! - [`text`]: output in pieces, as whole characters

pub mod cache;
pub mod exec;
pub mod fields;
pub mod json;
mod lock;
mod native;
pub mod runner;
pub mod text;

pub use lock::lock;
