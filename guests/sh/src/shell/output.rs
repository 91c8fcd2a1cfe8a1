//! Output and error messages of the shell itself.

use cofferdam_guest_sys as sys;

use super::{Flow, Shell};

/// Signal for writing to a pipe without readers.
const SIGPIPE: i32 = 13;

impl Shell {
    /// Writes to standard output. A pipe without readers ends the shell as SIGPIPE would.
    pub fn print(&mut self, bytes: &[u8], who: &str) -> Result<i32, Flow> {
        if bytes.is_empty() {
            return Ok(0);
        }
        if let Some(captured) = &mut self.captured {
            captured.extend_from_slice(bytes);
            return Ok(0);
        }
        let written = self.fds.fd(1).and_then(|fd| sys::write_all(fd, bytes));
        match written {
            Ok(()) => Ok(0),
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => {
                if self.traps.is_ignored(SIGPIPE as u8) {
                    self.warn(&format!("{who}: write error: Broken pipe"));
                    return Ok(1);
                }
                Err(Flow::Exit(128 + SIGPIPE))
            }
            Err(error) => {
                self.warn(&format!("{who}: write error: {}", reason(&error)));
                Ok(1)
            }
        }
    }

    /// Writes bytes to standard error unchanged.
    pub fn print_error(&mut self, bytes: &[u8]) {
        if let Ok(fd) = self.fds.fd(2) {
            let _ = sys::write_all(fd, bytes);
        }
    }

    /// Prints that a cap of the shell was reached and reports it to the host, so that a run that
    /// fails because of the cap names it.
    pub fn warn_capped(&mut self, cap: sys::Cap, allowed: usize, message: &str) {
        sys::cap_hit(cap, allowed as u64);
        self.warn(message);
    }

    /// Prints an error in bash's format: `name: line 3: message`.
    pub fn warn(&mut self, message: &str) {
        self.warn_from("", message);
    }

    /// Prints an error in text that a builtin evaluates: `name: eval: line 3: message`.
    pub fn warn_from(&mut self, who: &str, message: &str) {
        let mut text = match self.frames.last() {
            Some(frame) if !frame.source.is_empty() && !self.interactive => frame.source.clone(),
            Some(frame) if !frame.source.is_empty() && !frame.is_function => frame.source.clone(),
            _ => self.arg0.clone(),
        };
        if !who.is_empty() {
            text.extend_from_slice(b": ");
            text.extend_from_slice(who.as_bytes());
        }
        if !self.interactive {
            text.extend_from_slice(format!(": line {}", self.line).as_bytes());
        }
        text.extend_from_slice(b": ");
        text.extend_from_slice(message.as_bytes());
        text.push(b'\n');
        self.print_error(&text);
    }
}

/// Returns the C library's description of an error, without the suffix that Rust adds.
pub fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(at) => text[..at].to_owned(),
        None => text,
    }
}
