//! The files of the machine, looked at from outside: the only place of this crate that follows
//! paths of the host.

use std::fs::{self, Metadata};
use std::path::{Component, Path, PathBuf};

/// A path of the host with its links followed.
#[derive(Debug)]
pub(crate) struct HostPath {
    /// Path without links.
    pub(crate) real: PathBuf,
    /// The file there, if there is one.
    pub(crate) found: Option<Metadata>,
    /// The first link on the way, and the path that it leads to.
    pub(crate) link: Option<(PathBuf, PathBuf)>,
}

/// Follows a path of the host. Names behind a missing folder are kept as they are.
pub(crate) fn follow(path: &Path) -> HostPath {
    let link = first_link(path);
    if let Ok(real) = fs::canonicalize(path) {
        let found = fs::symlink_metadata(&real).ok();
        return HostPath { real, found, link };
    }
    let (mut base, mut rest) = (path, Vec::new());
    while let (Some(parent), Some(name)) = (base.parent(), base.file_name()) {
        rest.push(name);
        base = parent;
        if let Ok(mut real) = fs::canonicalize(base) {
            rest.iter().rev().for_each(|name| real.push(name));
            return HostPath { real: without_dots(&real), found: None, link };
        }
    }
    HostPath { real: without_dots(path), found: None, link }
}

/// Returns the first part of a path that is a link, and the path that it leads to.
pub(crate) fn first_link(path: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut at = PathBuf::new();
    for component in path.components() {
        at.push(component);
        if fs::symlink_metadata(&at).ok()?.is_symlink() {
            return fs::canonicalize(&at).ok().map(|target| (at, target));
        }
    }
    None
}

fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::from("/");
    for component in path.components() {
        match component {
            Component::ParentDir => drop(plain.pop()),
            Component::Normal(name) => plain.push(name),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    plain
}
