//! Open files, addressed by descriptor number.

use std::ffi::CString;
use std::io;
use std::os::fd::RawFd;

use crate::system;

/// A descriptor number of this process.
pub type Fd = RawFd;

fn checked(answer: libc::c_int) -> io::Result<libc::c_int> {
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

/// Opens a file. `flags` are the C library's `O_*` constants.
pub fn open(path: &[u8], flags: i32, mode: u32) -> io::Result<Fd> {
    let path = CString::new(path).map_err(|_| io::Error::from_raw_os_error(libc::ENOENT))?;
    // SAFETY: `path` is NUL-terminated and outlives the call.
    checked(unsafe { libc::open(path.as_ptr(), flags | system::OPEN_FLAGS, mode) })
}

/// Closes a descriptor.
pub fn close(fd: Fd) -> io::Result<()> {
    // SAFETY: `close` accesses no memory. `Fd` is a plain number, so no owned handle is
    // invalidated.
    checked(unsafe { libc::close(fd) }).map(drop)
}

/// Reads once. Returns `ErrorKind::Interrupted` if a signal arrives first.
pub fn read(fd: Fd, buf: &mut [u8]) -> io::Result<usize> {
    // SAFETY: `buf` is valid for writes of `buf.len()` bytes.
    let len = unsafe { libc::read(fd, buf.as_mut_ptr().cast(), buf.len()) };
    if len < 0 { Err(io::Error::last_os_error()) } else { Ok(len as usize) }
}

/// Writes once and returns the number of bytes written.
pub fn write(fd: Fd, buf: &[u8]) -> io::Result<usize> {
    // SAFETY: `buf` is valid for reads of `buf.len()` bytes.
    let len = unsafe { libc::write(fd, buf.as_ptr().cast(), buf.len()) };
    if len < 0 { Err(io::Error::last_os_error()) } else { Ok(len as usize) }
}

/// Writes the whole buffer, retrying after signals.
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

/// Creates a pipe and returns its read end and write end. Neither collides with a script number.
pub fn pipe() -> io::Result<(Fd, Fd)> {
    system::pipe()
}

/// Duplicates a descriptor to the lowest free number that is at least `least`.
pub fn copy(fd: Fd, least: Fd) -> io::Result<Fd> {
    system::copy(fd, least)
}

/// Duplicates a descriptor to a number that no script number maps to.
pub fn park(fd: Fd) -> io::Result<Fd> {
    system::copy(fd, system::PARKED)
}

/// Makes `to` a duplicate of `fd`, closing the file `to` referred to before.
pub fn replace(fd: Fd, to: Fd) -> io::Result<()> {
    system::replace(fd, to)
}

/// Returns true if the descriptor is a terminal.
pub fn is_terminal(fd: Fd) -> bool {
    // SAFETY: `isatty` accesses no memory of this process.
    unsafe { libc::isatty(fd) == 1 }
}

/// Waits up to `milliseconds` and returns true if a read would not block.
pub fn readable(fd: Fd, milliseconds: i32) -> io::Result<bool> {
    let mut poll = libc::pollfd { fd, events: libc::POLLIN, revents: 0 };
    // SAFETY: `poll` points to one live `pollfd`, and the count passed is 1.
    checked(unsafe { libc::poll(&mut poll, 1, milliseconds) }).map(|ready| ready > 0)
}
