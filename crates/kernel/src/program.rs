//! Runs programs: processes, their descriptors, WASI preview 1 and the calls beyond it.
//!
//! In reading order:
//! - [`run`]: a program and all that it starts, from its first process to its end
//! - [`system`], `crew`, `table`, `signal`: state and scheduling of the processes of one run
//! - [`process`], `spawn`: one process, and finding its image
//! - [`policy`], [`start_rules`]: the embedder's policy and the grants decide what may start
//! - `calls`: host calls beyond WASI; [`tools`]: tools that a program runs; `upload`: bodies that
//!   a program sends from a descriptor
//! - `wasi`, `memory`, [`errno`]: WASI preview 1, one file per area
//! - `descriptor`, [`pipe`], `fifo`, `device`, `rights`: open files
//! - [`furniture`], `proc`: `/dev`, `/proc` and the commands of every sandbox
//! - `changes`: the audit of changes to folders of the host
//! - `last_words`: the message of a command that has no memory left

pub(crate) mod calls;
mod changes;
mod crew;
mod descriptor;
mod device;
pub(crate) mod errno;
mod fifo;
pub mod furniture;
mod last_words;
mod memory;
pub(crate) mod pipe;
pub(crate) mod policy;
mod proc;
pub(crate) mod process;
mod rights;
pub(crate) mod run;
mod signal;
mod spawn;
pub(crate) mod start_rules;
pub(crate) mod system;
mod table;
pub(crate) mod tools;
#[cfg(feature = "net")]
mod upload;
mod wasi;
