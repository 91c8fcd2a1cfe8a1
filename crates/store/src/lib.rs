//! Durable grants, requests and audit log, in one SQLite file; kept sandboxes in files beside it.
//!
//! A [`Store`] is a [`Ledger`](cofferdam_broker::Ledger) and a [`Sink`](cofferdam_broker::Sink):
//! pass the same store to [`Broker::setup`](cofferdam_broker::Broker::setup) twice. Several
//! processes may open the same file. Whatever a method of those traits reports as done survives a
//! crash of the machine; lines that were only offered survive it once they are flushed.
//!
//! Secret headers of grants are stored in plain text. The file and its folder are accessible to
//! their owner alone.
//!
//! Absent on purpose: the decision whether a request is granted, which the broker makes, and any
//! fallback if the file is locked, full, read-only or damaged. Each of these is an error.
//!
//! In reading order:
//!
//! - [`Store`]: opening and transactions
//! - `ledger`, `grants`, `requests`: the first trait and its tables
//! - `sink`, `writer`, [`Filter`]: writing and reading the audit log
//! - [`OneRun`], `outline`, `spool`: a run that needs nothing of the store does without opening it
//! - [`KeptSandbox`]: archives of sandboxes that are kept under a name
//! - [`Agent`], `credentials`: tokens of agents, login codes and cookies of approvers, as hashes
//! - [`Front`], [`OpenQuestion`], [`KeyedRun`], [`SavedSandbox`]: servers, the questions of their
//!   runs, runs that must not be repeated, and sandboxes that outlive a server
//! - [`ToolVersion`]: registered tools
//! - `mark`: noticing changes of other processes without asking SQLite
//! - `connections`: connections to the file, opened when they are first needed
//! - `place`: folders and file modes; `schema`: tables and versions; `failure`: errors

mod agents;
mod connections;
mod credentials;
mod failure;
mod fronts;
mod grants;
mod ledger;
mod lines;
mod mark;
mod one_run;
mod outline;
mod passkeys;
mod place;
mod questions;
mod requests;
mod runs;
mod sandboxes;
mod saved_sandboxes;
mod schema;
mod sink;
mod spool;
mod store;
mod tools;
mod writer;

pub use agents::Agent;
pub use credentials::Credential;
pub use fronts::{Front, FrontInfo, Pulse};
pub use lines::{Filter, MAX_LINES};
pub use one_run::OneRun;
pub use passkeys::Passkey;
pub use place::user_path;
pub use questions::OpenQuestion;
pub use requests::MAX_REQUESTS;
pub use runs::{Claim, KeyedRun};
pub use sandboxes::{BadSandboxName, KeptSandbox, ListedSandbox, SandboxName};
pub use saved_sandboxes::SavedSandbox;
pub use store::{Options, Store};
pub use tools::ToolVersion;
pub use writer::WriterStart;
