//! Selects the files to be searched.

use std::ffi::OsStr;
use std::fs;
use std::io;

use crate::bytes::{OsStrExt as _, base, join};
use crate::files::status;
use crate::glob;

use super::Directories;
use super::search::Searcher;

/// Deepest nesting of directories.
const MAX_DEPTH: usize = 128;

/// The effect of a glob on the files that it matches.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Include,
    Exclude,
}

/// The globs that include and exclude names.
#[derive(Default)]
pub(super) struct Globs {
    /// Globs of files, in the order of the options.
    pub(super) files: Vec<(Takes, Vec<u8>)>,
    pub(super) exclude_dir: Vec<Vec<u8>>,
}

impl Globs {
    fn takes_file(&self, name: &[u8]) -> bool {
        // The last glob that matches decides. A file that none matches is searched, unless the
        // first option names files to be included.
        let last = self.files.iter().rev().find(|(_, glob)| matches(glob, name));
        match last {
            Some((takes, _)) => *takes == Takes::Include,
            None => self.files.first().is_none_or(|(takes, _)| *takes == Takes::Exclude),
        }
    }

    fn takes_directory(&self, name: &[u8]) -> bool {
        !self.exclude_dir.iter().any(|glob| matches(glob, name))
    }
}

/// Matches a glob against a name; a glob without a slash applies to the last component.
fn matches(glob: &[u8], name: &[u8]) -> bool {
    let glob = glob.strip_suffix(b"/").unwrap_or(glob);
    if glob.contains(&b'/') { glob::matches(glob, name) } else { glob::matches(glob, base(name)) }
}

/// Searches a file or directory named on the command line.
pub(super) fn operand(searcher: &mut Searcher<'_>, name: &[u8]) {
    let data = match fs::metadata(OsStr::from_bytes(name)) {
        Ok(data) => data,
        Err(error) => return searcher.complain(name, &error),
    };
    if !data.is_dir() {
        if searcher.settings.globs.takes_file(name) {
            searcher.file(name, name);
        }
        return;
    }
    match searcher.settings.directories {
        Directories::Read => {
            let error = io::Error::from_raw_os_error(libc::EISDIR);
            searcher.complain(name, &error);
        }
        Directories::Skip => {}
        Directories::Recurse { .. } => {
            if searcher.settings.globs.takes_directory(name) {
                let shown = name.strip_suffix(b"/").unwrap_or(name);
                let shown = if shown.is_empty() { b"/" } else { shown };
                directory(searcher, name, shown);
            }
        }
    }
}

/// Searches everything below a directory. `shown` is the printed form of its name, empty for the
/// working directory.
pub(super) fn directory(searcher: &mut Searcher<'_>, path: &[u8], shown: &[u8]) {
    below(searcher, path, shown, &mut Vec::new());
}

/// Searches below a directory; `above` has the devices and numbers of the directories around it.
fn below(searcher: &mut Searcher<'_>, path: &[u8], shown: &[u8], above: &mut Vec<(u64, u64)>) {
    if above.len() > MAX_DEPTH {
        return searcher.complain(shown, &io::Error::from_raw_os_error(libc::ELOOP));
    }
    let number = match status(path, true) {
        Ok(found) => (found.device, found.inode),
        Err(error) => return searcher.complain(shown, &error),
    };
    if above.contains(&number) {
        searcher.warn(shown, "warning: recursive directory loop");
        return;
    }
    above.push(number);
    entries(searcher, path, shown, above);
    above.pop();
}

fn entries(searcher: &mut Searcher<'_>, path: &[u8], shown: &[u8], above: &mut Vec<(u64, u64)>) {
    let entries = match fs::read_dir(OsStr::from_bytes(path)) {
        Ok(entries) => entries,
        Err(error) => return searcher.complain(shown, &error),
    };
    let mut found = Vec::new();
    for entry in entries {
        match entry {
            Ok(entry) => found.push((entry.file_name(), entry.file_type())),
            Err(error) => searcher.complain(shown, &error),
        }
    }
    // The order of a directory is unspecified; sorting makes the output reproducible.
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let follow = searcher.settings.directories == (Directories::Recurse { follow: true });
    for (name, kind) in found {
        if searcher.finished() {
            return;
        }
        let name = name.as_bytes();
        let path = join(path, name);
        let shown = if shown.is_empty() { name.to_vec() } else { join(shown, name) };
        let Ok(kind) = kind else { continue };
        if kind.is_symlink() && !follow {
            continue;
        }
        let kind = if kind.is_symlink() {
            match fs::metadata(OsStr::from_bytes(&path)) {
                Ok(data) => data.file_type(),
                Err(error) => {
                    searcher.complain(&shown, &error);
                    continue;
                }
            }
        } else {
            kind
        };
        if kind.is_dir() {
            if searcher.settings.globs.takes_directory(name) {
                below(searcher, &path, &shown, above);
            }
        } else if kind.is_file() && searcher.settings.globs.takes_file(name) {
            // Pipes and devices are searched only if they are named: reading one may not end.
            searcher.file(&path, &shown);
        }
    }
}
