//! Open files: their target, position and attributes.
//!
//! Reading and writing are in `transfer`, listing is in `listing`.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use crate::backend::{Caller, Listed, Opened};
use crate::files::{Actor, Files};
use crate::inode::Body;
use crate::place::{MountSpot, Spot};
use crate::tree::Tree;
use crate::{DeviceId, Errno, Error, Ino, Kind, Mode, Open, SetTime, Stat, Time, VPath};

/// An open file or directory with its own position.
///
/// It stays attached to its node, whatever happens to the name. Descriptors that share a position
/// share one `OpenFile`.
pub struct OpenFile {
    pub(crate) tree: Tree,
    actor: Actor,
    pub(crate) caller: Caller,
    pub(crate) target: Target,
    pub(crate) how: Open,
    append: AtomicBool,
    pub(crate) position: Mutex<u64>,
    path: Box<str>,
}

/// The target of an open file.
pub(crate) enum Target {
    Node {
        ino: Ino,
        kind: Kind,
        /// The real file, for a file of an overlay that is still read from there.
        lower: OnceLock<Box<dyn Opened>>,
    },
    Mounted(Box<dyn Opened>),
    MountedDirectory {
        spot: MountSpot,
        /// The entries at the time the listing was last started.
        listing: Mutex<Vec<Listed>>,
    },
    MountedDevice(MountSpot, DeviceId),
}

impl Target {
    pub(crate) fn node(ino: Ino, kind: Kind) -> Self {
        Target::Node { ino, kind, lower: OnceLock::new() }
    }

    pub(crate) fn mounted_directory(spot: MountSpot) -> Self {
        Target::MountedDirectory { spot, listing: Mutex::default() }
    }
}

/// A position relative to the start, the current position or the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seek {
    /// The start of the file.
    Start(u64),
    /// The current position.
    Current(i64),
    /// The end of the file.
    End(i64),
}

impl OpenFile {
    pub(crate) fn new(files: Files<'_>, target: Target, how: Open, path: &str) -> Self {
        OpenFile {
            tree: files.tree.clone(),
            actor: files.actor,
            caller: files.caller,
            target,
            how,
            append: AtomicBool::new(how.append),
            position: Mutex::new(0),
            path: path.into(),
        }
    }

    /// Returns the kind of the node. Devices are read and written by the kernel.
    pub fn kind(&self) -> Kind {
        match &self.target {
            Target::Node { kind, .. } => *kind,
            Target::Mounted(_) => Kind::File,
            Target::MountedDirectory { .. } => Kind::Directory,
            Target::MountedDevice(_, id) => Kind::Device(*id),
        }
    }

    /// Returns true if writes go to the end.
    pub fn appends(&self) -> bool {
        self.append.load(Ordering::Relaxed)
    }

    /// Selects whether writes go to the end or to the position.
    pub fn set_append(&self, append: bool) {
        self.append.store(append, Ordering::Relaxed);
    }

    /// Returns the current attributes.
    pub fn stat(&self) -> Result<Stat, Error> {
        self.on(|| match &self.target {
            Target::Node { ino, .. } => Ok(self.tree.lock().get(*ino)?.stat(*ino)),
            Target::Mounted(file) => file.stat(),
            Target::MountedDirectory { spot, .. } | Target::MountedDevice(spot, _) => {
                spot.backend.stat(self.caller, &spot.inside)
            }
        })
    }

    /// Returns the current path of a directory; `ENOENT` if it was removed. A file may have several
    /// paths or none, so it returns `ENOTDIR`.
    pub fn path(&self) -> Result<VPath, Error> {
        self.on(|| match self.spot(&self.tree)? {
            Spot::Node(ino) => self.tree.lock().path(ino),
            Spot::Mounted(spot) => spot.path(&self.tree),
        })
    }

    /// Moves the position and returns it.
    pub fn seek(&self, to: Seek) -> Result<u64, Error> {
        let mut position = self.position.lock().unwrap_or_else(PoisonError::into_inner);
        let (base, by) = match to {
            Seek::Start(at) => (at, 0),
            Seek::Current(by) => (*position, by),
            Seek::End(by) => (self.stat()?.size, by),
        };
        let at = base.checked_add_signed(by).filter(|at| *at <= i64::MAX as u64);
        *position = self.on(|| at.ok_or(Errno::Invalid))?;
        Ok(*position)
    }

    /// Sets the permission bits.
    pub fn set_mode(&self, mode: Mode, now: Time) -> Result<(), Error> {
        self.on(|| match &self.target {
            Target::Node { ino, .. } => {
                let mut state = self.tree.lock();
                self.files(now).may_change(state.get(*ino)?)?;
                state.edit(*ino, |inode| inode.set_mode(mode, now))
            }
            Target::Mounted(file) => file.set_mode(mode),
            Target::MountedDirectory { spot, .. } | Target::MountedDevice(spot, _) => {
                spot.backend.set_mode(&spot.inside, mode)
            }
        })
    }

    /// Sets the times of access and modification.
    pub fn set_times(&self, accessed: SetTime, modified: SetTime, now: Time) -> Result<(), Error> {
        self.on(|| match &self.target {
            Target::Node { ino, .. } => {
                let mut state = self.tree.lock();
                self.files(now).may_change(state.get(*ino)?)?;
                state.edit(*ino, |inode| inode.set_times(accessed, modified, now))
            }
            Target::Mounted(file) => file.set_times(accessed.at(now), modified.at(now)),
            Target::MountedDirectory { spot, .. } | Target::MountedDevice(spot, _) => {
                spot.backend.set_times(&spot.inside, accessed.at(now), modified.at(now))
            }
        })
    }

    /// Returns the directory as the start of a path; `ENOTDIR` for anything else.
    pub(crate) fn spot(&self, tree: &Tree) -> Result<Spot, Errno> {
        match &self.target {
            _ if !self.tree.is(tree) => Err(Errno::BadHandle),
            Target::Node { ino, kind: Kind::Directory, .. } => Ok(Spot::Node(*ino)),
            Target::MountedDirectory { spot, .. } => Ok(Spot::Mounted(spot.clone())),
            Target::Node { .. } | Target::Mounted(_) | Target::MountedDevice(..) => {
                Err(Errno::NotDirectory)
            }
        }
    }

    /// Opens the real file of an overlay's file if its bytes are still read from there.
    pub(crate) fn open_lower(&self) -> Result<(), Errno> {
        let Target::Node { ino, lower, .. } = &self.target else { return Ok(()) };
        let origin = match self.tree.lock().get(*ino)? {
            inode if !matches!(inode.body, Body::Lower(_)) => return Ok(()),
            inode => inode.origin.clone().ok_or(Errno::Io)?,
        };
        if lower.get().is_none() {
            let file = origin.backend.open(self.caller, &origin.path, Open::to_read())?;
            // Another thread may have opened the same file first.
            let _ = lower.set(file);
        }
        Ok(())
    }

    pub(crate) fn files(&self, now: Time) -> Files<'_> {
        Files { tree: &self.tree, actor: self.actor, caller: self.caller, now }
    }

    /// Runs an operation and adds the path of this file to its error.
    pub(crate) fn on<T>(&self, run: impl FnOnce() -> Result<T, Errno>) -> Result<T, Error> {
        run().map_err(|errno| Error::new(errno, &self.path))
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        if let Target::Node { ino, .. } = &self.target {
            self.tree.lock().release(*ino);
        }
    }
}

impl fmt::Debug for OpenFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenFile").field("path", &self.path).field("how", &self.how).finish()
    }
}
