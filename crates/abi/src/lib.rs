//! The data that crosses the gate between a cell and the host.
//!
//! Both sides build this crate: the host natively, the guests for WebAssembly. Everything that a
//! guest sends is hostile until [`wire::Reader`], which checks every bound, has decoded it.
//!
//! In reading order:
//! - [`wire`]: integers, lengths and bytes, little-endian
//! - [`call`]: the closed tables of host calls
//! - [`commands`]: names of the commands of the sandbox's shell
//! - [`dom`]: operations of a tool on a page
//! - [`frame`]: framing of requests and answers, alone or in batches
//! - [`entry`]: messages that enter and leave a cell
//! - [`message`]: messages between a page and a sandbox that share no memory
//! - [`process`]: data about processes and files that WASI cannot express
//! - [`value`]: JavaScript values by copy, with cycles and shared references

#![no_std]
extern crate alloc;

pub mod call;
pub mod commands;
pub mod dom;
pub mod entry;
pub mod frame;
pub mod message;
pub mod process;
pub mod value;
pub mod wire;

pub use call::{Call, ProgramCall, ToolCall};
pub use value::Value;
pub use wire::{Malformed, Reader, Writer};

/// Names of a guest's imports and exports, defined once so that both sides agree.
pub mod names {
    /// Module of a guest's imports.
    pub const IMPORT_MODULE: &str = "cofferdam";
    /// `call(request, request_len, answer, answer_cap) -> answer_len`.
    pub const IMPORT_CALL: &str = "call";
    /// `wait(ticket, answer, answer_cap) -> answer_len`: like `call`, but blocks until a pending
    /// call is answered. The guest's stack stays suspended meanwhile. For [`super::ANY_TICKET`] the
    /// answer is the packed [`super::entry::Entry::Resume`] of whatever comes first.
    pub const IMPORT_WAIT: &str = "wait";
    /// Runs once at build time, before the memory image is taken.
    pub const INIT: &str = "cofferdam_init";
    /// Runs in place of [`INIT`] for an image with more in it: in that of the JavaScript guest, the
    /// built-in modules of Node are loaded.
    pub const INIT_WITH_LIBRARY: &str = "cofferdam_init_with_library";
    /// `spent() -> (address << 32 | count)` of [`super::Range`]s that nothing reads after the
    /// initialisation. They are zero in the image.
    pub const SPENT: &str = "cofferdam_spent";
    /// `late() -> (address << 32 | count)` of [`super::Range`]s that the guest reads only after it
    /// has called [`IMPORT_LATE`].
    pub const LATE: &str = "cofferdam_late";
    /// `late()`: fills in the ranges of [`LATE`]. Only guests for browsers import it.
    pub const IMPORT_LATE: &str = "late";
    /// `enter(message, message_len) -> (address << 32 | length)` of the guest's reply.
    pub const ENTER: &str = "cofferdam_enter";
    /// `reserve(len) -> address` of a buffer for a message longer than [`super::INBOX_LEN`].
    pub const RESERVE: &str = "cofferdam_reserve";
    /// Address of a fixed buffer of [`super::INBOX_LEN`] bytes for short messages.
    pub const INBOX: &str = "cofferdam_inbox";
    /// Address of a `u32` that the host sets to ask the guest to stop.
    pub const INTERRUPT: &str = "cofferdam_interrupt";
    /// The linear memory.
    pub const MEMORY: &str = "memory";
}

/// A range of a guest's memory: address and length.
pub type Range = [u32; 2];

/// Ticket that waits for the first calls and timers that are settled. No call has this ticket.
pub const ANY_TICKET: u32 = 0;

/// Size of the guest's fixed inbox in bytes. Most messages fit and need no `reserve`.
pub const INBOX_LEN: usize = 4096;
