//! Durable grants, requests and audit log, in one SQLite file.
//!
//! A [`Store`] is a [`Ledger`](cofferdam_broker::Ledger) and a
//! [`Sink`](cofferdam_broker::Sink): give the same one to
//! [`Broker::setup`](cofferdam_broker::Broker::setup) twice. Several processes may have the same
//! file open. What a function of those traits says it has done survives a crash of the machine;
//! lines that were only offered survive a crash once they were flushed.
//!
//! Headers that grants carry are in the file in plain text. It and its folder are readable by
//! their owner alone.
//!
//! Absent on purpose: the decision whether something is granted, which is the broker's, and any
//! way on when the file is locked, full, read-only or damaged but an error that says so.
//!
//! In reading order:
//!
//! - [`Store`]: opening one
//! - `ledger`, `grants`, `requests`: the tables behind the first trait
//! - `sink`, `writer`, [`Filter`]: the audit log, written and read
//! - `mark`: how another process's change is seen without asking SQLite
//! - `place`: folders and modes; `schema`, `failure`: what the names say

mod failure;
mod grants;
mod ledger;
mod lines;
mod mark;
mod place;
mod requests;
mod schema;
mod sink;
mod store;
mod writer;

pub use lines::{Filter, MAX_LINES};
pub use place::user_path;
pub use requests::MAX_REQUESTS;
pub use store::{Options, Store};
