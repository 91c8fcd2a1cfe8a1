//! Says at a terminal what the build is busy with. Cargo shows nothing of a build script until it
//! is over, and this one takes minutes the first time.
//!
//! The line goes to the terminal that cargo writes to itself, if it does; in pipes and logs there
//! is nothing but cargo's own lines.

use std::fs::File;
use std::io::Write;
use std::time::Instant;

/// Longest text, so that the line stays a line in a narrow terminal.
const MAX_TEXT: usize = 72;

/// A line that is written over again and again.
pub(crate) struct Progress {
    terminal: Option<File>,
    started: Instant,
}

impl Progress {
    pub(crate) fn new() -> Self {
        Progress { terminal: terminal(), started: Instant::now() }
    }

    /// Shows what is done now, and for how long all of it has taken.
    pub(crate) fn show(&mut self, text: &str) {
        let seconds = self.started.elapsed().as_secs();
        let Some(terminal) = &mut self.terminal else { return };
        let text: String = text.chars().filter(|c| !c.is_control()).take(MAX_TEXT).collect();
        // It is there to be read, and no reason to fail.
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

/// The terminal behind cargo's standard error; our own is a pipe.
fn terminal() -> Option<File> {
    let descriptor = format!("/proc/{}/fd/2", std::os::unix::process::parent_id());
    let path = std::fs::read_link(descriptor).ok()?;
    let is_terminal = path.starts_with("/dev/pts") || path.starts_with("/dev/tty");
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    File::options().write(true).open(path).ok().filter(|_| is_terminal && !is_dumb)
}
