//! Pieces of the operating system that a sandbox needs, and the error if one is missing.

use std::fmt;
use std::io;

use serde::{Deserialize, Serialize};

/// A piece of the operating system that the walls are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Piece {
    /// User namespaces without privileges.
    UserNamespaces,
    /// Namespaces for mounts, processes, network, messages and names.
    Namespaces,
    /// Clones of mounts and their attributes.
    Mounts,
    /// Overlays in a user namespace.
    Overlay,
    /// A `/proc` of the sandbox's own.
    Processes,
    /// The network of a namespace.
    Network,
    /// Landlock.
    Landlock,
    /// Filters of system calls with notifications.
    Filter,
    /// Resource limits.
    Limits,
    /// The launcher itself.
    Launcher,
}

/// A piece that is missing; the sandbox was not started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    piece: Piece,
    detail: String,
}

impl Piece {
    /// All pieces that a machine can have or lack.
    pub const ALL: [Piece; 8] = [
        Piece::UserNamespaces,
        Piece::Namespaces,
        Piece::Mounts,
        Piece::Overlay,
        Piece::Processes,
        Piece::Network,
        Piece::Landlock,
        Piece::Filter,
    ];

    /// Returns the name of the piece.
    pub fn name(self) -> &'static str {
        match self {
            Piece::UserNamespaces => "user namespaces",
            Piece::Namespaces => "namespaces",
            Piece::Mounts => "mounts in a namespace",
            Piece::Overlay => "overlay in a user namespace",
            Piece::Processes => "a /proc of its own",
            Piece::Network => "a network of its own",
            Piece::Landlock => "Landlock",
            Piece::Filter => "seccomp notifications",
            Piece::Limits => "resource limits",
            Piece::Launcher => "the launcher",
        }
    }

    /// Returns the usual way to get the piece.
    pub fn remedy(self) -> &'static str {
        match self {
            Piece::UserNamespaces => {
                "sysctl -w kernel.unprivileged_userns_clone=1 \
                 kernel.apparmor_restrict_unprivileged_userns=0   (in a container: allow \
                 user namespaces in its seccomp profile)"
            }
            Piece::Namespaces | Piece::Network => {
                "sysctl -w user.max_net_namespaces=1000   (in a container: allow `unshare`)"
            }
            Piece::Mounts => "Linux 5.12 or newer   (in a container: allow `mount_setattr`)",
            Piece::Overlay => "Linux 6.6 or newer, or :ro and :rw in place of :overlay",
            Piece::Processes => {
                "docker run --security-opt systempaths=unconfined   (a masked /proc cannot be \
                 mounted again)"
            }
            Piece::Landlock => "Linux 5.13 or newer with lsm=landlock,… on its command line",
            Piece::Filter => {
                "Linux 5.14 or newer, outside of another sandbox that has seccomp notifications"
            }
            Piece::Limits => "ulimit -a   (shows the limits that were inherited)",
            Piece::Launcher => "cofferdam doctor   (checks this machine)",
        }
    }
}

impl Missing {
    pub(crate) fn new(piece: Piece, detail: impl fmt::Display) -> Self {
        Missing { piece, detail: detail.to_string() }
    }

    /// Returns a function that names the piece and the step that failed.
    pub(crate) fn at(piece: Piece, step: &str) -> impl FnOnce(io::Error) -> Missing {
        move |error| Missing::new(piece, format_args!("{step}: {error}"))
    }

    /// Creates the error of a system that has no thread left.
    pub fn thread() -> Self {
        Missing::new(Piece::Launcher, "the system has no thread left")
    }

    /// Creates the error of a certificate that cannot be made.
    pub fn certificates(error: &dyn fmt::Display) -> Self {
        Missing::new(Piece::Network, format_args!("certificates: {error}"))
    }

    /// Returns the piece.
    pub fn piece(&self) -> Piece {
        self.piece
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.piece.name(), self.detail)
    }
}

impl std::error::Error for Missing {}
