//! A mounted real directory.

use std::borrow::Cow;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::{AtFlags, FileType, Mode as Bits, OFlags};

use super::below::{PASS, below, leaves};
use super::budget::Budget;
use super::convert::{self, bits, errno, stat, times};
use super::file::HostFile;
use crate::backend::{Backend, Caller, Listed, Opened};
use crate::open::Create;
use crate::path::{Inside, check_name};
use crate::{Errno, Interrupt, Kind, Mode, Open, Stat, Time, raw};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RealAccess {
    Read,
    Write,
}

/// A mounted real directory.
#[derive(Debug)]
pub(super) struct Real {
    pub(super) root: Arc<OwnedFd>,
    pub(super) access: RealAccess,
    pub(super) device: u64,
    pub(super) budget: Arc<Budget>,
    /// Held while something is changed that was inspected before: the end of a file, or the target
    /// of a link.
    pub(super) changing: Arc<Mutex<()>>,
}

/// The directory that contains a name.
enum Parent<'r> {
    Root(BorrowedFd<'r>),
    Below(OwnedFd),
}

impl AsFd for Parent<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Parent::Root(fd) => *fd,
            Parent::Below(fd) => fd.as_fd(),
        }
    }
}

impl Real {
    /// Returns the open parent directory and the name in it. The top has no name and is `EBUSY`.
    fn parent<'a>(&self, at: &'a Inside) -> Result<(Parent<'_>, Cow<'a, [u8]>), Errno> {
        let (directory, name) = at.split().ok_or(Errno::Busy)?;
        let root = self.root.as_fd();
        let parent = match directory {
            "" => Parent::Root(root),
            path => Parent::Below(below(root, path, PASS).map_err(errno)?),
        };
        Ok((parent, raw::bytes(name)))
    }

    fn writable<'a>(&self, at: &'a Inside) -> Result<(Parent<'_>, Cow<'a, [u8]>), Errno> {
        match self.access {
            RealAccess::Read => Err(Errno::ReadOnly),
            RealAccess::Write => self.parent(at),
        }
    }

    fn change(&self) -> MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Checks links that move nearer to the top, where a `..` may now leave the mount.
    fn may_move(&self, from: &Inside, to: &Inside, until: &Interrupt) -> Result<(), Errno> {
        if to.names().count() >= from.names().count() {
            return Ok(());
        }
        let who = Caller::default();
        let mut stack = vec![(from.clone(), to.clone())];
        while let Some((from, to)) = stack.pop() {
            until.check()?;
            match self.stat(who, &from)?.kind {
                Kind::Link => self.may_link(&to, &self.read_link(who, &from)?)?,
                Kind::Directory => {
                    for entry in self.list(who, &from, until)? {
                        stack.push((from.join(&entry.name), to.join(&entry.name)));
                    }
                }
                Kind::File | Kind::Device(_) | Kind::Other => {}
            }
        }
        Ok(())
    }

    /// Creates a node within the budget.
    fn make(
        &self,
        at: &Inside,
        make: impl FnOnce(BorrowedFd<'_>, &[u8]) -> rustix::io::Result<()>,
    ) -> Result<(), Errno> {
        let (parent, name) = self.writable(at)?;
        self.budget.add_node()?;
        make(parent.as_fd(), &name).map_err(|error| {
            self.budget.drop_node();
            errno(error)
        })
    }
}

impl Backend for Real {
    fn stat(&self, _who: Caller, at: &Inside) -> Result<Stat, Errno> {
        let found = match at.is_top() {
            true => rustix::fs::fstat(&*self.root),
            false => {
                let (parent, name) = self.parent(at)?;
                rustix::fs::statat(parent, &*name, AtFlags::SYMLINK_NOFOLLOW)
            }
        };
        Ok(stat(&found.map_err(errno)?, self.device))
    }

    fn read_link(&self, _who: Caller, at: &Inside) -> Result<String, Errno> {
        let (parent, name) = self.parent(at)?;
        let target = rustix::fs::readlinkat(parent, &*name, Vec::new()).map_err(errno)?;
        Ok(raw::text(target.as_bytes()).into_owned())
    }

    fn list(&self, _who: Caller, at: &Inside, until: &Interrupt) -> Result<Vec<Listed>, Errno> {
        let path = if at.is_top() { "." } else { at.as_str() };
        let directory = below(self.root.as_fd(), path, OFlags::RDONLY).map_err(errno)?;
        let mut entries = Vec::new();
        for entry in rustix::fs::Dir::read_from(&directory).map_err(errno)? {
            let entry = entry.map_err(errno)?;
            until.check()?;
            let name = raw::text(entry.file_name().to_bytes());
            if check_name(&name).is_err() {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => {
                    let found = rustix::fs::statat(
                        &directory,
                        entry.file_name(),
                        AtFlags::SYMLINK_NOFOLLOW,
                    );
                    found.map_or(Kind::Other, |found| stat(&found, self.device).kind)
                }
                known => convert::kind(known),
            };
            entries.push(Listed { name: (*name).into(), ino: entry.ino(), kind });
        }
        // Real directories have no meaningful order, and a sandbox must not depend on the disk.
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(entries)
    }

    fn open(&self, _who: Caller, at: &Inside, how: Open) -> Result<Box<dyn Opened>, Errno> {
        let changes = how.write || how.truncate || how.create != Create::Never;
        let (parent, name) = match self.access {
            RealAccess::Read if how.write || how.truncate => return Err(Errno::ReadOnly),
            RealAccess::Read | RealAccess::Write => self.parent(at)?,
        };
        let access = match (how.read, how.write || how.truncate) {
            (true, true) => OFlags::RDWR,
            (false, true) => OFlags::WRONLY,
            (_, false) => OFlags::RDONLY,
        };
        // NONBLOCK: if the file turns out to be a pipe, opening it must not wait for a peer.
        let flags = access | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        let open = |flags, mode| rustix::fs::openat(&parent, &*name, flags, mode).map_err(errno);
        let existing = match how.create {
            Create::Always => Err(Errno::NotFound),
            Create::Never | Create::IfMissing => open(flags, Bits::empty()),
        };
        let fd = match existing {
            Err(Errno::NotFound) if changes && how.create != Create::Never => {
                if self.access == RealAccess::Read {
                    return Err(Errno::ReadOnly);
                }
                self.budget.add_node()?;
                open(flags | OFlags::CREATE | OFlags::EXCL, bits(how.mode))
                    .inspect_err(|_| self.budget.drop_node())?
            }
            found => found?,
        };
        let file = HostFile::new(fd, self)?;
        if how.truncate {
            file.resize(0)?;
        }
        Ok(Box::new(file))
    }

    fn make_directory(&self, at: &Inside, mode: Mode) -> Result<(), Errno> {
        self.make(at, |parent, name| rustix::fs::mkdirat(parent, name, bits(mode)))
    }

    fn is_read_only(&self) -> bool {
        self.access == RealAccess::Read
    }

    fn may_link(&self, at: &Inside, target: &str) -> Result<(), Errno> {
        // In the sandbox the target is a path of the sandbox, but programs of the real machine may
        // follow the same link with the user's authority.
        if leaves(at, target) { Err(Errno::NotPermitted) } else { Ok(()) }
    }

    fn make_link(&self, at: &Inside, target: &str) -> Result<(), Errno> {
        let _alone = self.change();
        self.may_link(at, target)?;
        self.make(at, |parent, name| rustix::fs::symlinkat(&*raw::bytes(target), parent, name))
    }

    fn link(&self, from: &Inside, to: &Inside) -> Result<(), Errno> {
        let (source, old) = self.writable(from)?;
        let _alone = self.change();
        // A directory has no second name, so nothing is walked.
        self.may_move(from, to, &Interrupt::default())?;
        self.make(to, |parent, name| {
            rustix::fs::linkat(&source, &*old, parent, name, AtFlags::empty())
        })
    }

    fn rename(&self, from: &Inside, to: &Inside, until: &Interrupt) -> Result<(), Errno> {
        let (source, old) = self.writable(from)?;
        let (target, new) = self.writable(to)?;
        let _alone = self.change();
        self.may_move(from, to, until)?;
        let replaced = self.stat(Caller::default(), to);
        rustix::fs::renameat(source, &*old, target, &*new).map_err(errno)?;
        if let Ok(replaced) = replaced {
            self.budget.removed(&replaced);
        }
        Ok(())
    }

    fn remove_file(&self, at: &Inside) -> Result<(), Errno> {
        let (parent, name) = self.writable(at)?;
        let removed = self.stat(Caller::default(), at)?;
        rustix::fs::unlinkat(parent, &*name, AtFlags::empty()).map_err(errno)?;
        self.budget.removed(&removed);
        Ok(())
    }

    fn remove_directory(&self, at: &Inside) -> Result<(), Errno> {
        let (parent, name) = self.writable(at)?;
        rustix::fs::unlinkat(parent, &*name, AtFlags::REMOVEDIR).map_err(errno)?;
        self.budget.drop_node();
        Ok(())
    }

    fn set_mode(&self, at: &Inside, mode: Mode) -> Result<(), Errno> {
        let (parent, name) = self.writable(at)?;
        // Through an open file, because a name could be replaced by a link in between.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let fd = rustix::fs::openat(parent, &*name, flags, Bits::empty()).map_err(errno)?;
        rustix::fs::fchmod(fd, bits(mode)).map_err(errno)
    }

    fn set_times(
        &self,
        at: &Inside,
        accessed: Option<Time>,
        modified: Option<Time>,
    ) -> Result<(), Errno> {
        let (parent, name) = self.writable(at)?;
        let times = times(accessed, modified);
        rustix::fs::utimensat(parent, &*name, &times, AtFlags::SYMLINK_NOFOLLOW).map_err(errno)
    }
}
