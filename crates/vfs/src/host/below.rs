//! Opening directories below another one without leaving it.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::fs::{Mode as Bits, OFlags};

use crate::path::Inside;
use crate::raw;

/// Returns true if a program of the real machine that follows this link might leave the mount.
///
/// A leading `..` is allowed as long as it stays inside. A `..` after a name is not, because the
/// name may itself be a link to anywhere.
pub(super) fn leaves(at: &Inside, target: &str) -> bool {
    let mut names = target.split('/').filter(|name| !matches!(*name, "" | ".")).peekable();
    let mut room = at.names().count() - 1;
    while names.next_if_eq(&"..").is_some() {
        match room.checked_sub(1) {
            Some(less) => room = less,
            None => return true,
        }
    }
    target.starts_with('/') || names.any(|name| name == "..")
}

/// Flag to open a directory for passing through, not for reading.
#[cfg(target_os = "linux")]
pub(super) const PASS: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
pub(super) const PASS: OFlags = OFlags::RDONLY;

/// Opens a directory below another; follows no link anywhere in the path.
#[cfg(target_os = "linux")]
pub(super) fn below(
    root: BorrowedFd<'_>,
    path: &str,
    purpose: OFlags,
) -> rustix::io::Result<OwnedFd> {
    use rustix::fs::ResolveFlags;
    use rustix::io::Errno;

    let path = raw::bytes(path);
    let flags = purpose | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    match rustix::fs::openat2(root, &*path, flags, Bits::empty(), resolve) {
        // The kernel is too old, or a seccomp filter does not know the call.
        Err(Errno::NOSYS | Errno::PERM) => step_by_step(root, &path, purpose),
        opened => opened,
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn below(
    root: BorrowedFd<'_>,
    path: &str,
    purpose: OFlags,
) -> rustix::io::Result<OwnedFd> {
    step_by_step(root, &raw::bytes(path), purpose)
}

/// Opens one directory after the other, for systems without `openat2`.
fn step_by_step(root: BorrowedFd<'_>, path: &[u8], purpose: OFlags) -> rustix::io::Result<OwnedFd> {
    let flags = purpose | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut directory: Option<OwnedFd> = None;
    for name in path.split(|byte| *byte == b'/') {
        let from = directory.as_ref().map_or(root, |fd| fd.as_fd());
        directory = Some(rustix::fs::openat(from, name, flags, Bits::empty())?);
    }
    directory.ok_or(rustix::io::Errno::NOENT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;

    #[test]
    fn a_link_may_point_about_its_mount_but_not_out_of_it() {
        let at = Inside::top().join("a").join("link");
        for inside in ["x", "../b", "./..//b/c", "..", "x/y"] {
            assert!(!leaves(&at, inside), "{inside}");
        }
        for outside in ["/etc/passwd", "../..", "../../a", "x/..", "../x/../.."] {
            assert!(leaves(&at, outside), "{outside}");
        }
    }

    #[test]
    fn both_ways_of_opening_refuse_links() {
        let place = Scratch::new();
        std::fs::create_dir_all(place.path().join("a/b")).unwrap();
        std::os::unix::fs::symlink("a", place.path().join("link")).unwrap();
        let root = std::fs::File::open(place.path()).unwrap();
        let step = |root: BorrowedFd<'_>, path: &str| step_by_step(root, path.as_bytes(), PASS);
        let at_once = |root: BorrowedFd<'_>, path: &str| below(root, path, PASS);
        for open in [&at_once as &dyn Fn(BorrowedFd<'_>, &str) -> _, &step] {
            assert!(open(root.as_fd(), "a/b").is_ok());
            assert!(open(root.as_fd(), "link/b").is_err());
            assert!(open(root.as_fd(), "link").is_err());
        }
    }
}
