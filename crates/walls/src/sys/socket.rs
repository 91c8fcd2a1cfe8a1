//! Messages with descriptors, over a pair of sockets that keeps message borders.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};

use super::check;

/// Most descriptors of one message.
const MAX_DESCRIPTORS: usize = 16;

/// Longest message.
pub(crate) const MAX_MESSAGE: usize = 64 << 10;

/// Room for the control part of a message: a header and the descriptors.
const CONTROL: usize = 128;

/// Makes a pair of connected sockets.
pub(crate) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    let kind = libc::SOCK_SEQPACKET | libc::SOCK_CLOEXEC;
    // SAFETY: the call writes two numbers into the array.
    check(libc::c_long::from(unsafe {
        libc::socketpair(libc::AF_UNIX, kind, 0, ends.as_mut_ptr())
    }))?;
    // SAFETY: the call returned two new descriptors that nothing else owns.
    Ok(unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) })
}

/// Control part of a message, aligned as the kernel wants it.
#[repr(C, align(8))]
struct Control([u8; CONTROL]);

/// Sends one message with descriptors.
pub(crate) fn send(socket: BorrowedFd<'_>, bytes: &[u8], fds: &[BorrowedFd<'_>]) -> io::Result<()> {
    let numbers: Vec<libc::c_int> = fds.iter().map(|fd| fd.as_raw_fd()).collect();
    if numbers.len() > MAX_DESCRIPTORS || bytes.len() > MAX_MESSAGE {
        return Err(io::Error::from_raw_os_error(libc::EMSGSIZE));
    }
    let mut control = Control([0; CONTROL]);
    let mut part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    // SAFETY: a header of zeroes is valid. The pointers belong to values that outlive the call,
    // and `CONTROL` has room for `MAX_DESCRIPTORS` numbers behind a header.
    let sent = unsafe {
        let mut header: libc::msghdr = std::mem::zeroed();
        header.msg_iov = &mut part;
        header.msg_iovlen = 1;
        if !numbers.is_empty() {
            let length = size_of_val(numbers.as_slice()) as libc::c_uint;
            header.msg_control = control.0.as_mut_ptr().cast();
            header.msg_controllen = libc::CMSG_SPACE(length) as _;
            let first = libc::CMSG_FIRSTHDR(&header);
            (*first).cmsg_level = libc::SOL_SOCKET;
            (*first).cmsg_type = libc::SCM_RIGHTS;
            (*first).cmsg_len = libc::CMSG_LEN(length) as _;
            std::ptr::copy_nonoverlapping(
                numbers.as_ptr().cast::<u8>(),
                libc::CMSG_DATA(first),
                length as usize,
            );
        }
        libc::sendmsg(socket.as_raw_fd(), &header, libc::MSG_NOSIGNAL)
    };
    check(sent as libc::c_long)?;
    Ok(())
}

/// Receives one message with its descriptors. No bytes mean that the other end is closed.
pub(crate) fn receive(socket: BorrowedFd<'_>) -> io::Result<(Vec<u8>, Vec<OwnedFd>)> {
    let mut bytes = vec![0; MAX_MESSAGE];
    let mut control = Control([0; CONTROL]);
    let mut part = libc::iovec { iov_base: bytes.as_mut_ptr().cast(), iov_len: bytes.len() };
    // SAFETY: a header of zeroes is valid, and the pointers belong to values that outlive the call.
    let mut header: libc::msghdr = unsafe { std::mem::zeroed() };
    header.msg_iov = &mut part;
    header.msg_iovlen = 1;
    header.msg_control = control.0.as_mut_ptr().cast();
    header.msg_controllen = CONTROL as _;
    let length = loop {
        // SAFETY: as above.
        let length =
            unsafe { libc::recvmsg(socket.as_raw_fd(), &mut header, libc::MSG_CMSG_CLOEXEC) };
        match check(length as libc::c_long) {
            Ok(length) => break length as usize,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    };
    let mut fds = Vec::new();
    // SAFETY: the kernel filled in the control part, and each number in it is a new descriptor
    // that nothing else owns.
    unsafe {
        let first = libc::CMSG_FIRSTHDR(&header);
        if !first.is_null() && (*first).cmsg_type == libc::SCM_RIGHTS {
            let room = (*first).cmsg_len as usize - libc::CMSG_LEN(0) as usize;
            let numbers = libc::CMSG_DATA(first).cast::<libc::c_int>();
            for index in 0..room / size_of::<libc::c_int>() {
                fds.push(OwnedFd::from_raw_fd(numbers.add(index).read_unaligned()));
            }
        }
    }
    if header.msg_flags & (libc::MSG_TRUNC | libc::MSG_CTRUNC) != 0 {
        return Err(io::Error::from_raw_os_error(libc::EMSGSIZE));
    }
    bytes.truncate(length);
    Ok((bytes, fds))
}

/// Closes the sending half: the other end reads the end of the messages.
pub(crate) fn stop_sending(socket: BorrowedFd<'_>) {
    // SAFETY: the call takes numbers.
    unsafe { libc::shutdown(socket.as_raw_fd(), libc::SHUT_WR) };
}
