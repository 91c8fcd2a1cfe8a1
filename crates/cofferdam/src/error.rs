//! Failures of the sandbox itself. A tool or program that fails is an [`Outcome`], not an error.

use std::fmt;

use crate::limits::Limit;
use crate::outcome::{Ending, Exhausted, Outcome};

/// A failure of the sandbox itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    detail: String,
    exceeded: Option<Exhausted>,
    /// The usual way out.
    pub(crate) hint: Option<&'static str>,
}

/// Kinds of [`Error`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The sandbox was destroyed.
    Destroyed,
    /// A run is under way in the sandbox, and the operation needs it idle.
    SandboxBusy,
    /// Every cell of the runtime is in use; try again when a run has ended.
    PoolFull,
    /// An option has a value that it cannot have.
    BadOption,
    /// The sandbox has no such file or folder, or no page.
    NotFound,
    /// A file or folder of the sandbox cannot be read or written.
    File,
    /// A directory of the host cannot be mounted at this path.
    Mount,
    /// An archive cannot be read, or the sandbox cannot be written as one.
    Archive,
    /// The content of the sandbox does not fit its limits.
    Limit,
    /// The engine or a guest could not be loaded.
    Engine,
    /// The operating system lacks a piece that the walls around native programs are made of.
    Walls,
    /// The crate was built without the feature that the operation needs.
    FeatureOff,
    /// Grants or the audit log cannot be read or written.
    Permissions,
    /// A state that should be impossible. The run was stopped; the host goes on.
    Internal,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, detail: impl Into<String>) -> Self {
        Error { kind, detail: detail.into(), exceeded: None, hint: None }
    }

    pub(crate) fn limit(limit: Limit, allowed: u64, detail: impl Into<String>) -> Self {
        let exceeded = Some(Exhausted::Limit { limit, allowed, wanted: None });
        Error { exceeded, ..Error::new(ErrorKind::Limit, detail) }
    }

    /// Maps an error of the sandbox's files to the kind that callers tell apart.
    pub(crate) fn file(error: &cofferdam_vfs::Error) -> Self {
        let kind = match error.errno() {
            cofferdam_vfs::Errno::NotFound => ErrorKind::NotFound,
            _ => ErrorKind::File,
        };
        Error::new(kind, error.to_string())
    }

    /// Creates the error of a system without walls for native programs.
    #[cfg(not(target_os = "linux"))]
    pub fn no_walls() -> Self {
        Error::new(ErrorKind::Walls, "native programs: Linux only")
    }

    /// Returns the usual way out, if there is one.
    pub fn hint(&self) -> Option<&'static str> {
        self.hint
    }

    /// Returns the kind of this error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the limit that was exceeded, if one of [`Limits`](crate::Limits) was.
    pub fn exceeded(&self) -> Option<&Exhausted> {
        self.exceeded.as_ref()
    }

    /// Returns the outcome of a run that could not start because filling its sandbox exceeded a
    /// limit, or `None` for any other error.
    pub fn to_outcome(&self) -> Option<Outcome> {
        self.exceeded.clone().map(|exceeded| Outcome::of(Ending::Stopped(exceeded)))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ErrorKind::Destroyed => write!(f, "sandbox: was destroyed"),
            ErrorKind::SandboxBusy
            | ErrorKind::PoolFull
            | ErrorKind::BadOption
            | ErrorKind::NotFound
            | ErrorKind::File
            | ErrorKind::Mount
            | ErrorKind::Archive
            | ErrorKind::Limit
            | ErrorKind::Engine
            | ErrorKind::FeatureOff
            | ErrorKind::Walls
            | ErrorKind::Permissions => f.write_str(&self.detail),
            ErrorKind::Internal => write!(f, "internal error: {}", self.detail),
        }
    }
}

impl std::error::Error for Error {}

impl From<cofferdam_cell::Error> for Error {
    fn from(error: cofferdam_cell::Error) -> Self {
        let kind = match error.kind() {
            cofferdam_cell::ErrorKind::PoolFull => ErrorKind::PoolFull,
            _ => ErrorKind::Engine,
        };
        Error::new(kind, error.to_string())
    }
}

impl From<cofferdam_broker::Error> for Error {
    fn from(error: cofferdam_broker::Error) -> Self {
        Error::new(ErrorKind::Permissions, error.to_string())
    }
}

impl From<cofferdam_vfs::Error> for Error {
    fn from(error: cofferdam_vfs::Error) -> Self {
        Error::file(&error)
    }
}
