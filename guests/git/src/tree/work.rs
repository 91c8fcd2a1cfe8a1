//! Files of the work tree, compared with the index.

use std::fs;

use cofferdam_guest_sys::{self as sys, FileStatus};

use super::convert;
use crate::bytes;
use crate::fault::{At, Result};
use crate::repo::Repo;
use crate::store::index::{Entry, Index, Known};
use crate::store::object::{Kind, mode};
use crate::store::oid::Oid;

const KIND: u32 = 0o170_000;
const DIRECTORY: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;

/// State of a file in the work tree.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum State {
    Same,
    /// The content is that of the index, but its status was not known.
    SameAgain(Known),
    Missing,
    Changed {
        mode: u32,
    },
}

/// Returns the mode that a file would have in a tree; `None` for directories and devices.
pub(crate) fn tree_mode(repo: &Repo, status: &FileStatus, known: Option<u32>) -> Option<u32> {
    match status.mode & KIND {
        mode::LINK => Some(mode::LINK),
        REGULAR if repo.config.flag("core.filemode") == Some(false) => {
            Some(known.filter(|mode| mode & KIND == REGULAR).unwrap_or(mode::FILE))
        }
        REGULAR if status.mode & 0o100 != 0 => Some(mode::PROGRAM),
        REGULAR => Some(mode::FILE),
        _ => None,
    }
}

/// Returns true if the status is that of a directory.
pub(crate) fn is_directory(status: &FileStatus) -> bool {
    status.mode & KIND == DIRECTORY
}

/// Reads the content that a path of the work tree would have as a blob.
pub(crate) fn read(repo: &Repo, path: &[u8], mode: u32) -> Result<Vec<u8>> {
    let file = repo.work_path(path);
    if mode == mode::LINK {
        let target = fs::read_link(bytes::path(&file)).at(path)?;
        return Ok(bytes::raw(target.as_os_str()).to_vec());
    }
    let data = fs::read(bytes::path(&file)).at(path)?;
    Ok(convert::to_object(repo, path, data))
}

/// Compares a file of the index with the work tree.
pub(crate) fn state(repo: &Repo, entry: &Entry, written: (u32, u32)) -> Result<State> {
    if entry.is_skipped {
        return Ok(State::Same);
    }
    let Ok(status) = sys::stat(&repo.work_path(&entry.path), false) else {
        return Ok(State::Missing);
    };
    if entry.mode == mode::SUBMODULE {
        return Ok(if is_directory(&status) { State::Same } else { State::Missing });
    }
    let Some(mode) = tree_mode(repo, &status, Some(entry.mode)) else {
        return Ok(State::Missing);
    };
    if entry.is_assumed {
        return Ok(State::Same);
    }
    let known = Known::of(&status);
    // A file that was changed in the moment in which the index was written looks unchanged.
    let is_racy = entry.known.modified >= written;
    if mode == entry.mode && !entry.is_intent {
        if known.agrees(&entry.known) && !is_racy {
            return Ok(State::Same);
        }
        let content = read(repo, &entry.path, mode)?;
        if Oid::of(Kind::Blob.name(), &content) == entry.oid {
            return Ok(State::SameAgain(known));
        }
    }
    Ok(State::Changed { mode })
}

/// Marks files as unknown that changed in the moment in which the index was last written: once the
/// index is newer, nothing else tells them from unchanged files.
pub(crate) fn guard_racy(repo: &Repo, index: &mut Index) {
    let written = index.written;
    if written == (0, 0) {
        return;
    }
    for entry in &mut index.entries {
        if entry.stage == 0 && entry.known.modified >= written {
            match state(repo, entry, written) {
                Ok(State::SameAgain(known)) => entry.known = known,
                Ok(State::Same) => {}
                Ok(State::Missing | State::Changed { .. }) | Err(_) => entry.known.size = 0,
            }
        }
    }
}
