//! Writes files into the work tree, and moves the work tree from one tree to another.

use std::collections::BTreeSet;
use std::fs;

use cofferdam_guest_sys as sys;

use super::changes::{Files, files};
use super::convert;
use super::work::{self, State};
use crate::bytes;
use crate::fault::{At, Fault, Result, fatal};
use crate::repo::Repo;
use crate::store::index::{Entry, Index, Known};
use crate::store::object::mode;
use crate::store::oid::Oid;

/// Longest path in a work tree. Deeper directories could not be made, and recursion over them would
/// not end well.
const MAX_PATH: usize = 4096;

/// Refuses paths that would leave the work tree or change the repository itself.
// T-PROC-017: a hostile repository.
pub(crate) fn check_path(path: &[u8]) -> Result<()> {
    if path.len() > MAX_PATH {
        return Err(fatal(format!("path of {} bytes is too long", path.len())));
    }
    let is_bad = |part: &[u8]| {
        matches!(part, b"" | b"." | b"..")
            || part.eq_ignore_ascii_case(b".git")
            || part.contains(&0)
    };
    if path.split(|b| *b == b'/').any(is_bad) {
        return Err(fatal(format!("invalid path '{}'", bytes::text(path))));
    }
    Ok(())
}

/// Writes a file of the database into the work tree and returns its entry for the index.
pub(crate) fn write(repo: &Repo, path: &[u8], mode: u32, oid: Oid) -> Result<Entry> {
    check_path(path)?;
    let mut entry = Entry::new(path.to_vec(), mode, oid);
    let file = repo.work_path(path);
    if mode == mode::SUBMODULE {
        make_directories(repo, path)?;
        fs::create_dir_all(bytes::path(&file)).at(path)?;
    } else {
        write_content(repo, path, mode, &repo.odb.blob(oid)?)?;
    }
    if let Ok(status) = sys::stat(&file, false) {
        entry.known = Known::of(&status);
    }
    Ok(entry)
}

/// Writes content into the work tree.
pub(crate) fn write_content(repo: &Repo, path: &[u8], mode: u32, data: &[u8]) -> Result<()> {
    check_path(path)?;
    make_directories(repo, path)?;
    let file = repo.work_path(path);
    if let Ok(status) = sys::stat(&file, false) {
        match work::is_directory(&status) {
            true => remove_empty_directories(&file),
            false => fs::remove_file(bytes::path(&file)).at(path)?,
        }
    }
    if mode == mode::LINK {
        return symlink(data, &file).at(path);
    }
    fs::write(bytes::path(&file), convert::to_work(repo, path, data.to_vec())).at(path)?;
    if bytes::base(path) == b".gitattributes" {
        repo.attributes.forget();
    }
    if mode == mode::PROGRAM {
        let status = sys::stat(&file, false).at(path)?;
        sys::chmod(&file, status.mode & 0o777 | (status.mode & 0o444) >> 2).at(path)?;
    }
    Ok(())
}

#[cfg(unix)]
fn symlink(target: &[u8], file: &[u8]) -> std::io::Result<()> {
    std::os::unix::fs::symlink(bytes::path(target), bytes::path(file))
}

#[cfg(not(unix))]
fn symlink(target: &[u8], file: &[u8]) -> std::io::Result<()> {
    let (Ok(target), Ok(file)) = (std::ffi::CString::new(target), std::ffi::CString::new(file))
    else {
        return Err(std::io::ErrorKind::InvalidInput.into());
    };
    // SAFETY: both strings are NUL-terminated and outlive the call.
    match unsafe { libc::symlink(target.as_ptr(), file.as_ptr()) } {
        0 => Ok(()),
        _ => Err(std::io::Error::last_os_error()),
    }
}

/// Makes the directories above a path. A file or link in the way is removed, so that nothing is
/// written through a link.
fn make_directories(repo: &Repo, path: &[u8]) -> Result<()> {
    for (at, _) in path.iter().enumerate().filter(|(_, b)| **b == b'/') {
        let dir = repo.work_path(&path[..at]);
        match sys::stat(&dir, false) {
            Ok(status) if work::is_directory(&status) => continue,
            Ok(_) => fs::remove_file(bytes::path(&dir)).at(&path[..at])?,
            Err(_) => {}
        }
        fs::create_dir(bytes::path(&dir)).at(&path[..at])?;
    }
    Ok(())
}

fn remove_empty_directories(dir: &[u8]) {
    if let Ok(list) = fs::read_dir(bytes::path(dir)) {
        for entry in list.flatten().filter(is_real_directory) {
            remove_empty_directories(bytes::raw(entry.path().as_os_str()));
        }
    }
    // A directory with files in it stays; writing the file then says so.
    let _ = fs::remove_dir(bytes::path(dir));
}

/// Returns true for a directory that is not a link to one.
pub(crate) fn is_real_directory(entry: &fs::DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

/// Returns true if a directory above the path is a link, which may leave the work tree.
fn is_beyond_link(repo: &Repo, path: &[u8]) -> bool {
    let mut above = path.iter().enumerate().filter(|(_, b)| **b == b'/');
    above.any(|(at, _)| {
        let status = sys::stat(&repo.work_path(&path[..at]), false);
        status.is_ok_and(|status| !work::is_directory(&status))
    })
}

/// Removes a file from the work tree, and the directories that it leaves empty.
pub(crate) fn remove(repo: &Repo, path: &[u8]) {
    if check_path(path).is_err() || is_beyond_link(repo, path) {
        return;
    }
    let file = repo.work_path(path);
    // The file may be gone already.
    let _ = fs::remove_file(bytes::path(&file));
    let cwd = crate::repo::current_dir();
    let mut dir = bytes::parent(path);
    while !dir.is_empty() {
        let full = repo.work_path(dir);
        if cwd == full || fs::remove_dir(bytes::path(&full)).is_err() {
            break;
        }
        dir = bytes::parent(dir);
    }
}

/// Words of a refusal.
pub(crate) struct Refusal {
    /// `checkout`, `merge`.
    pub(crate) by: &'static str,
    /// `switch branches`, `merge`.
    pub(crate) before: &'static str,
}

/// Moves index and work tree from one tree to another; local changes are carried along, or refuse
/// the move if they would be lost.
pub(crate) fn switch(
    repo: &Repo,
    index: &mut Index,
    from: Oid,
    to: Oid,
    refusal: &Refusal,
) -> Result<()> {
    let (old, new) = (files(&repo.odb, from)?, files(&repo.odb, to)?);
    let moves = changed(&old, &new);
    let (mut local, mut untracked) = (Vec::new(), Vec::new());
    for path in &moves {
        let before = old.get(path);
        let after = new.get(path);
        let here = index.get(path).map(|entry| (entry.mode, entry.oid));
        if here.as_ref() == after && (after.is_some() || before.is_some()) && here.is_some() {
            continue;
        }
        match index.get(path) {
            Some(entry) if Some(&(entry.mode, entry.oid)) == before => {
                match work::state(repo, entry, index.written)? {
                    State::Same | State::SameAgain(_) | State::Missing => {}
                    State::Changed { .. } => local.push(path.clone()),
                }
            }
            Some(_) => local.push(path.clone()),
            None if index.conflicts_at(path) || before.is_some() && after.is_some() => {
                local.push(path.clone());
            }
            None => {
                let file = repo.work_path(path);
                if let (Some(&(mode, oid)), Ok(status)) = (after, sys::stat(&file, false))
                    && !work::is_directory(&status)
                {
                    let is_same = work::tree_mode(repo, &status, None) == Some(mode)
                        && work::read(repo, path, mode)
                            .is_ok_and(|data| Oid::of("blob", &data) == oid);
                    if !is_same {
                        untracked.push(path.clone());
                    }
                }
            }
        }
    }
    refuse(&local, &untracked, refusal)?;
    apply(repo, index, &moves, &new)
}

fn refuse(local: &[Vec<u8>], untracked: &[Vec<u8>], refusal: &Refusal) -> Result<()> {
    let Refusal { by, before } = refusal;
    let list = |paths: &[Vec<u8>]| -> String {
        paths.iter().map(|path| format!("\t{}\n", bytes::text(path))).collect()
    };
    let mut text = String::new();
    if !local.is_empty() {
        text += &format!(
            "error: Your local changes to the following files would be overwritten by {by}:\n{}Please commit your changes or stash them before you {before}.\n",
            list(local)
        );
    }
    if !untracked.is_empty() {
        text += &format!(
            "error: The following untracked working tree files would be overwritten by {by}:\n{}Please move or remove them before you {before}.\n",
            list(untracked)
        );
    }
    if text.is_empty() {
        return Ok(());
    }
    Err(Fault { code: 1, text: text + "Aborting" })
}

/// Returns the paths in which two trees differ.
fn changed(old: &Files, new: &Files) -> BTreeSet<Vec<u8>> {
    let all = old.keys().chain(new.keys());
    all.filter(|path| old.get(*path) != new.get(*path)).cloned().collect()
}

fn apply(repo: &Repo, index: &mut Index, paths: &BTreeSet<Vec<u8>>, new: &Files) -> Result<()> {
    for path in paths.iter().filter(|path| !new.contains_key(*path)) {
        index.remove(path);
        remove(repo, path);
    }
    for path in paths {
        if let Some(&(mode, oid)) = new.get(path) {
            let here = index.get(path).map(|entry| (entry.mode, entry.oid));
            if here == Some((mode, oid)) {
                continue;
            }
            index.put(write(repo, path, mode, oid)?);
        }
    }
    Ok(())
}

/// Makes index and work tree equal to a tree; local changes of known files are lost.
pub(crate) fn force(repo: &Repo, index: &mut Index, to: Oid) -> Result<()> {
    let new = files(&repo.odb, to)?;
    let known: BTreeSet<Vec<u8>> = index.entries.iter().map(|entry| entry.path.clone()).collect();
    for path in known.iter().filter(|path| !new.contains_key(*path)) {
        index.remove(path);
        remove(repo, path);
    }
    for (path, (mode, oid)) in &new {
        let is_same = match index.get(path) {
            Some(entry) if (entry.mode, entry.oid) == (*mode, *oid) => {
                matches!(
                    work::state(repo, entry, index.written)?,
                    State::Same | State::SameAgain(_)
                )
            }
            _ => false,
        };
        if !is_same {
            index.put(write(repo, path, *mode, *oid)?);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_cannot_leave_the_work_tree() {
        for path in ["../a", "a/../b", "/a", ".git/config", "a/.GIT/x", "", "a//b"] {
            assert!(check_path(path.as_bytes()).is_err(), "{path}");
        }
        assert!(check_path(&[b'a'; MAX_PATH + 1]).is_err());
        assert!(check_path(b"a/.gitignore").is_ok());
    }
}
