//! The commands of the sandbox's shell, all in one program.
//!
//! A command runs in a process of its own, so it may exit, leak memory and change the state of the
//! process. In reading order:
//! - [`table`]: all commands, one line each
//! - [`basics`]: the most common of them, for a program that is small
//! - [`commands`]: their implementations; most come from uutils and are only wired up here
//! - [`options`]: command-line options in the style of GNU
//! - [`pattern`]: POSIX regular expressions
//! - [`output`]: block-wise output that detects a closed pipe
//! - [`child`]: starts other commands, for `xargs`, `find -exec`, `env` and the like

mod basics;
mod bytes;
mod child;
mod commands;
mod files;
mod glob;
mod options;
mod output;
mod pattern;
mod quoting;
mod table;
mod width;

use std::ffi::OsString;

/// Runs a command and returns its exit code, or `None` if there is no such command.
///
/// `args[0]` is the name by which the command was called. Standard output has been flushed when
/// this function returns.
pub fn run(name: &str, args: Vec<OsString>) -> Option<i32> {
    let code = table::find(name)?(args);
    Some(commands::uutils::flushed(code))
}

/// Runs one of the most common commands, as [`run`] does. A program that uses nothing but this
/// function is linked without the other commands.
pub fn run_basic(name: &str, args: Vec<OsString>) -> Option<i32> {
    let code = basics::find(name)?(args);
    Some(commands::uutils::flushed(code))
}

/// Returns the names of all commands, sorted.
pub fn names() -> &'static [&'static str] {
    table::NAMES
}

/// Returns a one-line description of a command; empty for an unknown name.
pub fn summary(name: &str) -> &'static str {
    table::summary(name).unwrap_or_default()
}
