//! Mounts: the calls that clone, change, attach and detach them, and namespaces.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::path::Path;

use super::{c_string, check};

/// Extent of a clone of a mount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// The mount alone.
    One,
    /// The mount and all mounts below it.
    Tree,
}

/// Treatment of a mount when one around it is cloned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cloning {
    /// The mount is left out, and cannot be cloned itself.
    Refused,
    Allowed,
}

/// Attributes of a mount; the kernel's `MOUNT_ATTR_*`.
pub(crate) const READ_ONLY: u64 = 0x1;
pub(crate) const NO_SUID: u64 = 0x2;
pub(crate) const NO_DEVICES: u64 = 0x4;
pub(crate) const NO_EXEC: u64 = 0x8;

const OPEN_TREE_CLONE: libc::c_uint = 1;
const AT_RECURSIVE: libc::c_uint = 0x8000;
const MOVE_MOUNT_F_EMPTY_PATH: libc::c_uint = 4;

/// Clones the mount at a path, below a directory if one is given. The clone is attached nowhere.
pub(crate) fn clone(
    below: Option<BorrowedFd<'_>>,
    path: &Path,
    depth: Depth,
) -> io::Result<OwnedFd> {
    let path = c_string(path)?;
    let below = below.map_or(libc::AT_FDCWD, |fd| fd.as_raw_fd());
    let recursive = match depth {
        Depth::One => 0,
        Depth::Tree => AT_RECURSIVE,
    };
    let flags = OPEN_TREE_CLONE | libc::O_CLOEXEC as libc::c_uint | recursive;
    // SAFETY: the path is a string that ends with NUL and outlives the call.
    let fd = check(unsafe { libc::syscall(libc::SYS_open_tree, below, path.as_ptr(), flags) })?;
    // SAFETY: the call returned a new descriptor that nothing else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as libc::c_int) })
}

/// Sets and clears attributes of a mount.
pub(crate) fn set_attributes(
    mount: BorrowedFd<'_>,
    set: u64,
    clear: u64,
    depth: Depth,
) -> io::Result<()> {
    let attributes: [u64; 4] = [set, clear, 0, 0];
    let recursive = match depth {
        Depth::One => 0,
        Depth::Tree => AT_RECURSIVE,
    };
    let flags = libc::AT_EMPTY_PATH as libc::c_uint | recursive;
    // SAFETY: the structure has the layout and length of the kernel's `mount_attr`, and the empty
    // path is a string that ends with NUL.
    check(unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            mount.as_raw_fd(),
            c"".as_ptr(),
            flags,
            attributes.as_ptr(),
            size_of_val(&attributes),
        )
    })?;
    Ok(())
}

/// Attaches a cloned mount at a path of the current mount namespace.
pub(crate) fn attach(mount: BorrowedFd<'_>, at: &Path) -> io::Result<()> {
    let at = c_string(at)?;
    // SAFETY: both paths are strings that end with NUL and outlive the call.
    check(unsafe {
        libc::syscall(
            libc::SYS_move_mount,
            mount.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_FDCWD,
            at.as_ptr(),
            MOVE_MOUNT_F_EMPTY_PATH,
        )
    })?;
    Ok(())
}

/// Mounts a new filesystem of a type at a path.
pub(crate) fn mount(kind: &CStr, at: &Path, flags: libc::c_ulong, data: &str) -> io::Result<()> {
    let (at, data) = (c_string(at)?, c_string(data)?);
    // SAFETY: all four are strings that end with NUL and outlive the call.
    check(libc::c_long::from(unsafe {
        libc::mount(kind.as_ptr(), at.as_ptr(), kind.as_ptr(), flags, data.as_ptr().cast())
    }))?;
    Ok(())
}

/// Keeps mounts of this namespace from appearing in others, and those of others in this one.
pub(crate) fn make_private() -> io::Result<()> {
    let flags = libc::MS_REC | libc::MS_PRIVATE;
    // SAFETY: the path is a string that ends with NUL; the other pointers may be null.
    check(libc::c_long::from(unsafe {
        libc::mount(std::ptr::null(), c"/".as_ptr(), std::ptr::null(), flags, std::ptr::null())
    }))?;
    Ok(())
}

/// Sets if clones of the folders around a mount contain it.
pub(crate) fn set_cloning(at: &Path, cloning: Cloning) -> io::Result<()> {
    let at = c_string(at)?;
    let flags = match cloning {
        Cloning::Refused => libc::MS_UNBINDABLE,
        Cloning::Allowed => libc::MS_PRIVATE,
    };
    // SAFETY: the path is a string that ends with NUL; the other pointers may be null.
    check(libc::c_long::from(unsafe {
        libc::mount(std::ptr::null(), at.as_ptr(), std::ptr::null(), flags, std::ptr::null())
    }))?;
    Ok(())
}

/// Detaches the mount at a path.
pub(crate) fn detach(at: &Path) -> io::Result<()> {
    let at = c_string(at)?;
    // SAFETY: the path is a string that ends with NUL and outlives the call.
    check(libc::c_long::from(unsafe { libc::umount2(at.as_ptr(), libc::MNT_DETACH) }))?;
    Ok(())
}

/// Makes the current directory, a mount, the root, and detaches the old root.
pub(crate) fn pivot_here() -> io::Result<()> {
    // SAFETY: both paths are strings that end with NUL.
    check(unsafe { libc::syscall(libc::SYS_pivot_root, c".".as_ptr(), c".".as_ptr()) })?;
    detach(Path::new("."))?;
    std::env::set_current_dir("/")
}

/// Moves this process into new namespaces.
pub(crate) fn unshare(namespaces: libc::c_int) -> io::Result<()> {
    // SAFETY: the call takes a number and changes only this process.
    check(libc::c_long::from(unsafe { libc::unshare(namespaces) }))?;
    Ok(())
}

/// Moves this process into a namespace of this kind.
pub(crate) fn enter(namespace: BorrowedFd<'_>, kind: libc::c_int) -> io::Result<()> {
    // SAFETY: the call takes numbers and changes only this process.
    check(libc::c_long::from(unsafe { libc::setns(namespace.as_raw_fd(), kind) }))?;
    Ok(())
}
