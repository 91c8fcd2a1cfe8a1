//! Shows the current build step on the terminal. Cargo prints nothing of a build script until it
//! ends, and this script takes minutes the first time.
//!
//! The line goes to the terminal that cargo itself writes to. If cargo writes to a pipe or a file,
//! nothing is shown.

use std::fs::File;
use std::io::Write;
use std::time::Instant;

/// Longest text shown, so that it fits one line of a narrow terminal.
const MAX_TEXT: usize = 72;

/// A status line that is overwritten in place.
pub(crate) struct Progress {
    terminal: Option<File>,
    started: Instant,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Progress { terminal: terminal(), started: Instant::now() }
    }

    /// Shows the current step and the seconds since the start.
    pub(crate) fn show(&mut self, text: &str) {
        let seconds = self.started.elapsed().as_secs();
        let Some(terminal) = &mut self.terminal else { return };
        let text: String = text.chars().filter(|c| !c.is_control()).take(MAX_TEXT).collect();
        // A failed status line is no reason to fail the build.
        let _ = write!(terminal, "\r\x1b[2K      Guests {text} ({seconds} s)");
        let _ = terminal.flush();
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(terminal) = &mut self.terminal {
            let _ = write!(terminal, "\r\x1b[2K");
        }
    }
}

/// Opens the terminal behind cargo's standard error; the script's own standard error is a pipe.
fn terminal() -> Option<File> {
    let descriptor = format!("/proc/{}/fd/2", std::os::unix::process::parent_id());
    let path = std::fs::read_link(descriptor).ok()?;
    let is_terminal = path.starts_with("/dev/pts") || path.starts_with("/dev/tty");
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    File::options().write(true).open(path).ok().filter(|_| is_terminal && !is_dumb)
}
