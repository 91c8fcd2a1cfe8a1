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
//! - [`KeptSandbox`]: archives of sandboxes that are kept under a name
//! - `mark`: noticing changes of other processes without asking SQLite
//! - `place`: folders and file modes; `schema`: tables and versions; `failure`: errors

mod failure;
mod grants;
mod ledger;
mod lines;
mod mark;
mod place;
mod requests;
mod sandboxes;
mod schema;
mod sink;
mod store;
mod writer;

pub use lines::{Filter, MAX_LINES};
pub use place::user_path;
pub use requests::MAX_REQUESTS;
pub use sandboxes::{BadSandboxName, KeptSandbox, ListedSandbox, SandboxName};
pub use store::{Options, Store};
