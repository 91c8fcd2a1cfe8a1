//! The history of each reference, which `reflog`, `stash` and `@{n}` use.

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use super::oid::Oid;
use super::refs;
use crate::bytes::{self, join};
use crate::fault::{At, Result};

/// One change of a reference.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    pub(crate) old: Oid,
    pub(crate) new: Oid,
    /// `Name <mail> seconds zone`.
    pub(crate) who: Vec<u8>,
    pub(crate) message: Vec<u8>,
}

fn file(git_dir: &[u8], name: &[u8]) -> Vec<u8> {
    let dir = match refs::is_shared(name) {
        true => crate::repo::common_dir(git_dir),
        false => git_dir.to_vec(),
    };
    join(&join(&dir, b"logs"), name)
}

/// Reads the changes of a reference, newest first.
pub(crate) fn read(git_dir: &[u8], name: &[u8]) -> Vec<Change> {
    let data = fs::read(bytes::path(&file(git_dir, name))).unwrap_or_default();
    let mut changes: Vec<Change> = data.split(|b| *b == b'\n').filter_map(parse).collect();
    changes.reverse();
    changes
}

fn parse(line: &[u8]) -> Option<Change> {
    let tab = line.iter().position(|b| *b == b'\t').unwrap_or(line.len());
    Some(Change {
        old: Oid::parse(line.get(..40)?)?,
        new: Oid::parse(line.get(41..81)?)?,
        who: line.get(82..tab)?.to_vec(),
        message: line.get(tab + 1..).unwrap_or_default().to_vec(),
    })
}

/// Returns true if changes of a reference are recorded: branches, remote branches, `HEAD`, stashes.
pub(crate) fn is_recorded(name: &[u8]) -> bool {
    name == b"HEAD"
        || name == b"refs/stash"
        || name.starts_with(b"refs/heads/")
        || name.starts_with(b"refs/remotes/")
}

/// Records a change.
pub(crate) fn append(git_dir: &[u8], name: &[u8], change: &Change) -> Result<()> {
    let file = file(git_dir, name);
    let write = || -> std::io::Result<()> {
        fs::create_dir_all(bytes::path(bytes::parent(&file)))?;
        let mut log = OpenOptions::new().append(true).create(true).open(bytes::path(&file))?;
        log.write_all(&line(change))
    };
    write().at(&file)
}

/// Replaces the history, given newest first; removes it if it is empty.
pub(crate) fn write(git_dir: &[u8], name: &[u8], changes: &[Change]) -> Result<()> {
    let file = file(git_dir, name);
    if changes.is_empty() {
        return remove(git_dir, name);
    }
    let data: Vec<u8> = changes.iter().rev().flat_map(line).collect();
    bytes::replace(&file, &data).at(&file)
}

/// Removes the history of a reference.
pub(crate) fn remove(git_dir: &[u8], name: &[u8]) -> Result<()> {
    let file = file(git_dir, name);
    match fs::remove_file(bytes::path(&file)) {
        Err(e) if !bytes::is_missing(&e) => Err(e).at(&file),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Renames the history of a branch.
pub(crate) fn rename(git_dir: &[u8], from: &[u8], to: &[u8]) -> Result<()> {
    let (from, to) = (file(git_dir, from), file(git_dir, to));
    if bytes::path(&from).exists() {
        fs::create_dir_all(bytes::path(bytes::parent(&to))).at(&to)?;
        fs::rename(bytes::path(&from), bytes::path(&to)).at(&to)?;
    }
    Ok(())
}

fn line(change: &Change) -> Vec<u8> {
    let message: Vec<u8> =
        change.message.iter().map(|b| if *b == b'\n' { b' ' } else { *b }).collect();
    let head = format!("{} {} ", change.old, change.new);
    [head.as_bytes(), &change.who, b"\t", bytes::trim(&message), b"\n"].concat()
}
