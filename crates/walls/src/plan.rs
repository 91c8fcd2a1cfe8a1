//! The plan of a sandbox: its files, its program, its limits; written by the supervisor and read
//! by the launcher.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// Everything that the launcher needs to know.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Plan {
    /// Files of the sandbox beside those of [`system`](crate::system), parents before children.
    pub entries: Vec<Entry>,
    /// Program to start: a path in the sandbox.
    #[serde(with = "crate::name")]
    pub program: PathBuf,
    /// Arguments, beginning with the name of the program.
    pub arguments: Vec<OsString>,
    /// Environment. Nothing of the supervisor's own environment is added.
    pub variables: Vec<(OsString, OsString)>,
    /// Working directory in the sandbox.
    #[serde(with = "crate::name")]
    pub directory: PathBuf,
    /// Limits that the kernel enforces.
    pub limits: Limits,
    /// Files and folders of the host that stay hidden, even below a folder that is shown.
    #[serde(with = "crate::name::list")]
    pub hidden: Vec<PathBuf>,
    /// Permission to use the program's own files, and those of overlays, as code.
    pub own_code: Code,
    /// Unix sockets that the program makes.
    pub unix_sockets: UnixSockets,
}

/// Treatment of a Unix socket that the program makes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnixSockets {
    /// Making one fails.
    #[default]
    Refused,
    /// The supervisor is asked for each stream socket, and can return one whose other end it holds.
    Asked,
}

/// One entry of the sandbox's tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Absolute path in the sandbox.
    #[serde(with = "crate::name")]
    pub at: PathBuf,
    /// Content.
    pub content: Content,
}

/// Content of an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// A folder that only holds other entries.
    Folder,
    /// A symbolic link.
    Link(#[serde(with = "crate::name")] PathBuf),
    /// A small file that cannot be changed.
    Text(String),
    /// A small file of the host as it is when the sandbox starts. It cannot be changed.
    Copy(#[serde(with = "crate::name")] PathBuf),
    /// A file or folder of the host.
    Host(Bind),
    /// A folder of the host; changes stay in the sandbox.
    Overlay(#[serde(with = "crate::name")] PathBuf),
    /// An empty folder that cannot be changed; files that are missing in it are asked about, even
    /// if it is below a private folder.
    Window,
    /// An empty folder for the program's own files.
    Private,
    /// A device of the host.
    Device(#[serde(with = "crate::name")] PathBuf),
    /// Information about the processes of the sandbox.
    Processes,
}

/// A file or folder of the host as the sandbox sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bind {
    /// Path on the host.
    #[serde(with = "crate::name")]
    pub source: PathBuf,
    /// Effect of writes.
    pub writing: Writing,
    /// Permission to start programs and to map code.
    pub code: Code,
}

/// Effect of writes below a [`Bind`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Writing {
    /// Writes fail.
    Refused,
    /// Writes change the host.
    Allowed,
}

/// Permission to use files below a [`Bind`] as code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Code {
    /// The files are data.
    #[default]
    Refused,
    /// The files can be started as programs and mapped as libraries.
    Allowed,
}

/// Limits that the kernel enforces for a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Memory of all processes together, kept only where there is a control group for it.
    pub memory_bytes: u64,
    /// Processes. Threads are limited to a multiple of it.
    pub processes: u64,
    /// Bytes in the program's own files.
    pub file_bytes: u64,
    /// Number of the program's own files.
    pub file_count: u64,
    /// Open files of a process.
    pub open_files: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            memory_bytes: 2 << 30,
            processes: 256,
            file_bytes: 256 << 20,
            file_count: 10_000,
            open_files: 4096,
        }
    }
}

impl Limits {
    /// Threads that a process of a usual runtime has.
    const THREADS: u64 = 32;

    /// Fewest tasks that a process namespace can be limited to.
    const FEWEST: u64 = 512;

    /// Returns the most processes and threads together.
    pub(crate) fn tasks(&self) -> u64 {
        self.processes.saturating_mul(Self::THREADS).clamp(Self::FEWEST, 1 << 22)
    }
}

impl Bind {
    /// Shows a file or folder as data that cannot be changed.
    pub fn read_only(source: impl Into<PathBuf>) -> Self {
        Bind { source: source.into(), writing: Writing::Refused, code: Code::Refused }
    }

    /// Shows a file or folder whose changes are real.
    pub fn read_write(source: impl Into<PathBuf>) -> Self {
        Bind { writing: Writing::Allowed, ..Bind::read_only(source) }
    }

    /// Shows a program or library.
    pub fn code(source: impl Into<PathBuf>) -> Self {
        Bind { code: Code::Allowed, ..Bind::read_only(source) }
    }
}

impl Entry {
    /// Creates an entry.
    pub fn new(at: impl Into<PathBuf>, content: Content) -> Self {
        Entry { at: at.into(), content }
    }
}
