//! Failures that are known before a uutils command starts, reported in GNU's words.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use super::Given;
use crate::options::Usage;
use crate::output::reason;

/// Reports a failure that is certain. The error is the exit code.
pub(super) fn check(usage: &Usage, given: &Given) -> Result<(), i32> {
    let name = usage.name;
    if name == "truncate" && !given.has('s', "size") && !given.has('r', "reference") {
        return Err(usage.wrong("you must specify either '--size' or '--reference'"));
    }
    let is_listed = given.has('c', "count")
        || given.has('d', "repeated")
        || given.has('D', "all-repeated")
        || given.has('u', "unique");
    if name == "uniq" && given.has('\0', "group") && is_listed {
        return Err(usage.wrong("--group is mutually exclusive with -c/-d/-D/-u"));
    }
    let message = match name {
        "paste" => unreadable(given),
        "cp" | "ln" | "mv" => wrong_target(given).or_else(|| match (name, &given.operands[..]) {
            ("ln", [from, to]) => wrong_link(given, from, to),
            ("mv", [from, to]) => wrong_move(from, to),
            _ => None,
        }),
        _ => None,
    };
    match message {
        Some(message) => {
            eprintln!("{name}: {message}");
            Err(1)
        }
        None => Ok(()),
    }
}

/// Returns the message for the first operand that cannot be opened.
fn unreadable(given: &Given) -> Option<String> {
    given.operands.iter().filter(|file| **file != "-").find_map(|file| {
        // A named pipe is opened only once, by the command itself.
        let error = fs::metadata(file).err()?;
        Some(format!("{}: {}", file.display(), reason(&error)))
    })
}

/// Returns the message for a last operand that should be a directory.
fn wrong_target(given: &Given) -> Option<String> {
    let [_, _, .., last] = &given.operands[..] else { return None };
    if given.has('t', "target-directory") {
        return None;
    }
    let why = match fs::metadata(last) {
        Ok(found) if found.is_dir() => return None,
        Ok(_) => "Not a directory".to_owned(),
        Err(error) => reason(&error),
    };
    Some(format!("target '{}': {why}", last.display()))
}

/// Returns the message for a link that cannot be made.
fn wrong_link(given: &Given, from: &OsStr, to: &OsStr) -> Option<String> {
    let is_symbolic = given.has('s', "symbolic");
    if !is_symbolic && let Err(error) = fs::symlink_metadata(from) {
        return Some(format!("failed to access '{}': {}", from.display(), reason(&error)));
    }
    let replaces = given.has('f', "force")
        || given.has('i', "interactive")
        || given.has('b', "backup")
        || given.has('S', "suffix");
    if replaces || fs::symlink_metadata(to).is_err() || fs::metadata(to).is_ok_and(|to| to.is_dir())
    {
        return None;
    }
    let kind = if is_symbolic { "symbolic" } else { "hard" };
    Some(format!("failed to create {kind} link '{}': File exists", to.display()))
}

/// Returns the message for a move into a directory that does not exist.
fn wrong_move(from: &OsStr, to: &OsStr) -> Option<String> {
    let directory = Path::new(to).parent().filter(|parent| !parent.as_os_str().is_empty())?;
    let error = fs::metadata(directory).err()?;
    fs::symlink_metadata(from).ok()?;
    let (from, to) = (from.display(), to.display());
    Some(format!("cannot move '{from}' to '{to}': {}", reason(&error)))
}
