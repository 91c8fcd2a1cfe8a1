//! Changes that programs make to files of the host: the audit log has each before it is made.
//!
//! Each opening for writing is one line, not each write. Reads and changes inside the sandbox,
//! which are most of what programs do, are not logged.

use cofferdam_vfs::{At, VPath};

use crate::program::errno::Errno;
use crate::program::process::Process;

/// Longest name of a program in the log, in characters; the program chooses it.
const MAX_NAME: usize = 64;

impl Process {
    /// Logs a change of a path that lies outside the sandbox. Returns `EIO` if the line cannot be
    /// written; the change must then not be made (T-PROC-012).
    pub(crate) fn change(&self, what: &str, at: At<'_>) -> Result<(), Errno> {
        match self.system.files(self.pid).outside(at) {
            Some(outside) => self.note_change(what, &outside.path),
            None => Ok(()),
        }
    }

    /// Logs a change of something outside the sandbox.
    pub(crate) fn note_change(&self, what: &str, path: &VPath) -> Result<(), Errno> {
        let program = self.argv.first().map(|name| String::from_utf8_lossy(name));
        let name: String = program.as_deref().unwrap_or_default().chars().take(MAX_NAME).collect();
        let by = format!("{name}, process {}", self.pid);
        let desk = &self.system.setup.settings.desk;
        desk.change(&format!("{what} {path}"), &by).map_err(|error| {
            self.system.say_unlogged(&error);
            Errno::Io
        })
    }
}
