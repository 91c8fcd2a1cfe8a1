//! The failure of a command: a message for standard error and an exit code.

use std::fmt::Display;
use std::io;

/// Ends the command.
#[derive(Debug)]
pub(crate) struct Fault {
    /// Exit code.
    pub(crate) code: i32,
    /// Complete text for standard error, without the last newline; empty to print nothing.
    pub(crate) text: String,
}

/// Result of everything that can end the command.
pub(crate) type Result<T> = std::result::Result<T, Fault>;

/// Exit code of `fatal:` errors.
pub(crate) const FATAL: i32 = 128;
/// Exit code of a wrong call.
pub(crate) const USAGE: i32 = 129;

/// Returns a fault that is reported as `fatal: …` with exit code 128.
pub(crate) fn fatal(text: impl Display) -> Fault {
    Fault { code: FATAL, text: format!("fatal: {text}") }
}

/// Returns a fault that is reported as `error: …` with exit code 1.
pub(crate) fn error(text: impl Display) -> Fault {
    Fault { code: 1, text: format!("error: {text}") }
}

/// Returns a fault with a code and no message.
pub(crate) fn silent(code: i32) -> Fault {
    Fault { code, text: String::new() }
}

/// Returns the fault of an option that the command does not have.
pub(crate) fn unknown_option(command: &str, option: &str) -> Fault {
    let name = option.trim_start_matches('-');
    let kind = if option.starts_with("--") { "option" } else { "switch" };
    let first = name.chars().next().map_or(0, char::len_utf8);
    let name = if option.starts_with("--") { name } else { &name[..first] };
    Fault { code: USAGE, text: format!("error: unknown {kind} `{name}'\nusage: git {command}") }
}

/// Returns the reason of an I/O error in the words of the C library.
pub(crate) fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// Turns I/O errors into faults that name the file.
pub(crate) trait At<T> {
    /// Names the path in the fault.
    fn at(self, path: &[u8]) -> Result<T>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &[u8]) -> Result<T> {
        self.map_err(|e| fatal(format!("{}: {}", String::from_utf8_lossy(path), reason(&e))))
    }
}
