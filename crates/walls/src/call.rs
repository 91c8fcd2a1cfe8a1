//! A system call that waits for an answer, with its arguments read from the caller's memory.
//!
//! The arguments are a question, never the wall: when a call continues, the kernel reads them
//! again, and another thread may have changed them. Whatever the mounts do not show cannot be
//! reached either way.

use std::ffi::OsString;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use crate::calls::{self, PathArgument, Purpose};
use crate::sys::seccomp::{self, Notification};

/// Longest path that is read; the kernel's `PATH_MAX`.
const MAX_PATH: usize = 4096;

/// Size of a page; a string is read page by page, because the next page may not be there.
const PAGE: u64 = 4096;

/// Length of the first piece of a string that is read; most paths are shorter.
const PIECE: usize = 256;

/// Most words of a command line that are read for a person.
const MAX_WORDS: u64 = 16;

/// A system call that waits for an answer.
#[derive(Debug)]
pub struct Call {
    pub(crate) id: u64,
    pub(crate) pid: u32,
    /// Type and flags of a socket, if the call makes one.
    pub(crate) socket_flags: i32,
    /// The action that the call asks for.
    pub attempt: Attempt,
}

/// The action that a call asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attempt {
    /// Opens a file.
    Open(GuestPath, Access),
    /// Looks at a file without opening it.
    Look(GuestPath),
    /// Finds out if a file can be started as a program.
    LookAtProgram(GuestPath),
    /// Changes entries: one, or the old and the new name.
    Change(Vec<GuestPath>),
    /// Starts a program, with the first words of its command line.
    Execute(GuestPath, Vec<String>),
    /// Makes a socket of the internet.
    Socket,
    /// Makes a Unix socket. The call never continues: a supervisor that lets it refuses it.
    UnixSocket,
    /// Connects to an address.
    Connect(SocketAddr),
    /// Connects to a Unix socket, by its path or abstract name.
    ConnectUnix(PathBuf),
    /// Nothing to decide: the kernel's answer is the right one.
    Nothing,
}

/// The use of a file that is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Reads.
    Read,
    /// Writes, or makes the file.
    Write,
}

/// A path as the caller names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuestPath {
    /// Descriptor of the folder that a relative path begins in; the working directory if `None`.
    pub(crate) directory: Option<i32>,
    pub(crate) text: PathBuf,
    pub(crate) follow: Follow,
}

impl GuestPath {
    /// Creates a path that is not followed if it is a link; a relative one begins in the working
    /// directory.
    pub fn new(text: impl Into<PathBuf>) -> Self {
        GuestPath { directory: None, text: text.into(), follow: Follow::Never }
    }

    /// Returns the path as the caller wrote it.
    pub fn text(&self) -> &Path {
        &self.text
    }

    /// Returns the last name of the path as the caller wrote it.
    pub fn file_name(&self) -> String {
        self.text.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Treatment of a path that is a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Follow {
    Link,
    Never,
}

impl Attempt {
    /// Returns true if the tree of the sandbox may be another one afterwards.
    pub(crate) fn changes(&self) -> bool {
        match self {
            Attempt::Change(_) | Attempt::Open(_, Access::Write) => true,
            Attempt::Open(_, Access::Read)
            | Attempt::Look(_)
            | Attempt::LookAtProgram(_)
            | Attempt::Execute(..)
            | Attempt::Socket
            | Attempt::UnixSocket
            | Attempt::Connect(_)
            | Attempt::ConnectUnix(_)
            | Attempt::Nothing => false,
        }
    }
}

impl Call {
    /// Reads the arguments of a call.
    pub(crate) fn read(notification: &Notification) -> Call {
        let Notification { id, pid, .. } = *notification;
        let attempt = attempt(notification).unwrap_or(Attempt::Nothing);
        Call { id, pid, socket_flags: notification.arguments[1] as i32, attempt }
    }
}

fn attempt(call: &Notification) -> Option<Attempt> {
    if i64::from(call.number) == libc::SYS_socket {
        return Some(match call.arguments[0] as i32 {
            libc::AF_UNIX => Attempt::UnixSocket,
            _ => Attempt::Socket,
        });
    }
    let asked = calls::find(i64::from(call.number))?;
    let path = |follow| guest_path(call, asked.path, follow);
    let with_flags = |flags: u64| match flags & libc::AT_SYMLINK_NOFOLLOW as u64 {
        0 => Follow::Link,
        _ => Follow::Never,
    };
    Some(match asked.purpose {
        Purpose::Open(flags) => open(path(Follow::Link)?, call.arguments[flags]),
        Purpose::Create => Attempt::Open(path(Follow::Link)?, Access::Write),
        Purpose::Look => Attempt::Look(path(Follow::Link)?),
        Purpose::LookAtLink => Attempt::Look(path(Follow::Never)?),
        Purpose::LookWith(flags) => Attempt::Look(path(with_flags(call.arguments[flags]))?),
        Purpose::Check(rights, flags) => {
            let path = path(flags.map_or(Follow::Link, |flags| with_flags(call.arguments[flags])))?;
            match call.arguments[rights] as i32 & (libc::X_OK | libc::W_OK) {
                libc::X_OK => Attempt::LookAtProgram(path),
                _ => Attempt::Look(path),
            }
        }
        Purpose::Change => Attempt::Change(vec![path(Follow::Link)?]),
        Purpose::ChangeEntry => Attempt::Change(vec![path(Follow::Never)?]),
        Purpose::Move(second) => {
            Attempt::Change(vec![path(Follow::Never)?, guest_path(call, second, Follow::Never)?])
        }
        Purpose::Execute => {
            let words = call.arguments[asked.path.text + 1];
            Attempt::Execute(path(Follow::Link)?, read_words(call.pid, words))
        }
        Purpose::Connect => connect(call)?,
    })
}

fn open(path: GuestPath, flags: u64) -> Attempt {
    let flags = flags as i32;
    let writes = flags & libc::O_ACCMODE != libc::O_RDONLY
        || flags & (libc::O_CREAT | libc::O_TRUNC) != 0
        || flags & libc::O_TMPFILE == libc::O_TMPFILE;
    let follow = match flags & libc::O_NOFOLLOW {
        0 => Follow::Link,
        _ => Follow::Never,
    };
    let access = if writes { Access::Write } else { Access::Read };
    Attempt::Open(GuestPath { follow, ..path }, access)
}

/// Reads a path; `None` if there is none, so that the call acts on an open file.
fn guest_path(call: &Notification, argument: PathArgument, follow: Follow) -> Option<GuestPath> {
    let text = read_string(call.pid, call.arguments[argument.text])?;
    if text.is_empty() {
        return None;
    }
    let directory = argument.directory.map(|index| call.arguments[index] as i32);
    let directory = directory.filter(|number| *number != libc::AT_FDCWD);
    Some(GuestPath { directory, text: PathBuf::from(OsString::from_vec(text)), follow })
}

/// Reads a string up to its NUL; `None` if it cannot be read or is too long.
fn read_string(pid: u32, at: u64) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut short = [0; PIECE];
    let mut long = Vec::new();
    while text.len() < MAX_PATH {
        let from = at.checked_add(text.len() as u64)?;
        let piece = match text.is_empty() {
            true => &mut short[..],
            false => {
                long.resize(PAGE as usize, 0);
                &mut long[..]
            }
        };
        let room = piece.len().min((PAGE - from % PAGE) as usize);
        let read = seccomp::read_memory(pid, from, &mut piece[..room]).ok()?;
        match piece[..read].iter().position(|byte| *byte == 0) {
            Some(end) => {
                text.extend_from_slice(&piece[..end]);
                return Some(text);
            }
            None if read == 0 => return None,
            None => text.extend_from_slice(&piece[..read]),
        }
    }
    None
}

fn read_exactly(pid: u32, at: u64, buffer: &mut [u8]) -> Option<()> {
    let read = seccomp::read_memory(pid, at, buffer).ok()?;
    (read == buffer.len()).then_some(())
}

/// Reads the first words of a list of strings.
fn read_words(pid: u32, list: u64) -> Vec<String> {
    let word = |index: u64| {
        let mut pointer = [0; 8];
        read_exactly(pid, list.checked_add(index * 8)?, &mut pointer)?;
        let text = read_string(pid, u64::from_ne_bytes(pointer))?;
        Some(String::from_utf8_lossy(&text).into_owned())
    };
    (0..MAX_WORDS).map_while(word).collect()
}

/// Reads the address that a socket is to be connected to.
fn connect(call: &Notification) -> Option<Attempt> {
    let mut raw = [0; size_of::<libc::sockaddr_un>()];
    let length = (call.arguments[2] as usize).min(raw.len());
    let read = seccomp::read_memory(call.pid, call.arguments[1], &mut raw[..length]).ok()?;
    const FAMILY: usize = size_of::<libc::sa_family_t>();
    let family = i32::from(u16::from_ne_bytes([raw[0], raw[1]]));
    if family == libc::AF_UNIX && read > FAMILY {
        let name = &raw[FAMILY..read];
        // A path ends at a NUL; an abstract name begins with one.
        let end = name.iter().skip(1).position(|byte| *byte == 0).map_or(name.len(), |at| at + 1);
        return Some(Attempt::ConnectUnix(OsString::from_vec(name[..end].to_vec()).into()));
    }
    if read < size_of::<libc::sockaddr_in>() {
        return None;
    }
    let port = u16::from_be_bytes([raw[2], raw[3]]);
    let ip = match family {
        libc::AF_INET => IpAddr::V4(Ipv4Addr::new(raw[4], raw[5], raw[6], raw[7])),
        libc::AF_INET6 if read >= size_of::<libc::sockaddr_in6>() - size_of::<u32>() => {
            let octets: [u8; 16] = raw[8..24].try_into().ok()?;
            let ip = Ipv6Addr::from(octets);
            ip.to_ipv4_mapped().map_or(IpAddr::V6(ip), IpAddr::V4)
        }
        _ => return None,
    };
    Some(Attempt::Connect(SocketAddr::new(ip, port)))
}
