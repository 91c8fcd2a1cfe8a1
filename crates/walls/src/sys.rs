//! Calls of the operating system that neither `std` nor a crate offers; all `unsafe` code of this
//! crate is in here and in the files below.
//!
//! Functions take and return owned descriptors, so that nothing above this module holds a number.

#![allow(unsafe_code, reason = "system calls")]

pub(crate) mod mount;
pub(crate) mod network;
pub(crate) mod process;
pub(crate) mod seccomp;
pub(crate) mod socket;

use std::ffi::{CString, OsStr};
use std::io;
use std::os::unix::ffi::OsStrExt;

/// Turns the result of a system call into a `Result`.
pub(crate) fn check(result: libc::c_long) -> io::Result<libc::c_long> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// Copies a path for a system call; fails if it contains a NUL.
pub(crate) fn c_string(path: impl AsRef<OsStr>) -> io::Result<CString> {
    CString::new(path.as_ref().as_bytes()).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))
}
