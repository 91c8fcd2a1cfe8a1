//! Open files by number.

use std::ffi::CString;
use std::io;
use std::os::fd::RawFd;

use crate::system;

/// A descriptor of this process.
pub type Fd = RawFd;

fn checked(answer: libc::c_int) -> io::Result<libc::c_int> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

/// Opens a file. `flags` are the C library's `O_…`.
pub fn open(path: &[u8], flags: i32, mode: u32) -> io::Result<Fd> {
    let path = CString::new(path).map_err(|_| io::Error::from_raw_os_error(libc::ENOENT))?;
    // SAFETY: the path ends with a zero byte.
    checked(unsafe { libc::open(path.as_ptr(), flags | system::OPEN_FLAGS, mode) })
}

/// Closes a descriptor.
pub fn close(fd: Fd) -> io::Result<()> {
    // SAFETY: closing a number touches no memory; whoever holds the number knows it is theirs.
    checked(unsafe { libc::close(fd) }).map(drop)
}

/// Reads once. An interruption by a signal is the caller's to see.
pub fn read(fd: Fd, buf: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the buffer is as long as said.
    let len = unsafe { libc::read(fd, buf.as_mut_ptr().cast(), buf.len()) };
    if len < 0 { Err(io::Error::last_os_error()) } else { Ok(len as usize) }
}

/// Writes once.
pub fn write(fd: Fd, buf: &[u8]) -> io::Result<usize> {
    // SAFETY: the buffer is as long as said.
    let len = unsafe { libc::write(fd, buf.as_ptr().cast(), buf.len()) };
    if len < 0 { Err(io::Error::last_os_error()) } else { Ok(len as usize) }
}

/// Writes all of it, also when signals come in between.
pub fn write_all(fd: Fd, mut buf: &[u8]) -> io::Result<()> {
    while !buf.is_empty() {
        match write(fd, buf) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(len) => buf = &buf[len..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A new pipe: the end to read, the end to write. Both are out of the way of script numbers.
pub fn pipe() -> io::Result<(Fd, Fd)> {
    system::pipe()
}

/// The same open file under the first free number from `least` on.
pub fn copy(fd: Fd, least: Fd) -> io::Result<Fd> {
    system::copy(fd, least)
}

/// The same open file where no script number can be.
pub fn park(fd: Fd) -> io::Result<Fd> {
    system::copy(fd, system::PARKED)
}

/// `to` is closed and becomes the same open file as `fd`.
pub fn replace(fd: Fd, to: Fd) -> io::Result<()> {
    system::replace(fd, to)
}

/// Whether a person sits at the other end.
pub fn is_terminal(fd: Fd) -> bool {
    // SAFETY: asks about a number, touches no memory.
    unsafe { libc::isatty(fd) == 1 }
}

/// Whether a read would answer at once, waiting for that at most so many milliseconds.
pub fn readable(fd: Fd, milliseconds: i32) -> io::Result<bool> {
    let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: one entry, as said.
    checked(unsafe { libc::poll(&mut poll, 1, milliseconds) }).map(|ready| ready > 0)
}
