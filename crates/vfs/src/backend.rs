//! What a mount must answer: the same questions, whether a real directory or the kernel is below.

use std::fmt::Debug;

use crate::path::Inside;
use crate::{Errno, Kind, Mode, Open, Stat, Time};

/// Which process asks, for content that depends on it. The number is the kernel's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caller(pub u64);

/// An entry of a mounted directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) ino: u64,
    pub(crate) kind: Kind,
}

/// A directory tree that is not kept in memory. No operation follows a link, at any place of the
/// path: links are the resolver's. Whoever only shows things answers `EROFS` to the rest.
pub(crate) trait Backend: Send + Sync + Debug {
    fn stat(&self, who: Caller, at: &Inside) -> Result<Stat, Errno>;
    fn read_link(&self, who: Caller, at: &Inside) -> Result<String, Errno>;
    fn list(&self, who: Caller, at: &Inside) -> Result<Vec<Listed>, Errno>;
    fn open(&self, who: Caller, at: &Inside, how: Open) -> Result<Box<dyn Opened>, Errno>;

    fn is_read_only(&self) -> bool {
        true
    }
    /// Says whether a link with this text may be made here.
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
    fn rename(&self, _from: &Inside, _to: &Inside) -> Result<(), Errno> {
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

    fn write_at(&self, _offset: u64, _data: &[u8]) -> Result<(), Errno> {
        Err(Errno::ReadOnly)
    }
    /// Writes at the end, wherever that is by now, and says where the end is then.
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
