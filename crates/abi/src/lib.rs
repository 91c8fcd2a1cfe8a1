//! What crosses the gate between a cell and the host, and nothing else.
//!
//! Both sides build this crate: the host natively, the guests for WebAssembly. Whatever a guest
//! sends is hostile until it went through [`wire::Reader`], which checks every bound.
//!
//! In reading order:
//! - [`wire`]: integers, lengths and bytes, little-endian
//! - [`call`]: the closed tables of host calls
//! - [`commands`]: names of what the sandbox's shell can run
//! - [`dom`]: what a tool can ask of a page
//! - [`frame`]: how requests and answers are packed, alone or in batches
//! - [`entry`]: what the host says when it enters a cell, and what the guest says when it leaves
//! - [`message`]: the same as messages between a page and a sandbox, where nothing can cross
//! - [`process`]: what programs tell the host about processes and files beyond WASI
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

/// Names of what a guest imports and exports; one place so that both sides agree.
pub mod names {
    /// Module of a guest's imports.
    pub const IMPORT_MODULE: &str = "cofferdam";
    /// `call(request, request_len, answer, answer_cap) -> answer_len`.
    pub const IMPORT_CALL: &str = "call";
    /// `wait(ticket, answer, answer_cap) -> answer_len`: the same for the answer to a pending call,
    /// for a guest that cannot go on without it. Its stack waits.
    pub const IMPORT_WAIT: &str = "wait";
    /// Run once at build time, before the memory image is taken.
    pub const INIT: &str = "cofferdam_init";
    /// `enter(message, message_len) -> (address << 32 | length)` of the guest's reply.
    pub const ENTER: &str = "cofferdam_enter";
    /// `reserve(len) -> address` of room for a message longer than [`super::INBOX_LEN`].
    pub const RESERVE: &str = "cofferdam_reserve";
    /// Address of a fixed buffer of [`super::INBOX_LEN`] bytes for short messages.
    pub const INBOX: &str = "cofferdam_inbox";
    /// Address of a `u32` that the host sets to ask the guest to stop by itself.
    pub const INTERRUPT: &str = "cofferdam_interrupt";
    /// The linear memory.
    pub const MEMORY: &str = "memory";
}

/// Bytes of the guest's fixed inbox: most messages fit and need no `reserve`.
pub const INBOX_LEN: usize = 4096;
