//! Lookup of commands by name.

use cofferdam_guest_sys as sys;

use crate::expand::glob::is_dir;
use crate::shell::Shell;
use crate::syntax::ast::Text;

/// Execute permission for owner, group or others.
const EXECUTABLE: u32 = 0o111;

/// Result of a command lookup.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A path, or the bare name of a sandbox command.
    Program(Text),
    /// A directory.
    Folder,
    /// A file without execute permission.
    Forbidden(Text),
    /// No such command.
    Nothing,
}

impl Shell {
    /// Finds a program; searches `PATH` if the name contains no slash.
    pub fn find_program(&mut self, name: &[u8]) -> Found {
        if name.contains(&b'/') {
            return match sys::stat(name, true) {
                Ok(status) if is_dir(status.mode) => Found::Folder,
                Ok(status) if status.mode & EXECUTABLE == 0 => Found::Forbidden(name.to_vec()),
                Ok(_) => Found::Program(name.to_vec()),
                Err(error) if error.raw_os_error() == Some(libc::ENAMETOOLONG) => {
                    Found::Program(name.to_vec())
                }
                Err(_) => Found::Nothing,
            };
        }
        if name.is_empty() {
            return Found::Nothing;
        }
        if let Some(path) = self.hashed.get(name) {
            let hits = self.hits.entry(name.to_vec()).or_default();
            *hits = hits.saturating_add(1);
            return Found::Program(path.clone());
        }
        let path = self.get(b"PATH").unwrap_or_default();
        let found = self.search(&path, name);
        if let Found::Program(path) = &found {
            self.hashed.insert(name.to_vec(), path.clone());
            self.hits.insert(name.to_vec(), 1);
        }
        found
    }

    /// Searches a colon-separated list of directories.
    pub fn search(&self, path: &[u8], name: &[u8]) -> Found {
        let mut forbidden = None;
        for folder in path.split(|c| *c == b':') {
            let folder = if folder.is_empty() { &b"."[..] } else { folder };
            let full = [folder, b"/", name].concat();
            match sys::stat(&full, true) {
                Ok(status) if is_dir(status.mode) => {}
                Ok(status) if status.mode & EXECUTABLE == 0 => {
                    forbidden.get_or_insert(full);
                }
                Ok(_) => return Found::Program(full),
                Err(_) => {}
            }
        }
        match forbidden {
            Some(path) => Found::Forbidden(path),
            // Sandbox commands need no file; the host decides whether the name exists.
            None if cfg!(target_arch = "wasm32") && !path.is_empty() => {
                Found::Program(name.to_vec())
            }
            None => Found::Nothing,
        }
    }
}
