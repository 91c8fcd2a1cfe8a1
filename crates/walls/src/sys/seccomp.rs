//! System call filters and their notifications.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use super::check;

/// One instruction of a filter.
pub(crate) type Instruction = libc::sock_filter;

/// A system call that waits for an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Notification {
    pub(crate) id: u64,
    /// Thread that made the call, as this process numbers it.
    pub(crate) pid: u32,
    pub(crate) number: i32,
    pub(crate) arguments: [u64; 6],
}

/// The kernel's `seccomp_notif`.
#[repr(C)]
#[derive(Default)]
struct RawNotification {
    id: u64,
    pid: u32,
    flags: u32,
    number: i32,
    architecture: u32,
    instruction: u64,
    arguments: [u64; 6],
}

/// The kernel's `seccomp_notif_resp`.
#[repr(C)]
struct RawAnswer {
    id: u64,
    value: i64,
    error: i32,
    flags: u32,
}

/// The kernel's `seccomp_notif_addfd`.
#[repr(C)]
struct RawAdd {
    id: u64,
    flags: u32,
    source: u32,
    target: u32,
    target_flags: u32,
}

const SET_MODE_FILTER: libc::c_ulong = 1;
const NEW_LISTENER: libc::c_ulong = 1 << 3;
/// Only a fatal signal interrupts a call that is being answered (Linux 5.19).
const WAIT_KILLABLE: libc::c_ulong = 1 << 5;
const CONTINUE: u32 = 1;
const ADD_AND_ANSWER: u32 = 2;

const RECEIVE: libc::c_ulong = 0xc050_2100;
const SEND: libc::c_ulong = 0xc018_2101;
const ID_VALID: libc::c_ulong = 0x4008_2102;
const ADD: libc::c_ulong = 0x4018_2103;
const SET_FLAGS: libc::c_ulong = 0x4008_2104;

/// Installs a filter for this thread and its children; returns the descriptor of notifications.
pub(crate) fn install(filter: &[Instruction]) -> io::Result<OwnedFd> {
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).map_err(|_| io::Error::from_raw_os_error(libc::EINVAL))?,
        filter: filter.as_ptr().cast_mut(),
    };
    let set = |flags: libc::c_ulong| {
        // SAFETY: pointer and length of the program belong to one slice, which the kernel copies.
        check(unsafe { libc::syscall(libc::SYS_seccomp, SET_MODE_FILTER, flags, &program) })
    };
    let fd = match set(NEW_LISTENER | WAIT_KILLABLE) {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => set(NEW_LISTENER)?,
        other => other?,
    };
    // SAFETY: the call returned a new descriptor that nothing else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as libc::c_int) })
}

/// Lets caller and listener run on one processor in turn, which halves the cost of a
/// notification. Older kernels refuse, which changes nothing else.
pub(crate) fn wake_in_turn(listener: BorrowedFd<'_>) {
    // SAFETY: the call takes numbers.
    unsafe { libc::ioctl(listener.as_raw_fd(), SET_FLAGS as _, 1) };
}

/// Waits for the next call. Fails with `ENOENT` if the caller ended meanwhile.
pub(crate) fn receive(listener: BorrowedFd<'_>) -> io::Result<Notification> {
    let mut raw = RawNotification::default();
    // SAFETY: the structure is the kernel's, and zeroed as it demands.
    check(libc::c_long::from(unsafe {
        libc::ioctl(listener.as_raw_fd(), RECEIVE as _, &mut raw)
    }))?;
    let RawNotification { id, pid, number, arguments, .. } = raw;
    Ok(Notification { id, pid, number, arguments })
}

/// Lets a call continue in the kernel, which reads its arguments again.
pub(crate) fn proceed(listener: BorrowedFd<'_>, id: u64) -> io::Result<()> {
    answer(listener, &RawAnswer { id, value: 0, error: 0, flags: CONTINUE })
}

/// Makes a call fail.
pub(crate) fn fail(listener: BorrowedFd<'_>, id: u64, errno: i32) -> io::Result<()> {
    answer(listener, &RawAnswer { id, value: 0, error: -errno, flags: 0 })
}

/// Makes a call return a value without being carried out.
pub(crate) fn succeed(listener: BorrowedFd<'_>, id: u64, value: i64) -> io::Result<()> {
    answer(listener, &RawAnswer { id, value, error: 0, flags: 0 })
}

fn answer(listener: BorrowedFd<'_>, raw: &RawAnswer) -> io::Result<()> {
    // SAFETY: the structure is the kernel's, which only reads it.
    check(libc::c_long::from(unsafe { libc::ioctl(listener.as_raw_fd(), SEND as _, raw) }))?;
    Ok(())
}

/// Makes a call return a new descriptor for an open file, which the next program closes if
/// `is_closed`.
pub(crate) fn inject(
    listener: BorrowedFd<'_>,
    id: u64,
    file: BorrowedFd<'_>,
    is_closed: bool,
) -> io::Result<()> {
    let raw = RawAdd {
        id,
        flags: ADD_AND_ANSWER,
        source: file.as_raw_fd() as u32,
        target: 0,
        target_flags: if is_closed { libc::O_CLOEXEC as u32 } else { 0 },
    };
    // SAFETY: the structure is the kernel's, which only reads it.
    check(libc::c_long::from(unsafe { libc::ioctl(listener.as_raw_fd(), ADD as _, &raw) }))?;
    Ok(())
}

/// Returns true if the call still waits. Numbers of processes are used again: what was read of a
/// process belongs to the caller only if the call still waits afterwards.
pub(crate) fn is_waiting(listener: BorrowedFd<'_>, id: u64) -> bool {
    // SAFETY: the kernel reads one number.
    unsafe { libc::ioctl(listener.as_raw_fd(), ID_VALID as _, &id) == 0 }
}

/// Reads memory of another process; may return less than was asked for.
pub(crate) fn read_memory(pid: u32, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
    let local = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    let remote = libc::iovec { iov_base: at as *mut libc::c_void, iov_len: buffer.len() };
    // SAFETY: the local part is the buffer; the kernel checks the remote one.
    let read = unsafe { libc::process_vm_readv(pid as libc::pid_t, &local, 1, &remote, 1, 0) };
    Ok(check(read as libc::c_long)? as usize)
}
