//! Selects the files to be searched.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use ignore::{DirEntry, WalkBuilder};

use super::settings::Settings;
use super::{FOUND, NOTHING, TROUBLE};
use crate::bytes::OsStrExt as _;
use crate::output::{self, reason};

/// A file to be searched.
pub(super) struct Found {
    pub(super) path: PathBuf,
    /// True if the command line names the file.
    pub(super) named: bool,
}

/// Visits the files in order of their names. Returns true if an error was reported.
pub(super) fn each(
    settings: &Settings,
    mut visit: impl FnMut(Found) -> Result<bool, String>,
) -> Result<bool, String> {
    let is_default = settings.paths.is_empty();
    let mut paths = settings.paths.iter();
    let here = PathBuf::from("./");
    let mut builder = WalkBuilder::new(paths.next().unwrap_or(&here));
    for path in paths {
        builder.add(path);
    }
    let heeds = !settings.no_ignore;
    builder
        .hidden(!settings.hidden)
        .parents(heeds)
        .ignore(heeds)
        .git_ignore(heeds && !settings.no_vcs)
        .git_exclude(heeds && !settings.no_vcs)
        .git_global(false)
        .require_git(!settings.no_require_git)
        .max_depth(settings.max_depth)
        .max_filesize(settings.max_filesize)
        .overrides(settings.overrides()?)
        .types(settings.types()?)
        .sort_by_file_name(|a, b| a.cmp(b));
    if heeds {
        builder.add_custom_ignore_filename(".rgignore");
    }
    let mut trouble = false;
    for entry in builder.build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                trouble = true;
                if !settings.no_messages {
                    eprintln!("rg: {}", said(&error));
                }
                continue;
            }
        };
        if !is_searched(&entry) {
            continue;
        }
        let named = entry.depth() == 0;
        let path = match is_default {
            true => entry.path().strip_prefix("./").unwrap_or(entry.path()).to_owned(),
            false => entry.into_path(),
        };
        if !visit(Found { path, named })? {
            break;
        }
    }
    Ok(trouble)
}

/// Returns true if an entry is searched: any operand that is not a directory, and regular files
/// below one.
fn is_searched(entry: &DirEntry) -> bool {
    match entry.file_type() {
        Some(kind) if entry.depth() == 0 => !kind.is_dir(),
        Some(kind) => kind.is_file(),
        None => false,
    }
}

/// Returns the text of an error, without the number that the standard library appends.
fn said(error: &ignore::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// Prints the files that would be searched.
pub(super) fn list(settings: &Settings) -> Result<i32, String> {
    let mut out = output::stdout();
    let end: &[u8] = if settings.null { b"\0" } else { b"\n" };
    let mut any = false;
    let trouble = each(settings, |found| {
        any = true;
        let shown = shown(&found.path);
        let written = out.write_all(shown).and_then(|()| out.write_all(end));
        written.map_err(|e| reason(&e)).map(|()| true)
    })?;
    let code = match (trouble, any) {
        (true, _) => TROUBLE,
        (false, true) => FOUND,
        (false, false) => NOTHING,
    };
    Ok(output::finish("rg", &mut out, code))
}

fn shown(path: &Path) -> &[u8] {
    path.as_os_str().as_bytes()
}
