//! The interface of a mount, for real directories and for content provided by the kernel.

use std::fmt::Debug;

use crate::path::Inside;
use crate::{Errno, Interrupt, Kind, Mode, Open, Stat, Time};

/// Number of the process that makes a call, for content that depends on it. The kernel assigns it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caller(pub u64);

/// An entry of a mounted directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) ino: u64,
    pub(crate) kind: Kind,
}

/// A directory tree that is not kept in memory. No operation follows a link anywhere in its path;
/// the resolver does that. A backend that only reads keeps the defaults, which return `EROFS`.
pub(crate) trait Backend: Send + Sync + Debug {
    fn stat(&self, who: Caller, at: &Inside) -> Result<Stat, Errno>;
    fn read_link(&self, who: Caller, at: &Inside) -> Result<String, Errno>;
    /// Lists a directory, unless `until` interrupts.
    fn list(&self, who: Caller, at: &Inside, until: &Interrupt) -> Result<Vec<Listed>, Errno>;
    fn open(&self, who: Caller, at: &Inside, how: Open) -> Result<Box<dyn Opened>, Errno>;

    fn is_read_only(&self) -> bool {
        true
    }
    /// Checks that a link with this target may be created here.
    fn may_link(&self, _at: &Inside, _target: &str) -> Result<(), Errno> {
        Ok(())
    }
    fn make_directory(&self, _at: &Inside, _mode: Mode) -> Result<(), Errno> {
        Err(Errno::ReadOnly)
    }
    fn make_link(&self, _at: &Inside, _target: &str) -> Result<(), Errno> {
        Err(Errno::ReadOnly)
    }
    fn link(&self, _from: &Inside, _to: &Inside) -> Result<(), Errno> {
        Err(Errno::ReadOnly)
    }
    /// Renames an entry, unless `until` interrupts before the change.
    fn rename(&self, _from: &Inside, _to: &Inside, _until: &Interrupt) -> Result<(), Errno> {
        Err(Errno::ReadOnly)
    }
    fn remove_file(&self, _at: &Inside) -> Result<(), Errno> {
        Err(Errno::ReadOnly)
    }
    fn remove_directory(&self, _at: &Inside) -> Result<(), Errno> {
        Err(Errno::ReadOnly)
    }
    fn set_mode(&self, _at: &Inside, _mode: Mode) -> Result<(), Errno> {
        Err(Errno::ReadOnly)
    }
    fn set_times(
        &self,
        _at: &Inside,
        _accessed: Option<Time>,
        _modified: Option<Time>,
    ) -> Result<(), Errno> {
        Err(Errno::ReadOnly)
    }
}

/// An open file of a mount.
pub(crate) trait Opened: Send + Sync + Debug {
    fn stat(&self) -> Result<Stat, Errno>;
    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<usize, Errno>;
    /// Asks that a read fetches no more than its range, so that none takes long.
    fn without_readahead(&self) {}

    fn write_at(&self, _offset: u64, _data: &[u8]) -> Result<(), Errno> {
        Err(Errno::ReadOnly)
    }
    /// Appends at the current end of the file and returns the new end.
    fn append(&self, _data: &[u8]) -> Result<u64, Errno> {
        Err(Errno::ReadOnly)
    }
    fn resize(&self, _size: u64) -> Result<(), Errno> {
        Err(Errno::ReadOnly)
    }
    fn set_mode(&self, _mode: Mode) -> Result<(), Errno> {
        Err(Errno::ReadOnly)
    }
    fn set_times(&self, _accessed: Option<Time>, _modified: Option<Time>) -> Result<(), Errno> {
        Err(Errno::ReadOnly)
    }
}
