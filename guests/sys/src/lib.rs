//! System interface for programs: processes, descriptors, signals, file modes, host services.
//!
//! In a cell each function is one host call. On a real Unix the same functions call the operating
//! system, so that the shell can be tested against a real one.
//!
//! Descriptor numbers come in two kinds. An [`Fd`] is a number of this process, as `read` and
//! `write` take it. A *script number* is the number a script writes, as in `3>file`. In a cell,
//! descriptor 3 is the root directory, so script numbers from 3 on are offset by 1000. Always
//! convert with [`number`]; never add the offset by hand.

pub mod calendar;
mod descriptor;
#[cfg(target_arch = "wasm32")]
mod errno;
mod failure;
mod host;
mod process;
mod status;

#[cfg(target_arch = "wasm32")]
#[path = "cell.rs"]
mod system;
#[cfg(not(target_arch = "wasm32"))]
#[path = "unix.rs"]
mod system;

pub mod zone;

pub use cofferdam_abi::process::FileStatus;
pub use descriptor::{
    Fd, close, copy, is_terminal, open, park, pipe, read, readable, replace, write, write_all,
};
pub use failure::report_panics_as;
pub use host::{
    Cap, FetchHead, FetchRequest, Heard, HostError, cap_hit, fetch, fetch_read, space, tool_feed,
    tool_read, tool_start, tool_start_with,
};
pub use process::{LISTED, Myself, Pid, Spawn, Status, Which};
pub use status::{chdir, chmod, mkfifo, stat, umask};
pub use system::{
    begin_in, keep_environment, kill, myself, number, signals_set, signals_take, spawn, wait,
};
