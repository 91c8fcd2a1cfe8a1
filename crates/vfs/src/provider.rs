//! Content provided by the kernel, such as `/proc`, as a mount.
//!
//! Separate from `host`: it touches no real directory and is always read-only.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::backend::{Backend, Listed, Opened};
use crate::path::{Inside, check_name};
use crate::{Caller, DeviceId, Errno, Ino, Kind, Mode, Open, Stat, Time};

/// Files whose content is generated on access, such as `/proc`. Read-only for everyone.
pub trait Provider: Send + Sync {
    /// Returns the item at a path below the mount point, as seen by `caller`. Returns `None` if
    /// there is none. An empty path is the top, which must be a directory.
    ///
    /// Called for every step of a path and every access, never under the lock of the tree.
    fn item(&self, caller: Caller, names: &[&str]) -> Option<Item>;
}

/// The node that a [`Provider`] has at a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// The names of a directory; each must be an item.
    Directory(Vec<String>),
    /// The content of a file. An open file keeps the content from the time it was opened.
    File(Vec<u8>),
    /// The target of a symbolic link.
    Link(String),
    /// A device, which only the kernel can open.
    Device(DeviceId),
}

/// A provider as the backend of a mount.
pub(crate) struct Provided {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) device: u64,
    pub(crate) since: Time,
}

impl Provided {
    fn item(&self, who: Caller, at: &Inside) -> Result<Item, Errno> {
        let names: Vec<&str> = at.names().collect();
        self.provider.item(who, &names).ok_or(Errno::NotFound)
    }

    fn stat_of(&self, at: &Inside, item: &Item) -> Stat {
        let (kind, mode, size) = match item {
            Item::Directory(_) => (Kind::Directory, Mode::new(0o555), 0),
            Item::File(bytes) => (Kind::File, Mode::new(0o444), bytes.len() as u64),
            Item::Link(target) => (Kind::Link, Mode::LINK, target.len() as u64),
            Item::Device(id) => (Kind::Device(*id), Mode::new(0o666), 0),
        };
        Stat {
            device: self.device,
            ino: number(at),
            kind,
            mode,
            links: 1,
            size,
            held: 0,
            accessed: self.since,
            modified: self.since,
            changed: self.since,
        }
    }
}

/// Returns a number that is stable for the path; nothing else is required of it here.
fn number(at: &Inside) -> Ino {
    let mut hasher = DefaultHasher::new();
    at.as_str().hash(&mut hasher);
    Ino(hasher.finish())
}

impl Backend for Provided {
    fn stat(&self, who: Caller, at: &Inside) -> Result<Stat, Errno> {
        Ok(self.stat_of(at, &self.item(who, at)?))
    }

    fn read_link(&self, who: Caller, at: &Inside) -> Result<String, Errno> {
        match self.item(who, at)? {
            Item::Link(target) => Ok(target),
            Item::Directory(_) | Item::File(_) | Item::Device(_) => Err(Errno::Invalid),
        }
    }

    fn list(&self, who: Caller, at: &Inside) -> Result<Vec<Listed>, Errno> {
        let Item::Directory(names) = self.item(who, at)? else { return Err(Errno::NotDirectory) };
        let entries = names.into_iter().filter(|name| check_name(name).is_ok());
        Ok(entries
            .filter_map(|name| {
                let stat = self.stat(who, &at.join(&name)).ok()?;
                Some(Listed { name, ino: stat.ino.0, kind: stat.kind })
            })
            .collect())
    }

    fn open(&self, who: Caller, at: &Inside, how: Open) -> Result<Box<dyn Opened>, Errno> {
        if how.write || how.truncate {
            return Err(Errno::ReadOnly);
        }
        let item = self.item(who, at)?;
        let stat = self.stat_of(at, &item);
        match item {
            Item::File(bytes) => Ok(Box::new(Made { bytes, stat })),
            Item::Directory(_) => Err(Errno::IsDirectory),
            Item::Link(_) => Err(Errno::Loop),
            Item::Device(_) => Err(Errno::NoDevice),
        }
    }
}

impl fmt::Debug for Provided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Provided").field("device", &self.device).finish_non_exhaustive()
    }
}

/// Content generated for one open file.
#[derive(Debug)]
struct Made {
    bytes: Vec<u8>,
    stat: Stat,
}

impl Opened for Made {
    fn stat(&self) -> Result<Stat, Errno> {
        Ok(self.stat)
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> Result<usize, Errno> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.bytes.len());
        let bytes = &self.bytes[start..];
        let len = bytes.len().min(out.len());
        out[..len].copy_from_slice(&bytes[..len]);
        Ok(len)
    }
}
