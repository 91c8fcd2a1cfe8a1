//! Files by name, as far as the standard library cannot say it on every target.

use std::ffi::CString;
use std::io;

use cofferdam_abi::process::FileStatus;

use crate::system;

/// What is known about a file. A relative name starts at the working directory.
pub fn stat(path: &[u8], follow: bool) -> io::Result<FileStatus> {
    system::stat(path, follow)
}

/// Sets the permission bits. Links are followed.
pub fn chmod(path: &[u8], mode: u32) -> io::Result<()> {
    system::chmod(path, mode)
}

/// Makes a named pipe.
pub fn mkfifo(path: &[u8], mode: u32) -> io::Result<()> {
    system::mkfifo(path, mode)
}

/// Sets the bits that new files lack; answers those before.
pub fn umask(mask: u32) -> u32 {
    system::umask(mask)
}

/// Makes this the working directory, also for the standard library's relative names.
pub fn chdir(path: &[u8]) -> io::Result<()> {
    let path = CString::new(path).map_err(|_| io::Error::from_raw_os_error(libc::ENOENT))?;
    // SAFETY: the path ends with a zero byte.
    if unsafe { libc::chdir(path.as_ptr()) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
