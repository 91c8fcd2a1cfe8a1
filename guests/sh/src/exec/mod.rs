//! Execution of the syntax tree.

mod assign;
mod call;
mod compound;
pub mod coproc;
pub mod find;
mod instead;
mod interactive;
mod list;
mod menu;
mod missing;
mod pipeline;
mod redirect;
pub mod regex;
pub mod run;
mod simple;
mod spawn;
pub mod test;
mod trace;
mod trap;
mod wait;

pub use assign::{Assigned, Decl, NewElement, NewValue};

use cofferdam_guest_sys as sys;

use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::{Command, Direction, FileMode, Kind, RedirectFd, RedirectTo};

/// Deepest nesting of running commands, calls and evaluations; each level uses stack.
pub const MAX_NESTING: usize = 1200;

impl Shell {
    /// Runs one command with its redirections.
    pub fn exec_command(&mut self, command: &Command) -> Exec {
        self.depth += 1;
        if self.depth > MAX_NESTING {
            self.depth = 0;
            let message = format!("maximum nesting level exceeded ({MAX_NESTING})");
            self.warn_capped(sys::Cap::Depth, MAX_NESTING, &message);
            self.depth = MAX_NESTING;
            return Err(Flow::Discard(1));
        }
        let answer = self.exec_kind(command);
        self.depth -= 1;
        answer
    }

    fn exec_kind(&mut self, command: &Command) -> Exec {
        if let Kind::Simple(simple) = &command.kind {
            self.line = command.line;
            return self.exec_simple(simple, command);
        }
        if command.redirects.is_empty() {
            return self.exec_compound(command);
        }
        self.line = command.line;
        let saved = self.fds.clone();
        let process = self.process_fds.len();
        self.kept_fds.clear();
        self.closed_fds.clear();
        let redirected = self.redirect(&command.redirects);
        let kept = std::mem::take(&mut self.kept_fds);
        let answer = match redirected {
            Ok(true) => {
                let outer = self.lends_input;
                self.lends_input |= reads_input(command);
                let answer = self.exec_compound(command);
                self.lends_input = outer;
                answer
            }
            Ok(false) => {
                self.status = 1;
                Ok(1)
            }
            Err(flow) => Err(flow),
        };
        self.kept_fds = kept;
        self.closed_fds.clear();
        self.restore_fds(saved, b"");
        self.process_fds.truncate(process);
        if matches!(redirected, Ok(false))
            && self.errexit_off == 0
            && !matches!(command.kind, Kind::Subshell(_) | Kind::Arith(_) | Kind::Test(_))
        {
            self.failed(1)?;
        }
        answer
    }
}

/// Returns true if a redirection of the command itself sets its standard input.
fn reads_input(command: &Command) -> bool {
    command.redirects.iter().any(|redirect| {
        let is_input = match &redirect.to {
            RedirectTo::File(FileMode::Read | FileMode::ReadWrite, _)
            | RedirectTo::Copy(Direction::Input, _)
            | RedirectTo::String(_)
            | RedirectTo::Here(_) => true,
            RedirectTo::File(FileMode::Write | FileMode::Clobber | FileMode::Append, _)
            | RedirectTo::Copy(Direction::Output, _)
            | RedirectTo::Both(..) => false,
        };
        is_input && matches!(redirect.fd, RedirectFd::Implied | RedirectFd::Number(0))
    })
}
