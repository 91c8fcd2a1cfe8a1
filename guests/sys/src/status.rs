//! Path operations that the standard library does not offer on every target.

use std::ffi::CString;
use std::io;

use cofferdam_abi::process::FileStatus;

use crate::system;

/// Returns the status of a file. A relative path starts at the working directory.
pub fn stat(path: &[u8], follow: bool) -> io::Result<FileStatus> {
    system::stat(path, follow)
}

/// Sets the permission bits of a file, following links.
pub fn chmod(path: &[u8], mode: u32) -> io::Result<()> {
    system::chmod(path, mode)
}

/// Creates a named pipe.
pub fn mkfifo(path: &[u8], mode: u32) -> io::Result<()> {
    system::mkfifo(path, mode)
}

/// Sets the file mode creation mask and returns the previous one.
pub fn umask(mask: u32) -> u32 {
    system::umask(mask)
}

/// Changes the working directory, for the standard library's relative paths as well.
pub fn chdir(path: &[u8]) -> io::Result<()> {
    let path = CString::new(path).map_err(|_| io::Error::from_raw_os_error(libc::ENOENT))?;
    // SAFETY: `path` is NUL-terminated and outlives the call.
    if unsafe { libc::chdir(path.as_ptr()) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
