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
    if let Some(plain) = without_links(path) {
        return plain;
    }
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

/// Follows a path without links and dots; `None` for another one. Most paths are of this kind, and a
/// program waits for the answer: this takes one call for each name, the general way three.
fn without_links(path: &Path) -> Option<HostPath> {
    let (mut real, mut found, mut is_missing) = (PathBuf::new(), None, false);
    for component in path.components() {
        match component {
            Component::RootDir | Component::Normal(_) => real.push(component),
            Component::ParentDir | Component::CurDir | Component::Prefix(_) => return None,
        }
        if is_missing {
            continue;
        }
        match fs::symlink_metadata(&real) {
            Ok(metadata) if metadata.is_symlink() => return None,
            Ok(metadata) => found = Some(metadata),
            Err(_) => (found, is_missing) = (None, true),
        }
    }
    real.is_absolute().then_some(HostPath { real, found, link: None })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_paths_links_dots_and_missing_files_are_followed() {
        let folder = std::env::temp_dir().join(format!("cofferdam-follow-{}", std::process::id()));
        let folder = || folder.clone();
        fs::create_dir_all(folder().join("a/b")).unwrap();
        std::os::unix::fs::symlink("a", folder().join("link")).unwrap();
        let real = fs::canonicalize(folder()).unwrap();
        let check = |path: &str, expect: &str, is_found: bool, has_link: bool| {
            let host = follow(&real.join(path));
            assert_eq!(host.real, real.join(expect), "{path}");
            assert_eq!((host.found.is_some(), host.link.is_some()), (is_found, has_link), "{path}");
        };
        check("a/b", "a/b", true, false);
        check("a//b/", "a/b", true, false);
        check("a/none/c", "a/none/c", false, false);
        check("link/b", "a/b", true, true);
        check("link/none", "a/none", false, true);
        check("a/b/../b", "a/b", true, false);
        check("none/../x", "x", false, false);
        assert_eq!(follow(Path::new("/")).real, Path::new("/"));
        assert!(follow(Path::new("/")).found.is_some());
        fs::remove_dir_all(folder()).unwrap();
    }
}
