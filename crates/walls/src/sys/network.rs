//! The network of a namespace: its loopback interface and routes.

use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

use super::check;

/// Index of the loopback interface, which every namespace has as its first.
const LOOPBACK: u32 = 1;

fn socket(domain: libc::c_int, kind: libc::c_int) -> io::Result<OwnedFd> {
    // SAFETY: the call takes numbers.
    let fd =
        check(libc::c_long::from(unsafe { libc::socket(domain, kind | libc::SOCK_CLOEXEC, 0) }))?;
    // SAFETY: the call returned a new descriptor that nothing else owns.
    Ok(unsafe { OwnedFd::from_raw_fd(fd as libc::c_int) })
}

/// Brings up the loopback interface.
pub(crate) fn start_loopback() -> io::Result<()> {
    let socket = socket(libc::AF_INET, libc::SOCK_DGRAM)?;
    // SAFETY: a request of zeroes is valid, and the name fits with its NUL.
    unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        for (slot, byte) in request.ifr_name.iter_mut().zip(b"lo") {
            *slot = *byte as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_UP | libc::IFF_RUNNING) as libc::c_short;
        check(libc::c_long::from(libc::ioctl(
            socket.as_raw_fd(),
            libc::SIOCSIFFLAGS as _,
            &request,
        )))?;
    }
    Ok(())
}

/// Makes every address of a network local, so that a listener on all addresses receives its
/// connections.
pub(crate) fn add_local_route(network: Ipv4Addr, prefix: u8) -> io::Result<()> {
    let socket = socket(libc::AF_NETLINK, libc::SOCK_RAW)?;
    let mut message = Vec::new();
    let flags = (libc::NLM_F_REQUEST | libc::NLM_F_ACK | libc::NLM_F_CREATE) as u16;
    // Header: length (set below), type, flags, sequence number, port.
    message.extend(0u32.to_ne_bytes());
    message.extend(libc::RTM_NEWROUTE.to_ne_bytes());
    message.extend(flags.to_ne_bytes());
    message.extend(1u32.to_ne_bytes());
    message.extend(0u32.to_ne_bytes());
    // Route: family, destination and source lengths, service, table, protocol, scope, type, flags.
    message.extend([
        libc::AF_INET as u8,
        prefix,
        0,
        0,
        libc::RT_TABLE_LOCAL,
        libc::RTPROT_BOOT,
        libc::RT_SCOPE_HOST,
        libc::RTN_LOCAL,
    ]);
    message.extend(0u32.to_ne_bytes());
    for (kind, value) in
        [(libc::RTA_DST, network.octets()), (libc::RTA_OIF, LOOPBACK.to_ne_bytes())]
    {
        message.extend(8u16.to_ne_bytes());
        message.extend(kind.to_ne_bytes());
        message.extend(value);
    }
    let length = message.len() as u32;
    message[..4].copy_from_slice(&length.to_ne_bytes());
    // SAFETY: pointer and length belong to one buffer.
    let sent = unsafe { libc::send(socket.as_raw_fd(), message.as_ptr().cast(), message.len(), 0) };
    check(sent as libc::c_long)?;
    let mut reply = [0u8; 256];
    // SAFETY: as above.
    let read = unsafe { libc::recv(socket.as_raw_fd(), reply.as_mut_ptr().cast(), reply.len(), 0) };
    check(read as libc::c_long)?;
    // The reply is a header of 16 bytes and an error number, 0 for success.
    let error = i32::from_ne_bytes([reply[16], reply[17], reply[18], reply[19]]);
    if error == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(-error)) }
}
