//! The commands of the sandbox's shell, all in one program.
//!
//! A command runs in a process of its own, so it may exit, leak and change the process as it
//! likes. In reading order:
//! - [`table`]: every command, one line each
//! - [`commands`]: what they do; most come from the uutils family and are only wired here
//! - [`options`]: command-line options as GNU reads them
//! - [`pattern`]: POSIX regular expressions
//! - [`output`]: block-wise output that knows a closed pipe
//! - [`child`]: starting other commands, for those that do (`xargs`, `find -exec`, `env`)

mod bytes;
mod child;
mod commands;
mod files;
mod glob;
mod options;
mod output;
mod pattern;
mod table;
mod width;

use std::ffi::OsString;

/// Runs a command and answers its exit code; `None` where there is no such command.
///
/// `args[0]` is the name it goes by. Standard output is flushed when this returns.
pub fn run(name: &str, args: Vec<OsString>) -> Option<i32> {
    let code = table::find(name)?(args);
    Some(commands::uutils::flushed(code))
}

/// Every command, sorted.
pub fn names() -> &'static [&'static str] {
    table::NAMES
}

/// What a command does, in one line; empty for an unknown name.
pub fn summary(name: &str) -> &'static str {
    table::summary(name).unwrap_or_default()
}
