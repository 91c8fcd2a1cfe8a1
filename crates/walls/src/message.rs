//! Messages between the supervisor and the launcher.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::PathBuf;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::missing::Missing;
use crate::plan::Bind;
use crate::sys::socket;

/// An order of the supervisor to the launcher of a running sandbox.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// Mounts a file or folder.
    Mount {
        #[serde(with = "crate::name")]
        at: PathBuf,
        bind: Bind,
        world: World,
        /// Device and inode that the supervisor checked.
        identity: (u64, u64),
    },
    /// Changes the attributes of the mount at a path.
    Change {
        #[serde(with = "crate::name")]
        at: PathBuf,
        bind: Bind,
    },
    /// Makes a symbolic link.
    Link {
        #[serde(with = "crate::name")]
        at: PathBuf,
        #[serde(with = "crate::name")]
        target: PathBuf,
    },
    /// Makes an empty folder.
    Folder {
        #[serde(with = "crate::name")]
        at: PathBuf,
    },
    /// Takes away the mount at a path.
    Unmount {
        #[serde(with = "crate::name")]
        at: PathBuf,
    },
    /// Listens on a port of the sandbox's network.
    Listen { port: u16, loopback: bool },
}

/// The tree in which the source of a mount is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum World {
    /// The files of the host.
    Host,
    /// The files of the sandbox.
    Sandbox,
}

/// Files that stay hidden, from init to the launcher.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct HiddenFiles(#[serde(with = "crate::name::list")] pub(crate) Vec<PathBuf>);

/// A message of the launcher.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The sandbox cannot be made.
    Missing(Missing),
    /// Sockets of the sandbox's network: one for names, and one for each port.
    Listening,
    /// The program is about to start: the descriptor of notifications, the root, and init.
    Ready,
    /// The order was carried out, or failed with this error number.
    Done(Option<i32>),
}

pub(crate) fn send<T: Serialize>(
    socket: BorrowedFd<'_>,
    message: &T,
    fds: &[BorrowedFd<'_>],
) -> io::Result<()> {
    let bytes = serde_json::to_vec(message).map_err(io::Error::other)?;
    socket::send(socket, &bytes, fds)
}

/// Receives a message; `None` if the other end is closed.
pub(crate) fn receive<T: DeserializeOwned>(
    socket: BorrowedFd<'_>,
) -> io::Result<Option<(T, Vec<OwnedFd>)>> {
    let (bytes, fds) = socket::receive(socket)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let message = serde_json::from_slice(&bytes).map_err(io::Error::other)?;
    Ok(Some((message, fds)))
}
