//! The command `git` of the sandbox's shell.
//!
//! Repositories are those of git: each reads what the other wrote. Local operations have git's
//! output; nothing speaks git's network protocols, and commands that would need them say so. In
//! reading order:
//! - [`commands`]: the subcommands, one file for each group
//! - [`repo`]: finds the repository; [`revision`] and [`walk`]: names and ancestors of commits
//! - [`store`]: the content of `.git`
//! - [`tree`]: comparison of commits, index and work tree
//! - [`text`]: comparison and merging of files, dates, messages
//! - [`report`][]: output

mod args;
mod bytes;
mod commands;
mod editor;
mod fault;
mod ident;
mod repo;
mod report;
mod revision;
mod store;
mod text;
mod tree;
mod walk;

use cofferdam_guest_sys as sys;

pub use bytes::bytes_of;

use fault::{Fault, Result};

/// Runs git with its arguments, without the name, and returns the exit code.
pub fn run(args: Vec<Vec<u8>>) -> i32 {
    let mut out = Output::default();
    let code = match commands::run(args, &mut out) {
        Ok(code) => code,
        Err(Fault { code, text }) => {
            out.flush();
            if !text.is_empty() {
                eprintln!("{text}");
            }
            code
        }
    };
    out.flush();
    code
}

/// Bytes that are collected before they are written.
const BLOCK: usize = 64 * 1024;
/// Exit code of a program that writes to a closed pipe.
const CLOSED_PIPE: i32 = 128 + 13;

/// Standard output of the command.
#[derive(Default)]
pub(crate) struct Output {
    pub(crate) data: Vec<u8>,
}

impl Output {
    /// Adds text.
    pub(crate) fn text(&mut self, text: impl AsRef<[u8]>) {
        self.data.extend_from_slice(text.as_ref());
        if self.data.len() >= BLOCK {
            self.flush();
        }
    }

    /// Adds text and a newline.
    pub(crate) fn line(&mut self, text: impl AsRef<[u8]>) {
        self.text(text);
        self.text("\n");
    }

    /// Writes what was added; ends the process if nobody reads it.
    pub(crate) fn flush(&mut self) {
        if !self.data.is_empty() && sys::write_all(1, &self.data).is_err() {
            std::process::exit(CLOSED_PIPE);
        }
        self.data.clear();
    }

    /// Writes a line to standard error, after everything that was added.
    pub(crate) fn note(&mut self, text: impl AsRef<[u8]>) -> Result<()> {
        self.flush();
        eprintln!("{}", String::from_utf8_lossy(text.as_ref()));
        Ok(())
    }
}
