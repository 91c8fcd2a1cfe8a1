//! What a program asks of the system beyond files: processes, descriptors, signals, modes.
//!
//! In a cell every question is one call through the gate. On a real Unix the same questions go
//! to the operating system, so that the shell can be tested beside a real one.
//!
//! Two kinds of descriptor numbers exist. A [`Fd`] is a number of this process, as `read` and
//! `write` take it. A *script number* is what a script writes, as in `3>file`. In a cell the
//! number 3 belongs to the root directory, so script numbers from 3 on live 1000 higher; use
//! [`number`] to go from one to the other and never add anything yourself.

pub mod calendar;
mod descriptor;
#[cfg(target_arch = "wasm32")]
mod errno;
mod host;
mod process;
mod status;

#[cfg(target_arch = "wasm32")]
#[path = "cell.rs"]
mod system;
#[cfg(not(target_arch = "wasm32"))]
#[path = "unix.rs"]
mod system;

pub use cofferdam_abi::process::FileStatus;
pub use descriptor::{
    Fd, close, copy, is_terminal, open, park, pipe, read, readable, replace, write, write_all,
};
pub use host::{
    Cap, FetchHead, FetchRequest, Heard, Refused, cap_hit, fetch, fetch_read, space, tool_feed,
    tool_read, tool_start,
};
pub use process::{LISTED, Myself, Pid, Spawn, Status, Which};
pub use status::{chdir, chmod, mkfifo, stat, umask};
pub use system::{
    begin_in, keep_environment, kill, myself, number, signals_set, signals_take, spawn, wait,
};
