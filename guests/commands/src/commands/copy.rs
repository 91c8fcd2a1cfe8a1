//! cp and mkdir: the uutils versions, plus file modes, which WASI does not support.

use std::ffi::{OsStr, OsString};
use std::fs;

use cofferdam_guest_sys as sys;

use crate::bytes::{OsStrExt as _, base, join};
use crate::files::{Kind, parse_mode, status, umask};
use crate::table::uu;

use super::uutils;

/// Deepest nesting of directories.
const MAX_DEPTH: usize = 200;

pub(crate) fn cp(args: Vec<OsString>) -> i32 {
    let fresh = copies(&args);
    let code = uu!(uu_cp, "cp")(args);
    let mask = umask();
    for (from, to) in fresh {
        carry(&from, &to, mask, 0);
    }
    code
}

/// Returns the source and target of each copy whose target does not exist yet. A file that is
/// overwritten keeps its mode.
fn copies(args: &[OsString]) -> Vec<(Vec<u8>, Vec<u8>)> {
    let mut operands: Vec<&[u8]> = Vec::new();
    let mut into: Option<Vec<u8>> = None;
    let mut no_directory = false;
    let mut rest = args.iter().skip(1).map(|arg| arg.as_bytes());
    let mut options = true;
    while let Some(arg) = rest.next() {
        match arg {
            b"--" if options => options = false,
            b"-t" | b"--target-directory" if options => into = rest.next().map(<[u8]>::to_vec),
            b"-T" | b"--no-target-directory" if options => no_directory = true,
            _ if options && arg.starts_with(b"--target-directory=") => {
                into = Some(arg[b"--target-directory=".len()..].to_vec());
            }
            _ if options && arg.len() > 1 && arg.starts_with(b"-") => {}
            operand => operands.push(operand),
        }
    }
    let is_dir =
        |path: &[u8]| status(path, true).is_ok_and(|s| Kind::of(s.mode) == Kind::Directory);
    let target = match into {
        Some(target) => target,
        None => match operands.pop() {
            Some(target) => target.to_vec(),
            None => return Vec::new(),
        },
    };
    let below = is_dir(&target) && !no_directory;
    operands
        .into_iter()
        .map(|from| {
            let to = if below { join(&target, base(from)) } else { target.clone() };
            (from.to_vec(), to)
        })
        .filter(|(_, to)| status(to, false).is_err())
        .collect()
}

/// Gives copies the modes of their originals, recursively.
fn carry(from: &[u8], to: &[u8], mask: u32, depth: usize) {
    let (Ok(original), Ok(copy)) = (status(from, true), status(to, false)) else { return };
    match (Kind::of(original.mode), Kind::of(copy.mode)) {
        (Kind::Directory, Kind::Directory) if depth < MAX_DEPTH => {
            let Ok(entries) = fs::read_dir(OsStr::from_bytes(from)) else { return };
            for entry in entries.flatten() {
                let name = entry.file_name();
                let (from, to) = (join(from, name.as_bytes()), join(to, name.as_bytes()));
                carry(&from, &to, mask, depth + 1);
            }
        }
        (Kind::Regular, Kind::Regular) => {}
        _ => return,
    }
    let mode = original.mode & 0o777 & !mask;
    if copy.mode & 0o777 != mode {
        // Ignores a failure: the file system of the copy may not store modes.
        let _ = sys::chmod(to, mode);
    }
}

pub(crate) fn mkdir(args: Vec<OsString>) -> i32 {
    let mut mode = None;
    let mut parents = false;
    let mut operands: Vec<OsString> = Vec::new();
    let mut rest = args.iter().skip(1);
    while let Some(arg) = rest.next() {
        let text = arg.to_string_lossy();
        if text == "-m" || text == "--mode" {
            mode = rest.next().map(|mode| mode.to_string_lossy().into_owned());
        } else if let Some(value) = text.strip_prefix("--mode=").or_else(|| text.strip_prefix("-m"))
        {
            mode = Some(value.to_owned());
        } else if text == "--" {
            operands.extend(rest.by_ref().cloned());
        } else if !text.starts_with('-') {
            operands.push(arg.clone());
        } else {
            parents |= text == "--parents" || !text.starts_with("--") && text.contains('p');
        }
    }
    if let Some(text) = &mode
        && parse_mode(text, 0o777, true, 0o022).is_none()
    {
        eprintln!("mkdir: invalid mode '{text}'");
        return 1;
    }
    let existing = if parents { Vec::new() } else { existing(&operands) };
    for directory in &existing {
        eprintln!("mkdir: cannot create directory '{}': File exists", directory.display());
    }
    if !existing.is_empty() && existing.len() == operands.len() {
        return 1;
    }
    let args = args.into_iter().filter(|arg| !existing.contains(arg)).collect();
    let code = uu!(uu_mkdir, "mkdir")(args).max(i32::from(!existing.is_empty()));
    let mode = mode.and_then(|mode| parse_mode(&mode, 0o777, true, 0o022));
    if let (0, Some(mode)) = (code, mode) {
        for directory in operands {
            let _ = sys::chmod(directory.as_bytes(), mode);
        }
    }
    code
}

/// Returns the names that are taken, for which uutils has other words than GNU.
fn existing(directories: &[OsString]) -> Vec<OsString> {
    let is_taken = |path: &&OsString| fs::symlink_metadata(path).is_ok();
    directories.iter().filter(is_taken).cloned().collect()
}
