//! Paths that the supervisor answers itself, for the shims: why something was denied, and the
//! variables of the program. There are no such files.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

use cofferdam_broker::{Denial, PermissionError};

/// Most denials that a program can ask about; those before are forgotten.
const MAX_TOLD: usize = 256;

/// A question of a shim.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ask<'a> {
    /// The denial of a file.
    File(&'a str),
    /// The denial of a variable.
    DeniedVariable(&'a str),
    /// The denial of a program, by the name that it was started by.
    Program(&'a str),
    /// A variable.
    Variable(&'a str),
}

/// Reads a path as a question.
pub(crate) fn parse(path: &Path) -> Option<Ask<'_>> {
    let rest = path.to_str()?.strip_prefix("/.cofferdam/")?;
    if let Some(name) = rest.strip_prefix("env/") {
        return Some(Ask::Variable(name));
    }
    if let Some(name) = rest.strip_prefix("denied-env/") {
        return Some(Ask::DeniedVariable(name));
    }
    if let Some(name) = rest.strip_prefix("denied-exec/") {
        return Some(Ask::Program(name));
    }
    rest.strip_prefix("denied").filter(|path| path.starts_with('/')).map(Ask::File)
}

/// Denials of a run, by the names that the program used.
#[derive(Debug, Default)]
pub(crate) struct Told(Vec<(String, PermissionError)>);

impl Told {
    pub(crate) fn add(&mut self, name: String, denial: &Denial) {
        if self.0.len() >= MAX_TOLD {
            self.0.remove(0);
        }
        self.0.push((name, denial.error().clone()));
    }

    /// Returns the latest denial of a name as JSON.
    pub(crate) fn find(&self, name: &str) -> Option<String> {
        let found = self.0.iter().rev().find(|(known, _)| known == name);
        found.map(|(_, error)| error.to_json())
    }
}

/// Returns a pipe that holds a text; fails if the text is longer than a pipe holds.
pub(crate) fn pipe(text: &str) -> io::Result<File> {
    const CAPACITY: usize = 60 << 10;
    if text.len() > CAPACITY {
        return Err(io::Error::from(io::ErrorKind::FileTooLarge));
    }
    let (reader, mut writer) = io::pipe()?;
    writer.write_all(text.as_bytes())?;
    Ok(File::from(OwnedFd::from(reader)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_of_shims_have_paths_of_their_own() {
        let check = |path: &str, expect| assert_eq!(parse(Path::new(path)), expect, "{path}");
        check("/.cofferdam/denied/home/me/a", Some(Ask::File("/home/me/a")));
        check("/.cofferdam/env/TOKEN", Some(Ask::Variable("TOKEN")));
        check("/.cofferdam/denied-env/TOKEN", Some(Ask::DeniedVariable("TOKEN")));
        check("/.cofferdam/denied-exec/id", Some(Ask::Program("id")));
        check("/.cofferdam", None);
        check("/home/me/.cofferdam/denied/x", None);
    }
}
