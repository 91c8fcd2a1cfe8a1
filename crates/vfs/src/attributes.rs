//! Reading and changing the attributes of a node.

use crate::at::At;
use crate::files::{Actor, Files};
use crate::inode::{Body, Inode};
use crate::place::Found;
use crate::{Access, Errno, Error, Kind, Mode, Open, SetTime, Stat};

impl Files<'_> {
    /// Returns the attributes of a node.
    pub fn stat<'a>(self, at: impl Into<At<'a>>) -> Result<Stat, Error> {
        self.on(at, |at| match self.find(at)? {
            Found::Node(state, place) => {
                let ino = place.child.ok_or(Errno::NotFound)?;
                Ok(state.get(ino)?.stat(ino))
            }
            Found::Mounted(place) => place.stat.ok_or(Errno::NotFound),
        })
    }

    /// Returns the target text of a symbolic link.
    pub fn read_link<'a>(self, at: impl Into<At<'a>>) -> Result<String, Error> {
        let at = at.into().follow(crate::Follow::Never);
        self.on(at, |at| match self.find(at)? {
            Found::Node(state, place) => {
                match &state.get(place.child.ok_or(Errno::NotFound)?)?.body {
                    Body::Link(target) => Ok(target.to_string()),
                    Body::File(_) | Body::Lower(_) | Body::Device(_) => Err(Errno::Invalid),
                    Body::Directory(_) | Body::Mount { .. } => Err(Errno::Invalid),
                }
            }
            Found::Mounted(place) => match place.stat.ok_or(Errno::NotFound)?.kind {
                Kind::Link => place.spot.backend.read_link(self.caller, &place.spot.inside),
                Kind::File | Kind::Directory | Kind::Device(_) | Kind::Other => Err(Errno::Invalid),
            },
        })
    }

    /// Checks an access without performing it: `EACCES` by the mode, `EROFS` in a read-only area.
    pub fn access<'a>(self, at: impl Into<At<'a>>, access: Access) -> Result<(), Error> {
        self.on(at, |at| match self.find(at)? {
            Found::Node(state, place) => {
                let inode = state.get(place.child.ok_or(Errno::NotFound)?)?;
                if access == Access::Write {
                    self.may_write(inode)?;
                }
                self.may(inode, access)
            }
            Found::Mounted(place) => {
                let stat = place.stat.ok_or(Errno::NotFound)?;
                let device = matches!(stat.kind, Kind::Device(_));
                if access == Access::Write && place.spot.backend.is_read_only() && !device {
                    return Err(Errno::ReadOnly);
                }
                if stat.mode.allows(access) { Ok(()) } else { Err(Errno::Access) }
            }
        })
    }

    /// Sets the permission bits. Links have none and return `ENOTSUP`.
    pub fn set_mode<'a>(self, at: impl Into<At<'a>>, mode: Mode) -> Result<(), Error> {
        self.on(at, |at| match self.find(at)? {
            Found::Node(mut state, place) => {
                let ino = place.child.ok_or(Errno::NotFound)?;
                let inode = state.get(ino)?;
                if inode.kind() == Kind::Link {
                    return Err(Errno::NotSupported);
                }
                self.may_change(inode)?;
                state.edit(ino, |inode| inode.set_mode(mode, self.now))
            }
            Found::Mounted(place) => match place.stat.ok_or(Errno::NotFound)?.kind {
                Kind::Link => Err(Errno::NotSupported),
                Kind::File | Kind::Directory | Kind::Device(_) | Kind::Other => {
                    place.spot.backend.set_mode(&place.spot.inside, mode)
                }
            },
        })
    }

    /// Sets the times of access and modification.
    pub fn set_times<'a>(
        self,
        at: impl Into<At<'a>>,
        accessed: SetTime,
        modified: SetTime,
    ) -> Result<(), Error> {
        self.on(at, |at| match self.find(at)? {
            Found::Node(mut state, place) => {
                let ino = place.child.ok_or(Errno::NotFound)?;
                self.may_change(state.get(ino)?)?;
                state.edit(ino, |inode| inode.set_times(accessed, modified, self.now))
            }
            Found::Mounted(place) => {
                place.stat.ok_or(Errno::NotFound)?;
                let (accessed, modified) = (accessed.at(self.now), modified.at(self.now));
                place.spot.backend.set_times(&place.spot.inside, accessed, modified)
            }
        })
    }

    /// Truncates a file, or extends it with a hole.
    pub fn truncate<'a>(self, at: impl Into<At<'a>>, size: u64) -> Result<(), Error> {
        self.open(at, Open::to_write())?.set_size(size, self.now)
    }

    /// Returns all bytes of a file, or `EFBIG` if there are more than `most`. A hole is cheap to
    /// make but is read as zeros in host memory.
    pub fn read_file<'a>(self, at: impl Into<At<'a>>, most: usize) -> Result<Vec<u8>, Error> {
        let at = at.into();
        let file = self.open(at, Open::to_read())?;
        // Returns the right error for anything but a file.
        file.read_at(0, &mut [], self.now)?;
        let size = file.stat()?.size;
        if size > most as u64 {
            return Err(Error::new(Errno::FileTooLarge, at.path));
        }
        let mut bytes = vec![0; size as usize];
        let mut len = 0;
        while len < bytes.len() {
            match file.read_at(len as u64, &mut bytes[len..], self.now)? {
                0 => break,
                more => len += more,
            }
        }
        bytes.truncate(len);
        Ok(bytes)
    }

    /// Checks that content may be written to the node. Devices in a system area are writable.
    pub(crate) fn may_write(self, inode: &Inode) -> Result<(), Errno> {
        match (self.actor, inode.kind()) {
            (Actor::Guest, Kind::Device(_)) => Ok(()),
            (Actor::Guest, Kind::File | Kind::Directory | Kind::Link | Kind::Other) => {
                self.may_change(inode)
            }
            (Actor::Host, _) => Ok(()),
        }
    }
}

impl Inode {
    pub(crate) fn set_mode(&mut self, mode: Mode, now: crate::Time) {
        self.mode = mode;
        self.touch_attributes(now);
    }

    pub(crate) fn set_times(&mut self, accessed: SetTime, modified: SetTime, now: crate::Time) {
        self.accessed = accessed.at(now).unwrap_or(self.accessed);
        self.modified = modified.at(now).unwrap_or(self.modified);
        self.touch_attributes(now);
    }
}
