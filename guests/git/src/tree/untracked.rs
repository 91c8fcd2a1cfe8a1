//! Files of the work tree that the index does not have.

use std::fs;

use cofferdam_guest_sys as sys;

use super::ignore::Ignore;
use super::pathspec::Pathspecs;
use super::work;
use crate::bytes::{self, join};
use crate::fault::Result;
use crate::repo::Repo;
use crate::store::index::Index;

/// Deepest directory that is entered.
const MAX_DEPTH: usize = 512;

/// Selection of files that are not in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Show {
    /// A directory without known files is one entry.
    Collapsed,
    All,
}

/// Files that are not in the index. Directories end with a slash.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) untracked: Vec<Vec<u8>>,
    pub(crate) ignored: Vec<Vec<u8>>,
}

struct Search<'a> {
    repo: &'a Repo,
    index: &'a Index,
    ignore: &'a Ignore<'a>,
    paths: &'a Pathspecs,
    show: Show,
}

/// Finds the files that are not in the index, sorted.
pub(crate) fn find(repo: &Repo, index: &Index, paths: &Pathspecs, show: Show) -> Result<Found> {
    let ignore = Ignore::new(repo);
    let search = Search { repo, index, ignore: &ignore, paths, show };
    let mut found = Found::default();
    search.directory(b"", 0, &mut found);
    found.untracked.sort();
    found.ignored.sort();
    Ok(found)
}

/// Returns the names in a directory of the work tree, sorted; none for the repository's own.
pub(crate) fn names(repo: &Repo, dir: &[u8]) -> Vec<Vec<u8>> {
    let place = repo.work_path(dir);
    let Ok(list) = fs::read_dir(bytes::path(&place)) else { return Vec::new() };
    let names = list.flatten().map(|entry| bytes::raw(&entry.file_name()).to_vec());
    let mut names: Vec<Vec<u8>> = names.filter(|name| name != b".git").collect();
    names.sort();
    names
}

impl Search<'_> {
    fn directory(&self, dir: &[u8], depth: usize, found: &mut Found) {
        if depth > MAX_DEPTH {
            return;
        }
        for name in names(self.repo, dir) {
            let path = join(dir, &name);
            let Ok(status) = sys::stat(&self.repo.work_path(&path), false) else { continue };
            let is_directory = work::is_directory(&status);
            if !is_directory {
                if self.index.get(&path).is_some()
                    || self.index.conflicts_at(&path)
                    || work::tree_mode(self.repo, &status, None).is_none()
                    || !self.paths.selects(&path)
                {
                    continue;
                }
                match self.ignore.is_ignored(&path, false) {
                    true => found.ignored.push(path),
                    false => found.untracked.push(path),
                }
            } else {
                self.subdirectory(path, depth, found);
            }
        }
    }

    /// Collects the files of an ignored directory.
    fn everything(&self, dir: &[u8], depth: usize, found: &mut Found) {
        for name in names(self.repo, dir).iter().filter(|_| depth < MAX_DEPTH) {
            let path = join(dir, name);
            match sys::stat(&self.repo.work_path(&path), false) {
                Ok(status) if work::is_directory(&status) => {
                    self.everything(&path, depth + 1, found)
                }
                Ok(_) if self.paths.selects(&path) => found.ignored.push(path),
                Ok(_) | Err(_) => {}
            }
        }
    }

    fn subdirectory(&self, path: Vec<u8>, depth: usize, found: &mut Found) {
        let slashed = [path.as_slice(), b"/"].concat();
        if self.index.has_below(&path) {
            if self.paths.may_select_below(&path) {
                self.directory(&path, depth + 1, found);
            }
            return;
        }
        // A submodule is one entry.
        if self.index.get(&path).is_some() || !self.paths.may_select_below(&path) {
            return;
        }
        if self.ignore.is_ignored(&path, true) {
            match self.show {
                Show::All => self.everything(&path, depth, found),
                Show::Collapsed if names(self.repo, &path).is_empty() => {}
                Show::Collapsed => found.ignored.push(slashed),
            }
            return;
        }
        if crate::repo::exists(&self.repo.work_path(&join(&path, b".git"))) {
            found.untracked.push(slashed);
            return;
        }
        let mut inside = Found::default();
        self.directory(&path, depth + 1, &mut inside);
        let is_whole = self.paths.is_empty() || self.paths.selects(&path);
        if self.show == Show::Collapsed && is_whole {
            if !inside.untracked.is_empty() {
                found.untracked.push(slashed);
            } else if !inside.ignored.is_empty() {
                found.ignored.push(slashed);
                return;
            }
            // The ignored files of a collapsed directory are still listed by name.
            if !inside.untracked.is_empty() {
                found.ignored.extend(inside.ignored);
            }
        } else {
            found.untracked.extend(inside.untracked);
            found.ignored.extend(inside.ignored);
        }
    }
}
