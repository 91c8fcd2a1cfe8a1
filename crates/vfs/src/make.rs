//! Creating nodes and additional names for them.

use crate::at::At;
use crate::content::Content;
use crate::directory::Directory;
use crate::files::{Actor, Files};
use crate::inode::{Area, Body, Inode};
use crate::path::PATH_MAX;
use crate::place::{Found, MountPlace, Place};
use crate::resolve::{Goal, resolve};
use crate::state::{ROOT, State};
use crate::{DeviceId, Errno, Error, Ino, Kind, Limits, Mode, Open, Usage};

impl Files<'_> {
    /// Creates an empty directory.
    pub fn make_directory<'a>(self, at: impl Into<At<'a>>, mode: Mode) -> Result<(), Error> {
        self.on(at, |at| match self.find_entry(at)? {
            Found::Node(mut state, place) => {
                let directory = Directory::new(ROOT, "".into(), ROOT);
                self.make(&mut state, &place, Body::Directory(directory), mode).map(drop)
            }
            Found::Mounted(place) if place.stat.is_some() => Err(Errno::Exists),
            Found::Mounted(place) => place.spot.backend.make_directory(&place.spot.inside, mode),
        })
    }

    /// Creates a directory and all missing ones above it.
    pub fn make_directories(self, path: &str, mode: Mode) -> Result<(), Error> {
        if self.stat(path).is_ok_and(|stat| stat.kind == Kind::Directory) {
            return Ok(());
        }
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        for end in ends.filter(|end| *end > 0) {
            match self.make_directory(&path[..end], mode) {
                Err(error) if error.errno() != Errno::Exists => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        match self.stat(path)?.kind {
            Kind::Directory => Ok(()),
            Kind::File | Kind::Link | Kind::Device(_) | Kind::Other => {
                Err(Error::new(Errno::NotDirectory, path))
            }
        }
    }

    /// Creates a symbolic link. The target need not exist.
    pub fn make_link<'a>(self, target: &str, at: impl Into<At<'a>>) -> Result<(), Error> {
        self.on(at, |at| {
            if target.is_empty() {
                return Err(Errno::NotFound);
            } else if target.len() >= PATH_MAX {
                return Err(Errno::NameTooLong);
            } else if target.contains('\0') {
                return Err(Errno::Invalid);
            }
            match self.find_entry(at)? {
                Found::Node(mut state, place) => {
                    self.make(&mut state, &place, Body::Link(target.into()), Mode::LINK).map(drop)
                }
                Found::Mounted(place) => {
                    place.free_name()?;
                    place.spot.backend.make_link(&place.spot.inside, target)
                }
            }
        })
    }

    /// Creates a device node, which only the host may do. The kernel implements the device.
    pub fn make_device<'a>(
        self,
        at: impl Into<At<'a>>,
        id: DeviceId,
        mode: Mode,
    ) -> Result<(), Error> {
        self.on(at, |at| match self.find_entry(at)? {
            Found::Node(mut state, place) if self.actor == Actor::Host => {
                self.make(&mut state, &place, Body::Device(id), mode).map(drop)
            }
            Found::Node(..) | Found::Mounted(_) => Err(Errno::NotPermitted),
        })
    }

    /// Creates a named pipe. `EPERM` in a mount, because pipes exist only in the sandbox.
    pub fn make_fifo<'a>(self, at: impl Into<At<'a>>, mode: Mode) -> Result<(), Error> {
        self.on(at, |at| match self.find_entry(at)? {
            Found::Node(mut state, place) => {
                self.make(&mut state, &place, Body::Device(DeviceId::FIFO), mode).map(drop)
            }
            Found::Mounted(place) if place.stat.is_some() => Err(Errno::Exists),
            Found::Mounted(_) => Err(Errno::NotPermitted),
        })
    }

    /// Creates a file with this content, in one step. `EPERM` in a mount.
    pub fn make_file<'a>(
        self,
        at: impl Into<At<'a>>,
        bytes: &[u8],
        mode: Mode,
    ) -> Result<(), Error> {
        let at = at.into();
        let content = self.content(at, bytes)?;
        self.on(at, |at| match self.find_entry(at)? {
            Found::Node(mut state, place) => {
                self.make(&mut state, &place, Body::File(content), mode).map(drop)
            }
            Found::Mounted(place) if place.stat.is_some() => Err(Errno::Exists),
            Found::Mounted(_) => Err(Errno::NotPermitted),
        })
    }

    /// Replaces the whole content of a file, which is created if needed. Readers see either the old
    /// or the new content, except in a read-write mount.
    pub fn write_file<'a>(self, at: impl Into<At<'a>>, bytes: &[u8]) -> Result<(), Error> {
        let at = at.into();
        let content = self.content(at, bytes)?;
        self.on(at, |at| match resolve(self, at, Goal::Create(at.last))? {
            Found::Node(mut state, place) => self.put(&mut state, &place, content),
            Found::Mounted(place) => {
                let (spot, how) = (place.spot, Open::to_write().create().truncate());
                spot.backend.open(self.caller, &spot.inside, how)?.write_at(0, bytes)
            }
        })
    }

    /// Returns the content of a file, unless a file may not be that long.
    fn content(self, at: At<'_>, bytes: &[u8]) -> Result<Content, Error> {
        match bytes.len() as u64 > self.tree.limits().file {
            true => Err(Error::new(Errno::FileTooLarge, at.path)),
            false => Ok(Content::new(bytes)),
        }
    }

    /// Creates a hard link. `from` determines whether a link there is followed.
    pub fn link<'a, 'b>(self, from: impl Into<At<'a>>, to: impl Into<At<'b>>) -> Result<(), Error> {
        // The lock is released between the two lookups, so `link_in_tree` checks both again.
        let (node, mounted) = self.on(from, |from| match self.find(from)? {
            Found::Node(_, Place { child: None, .. }) => Err(Errno::NotFound),
            Found::Mounted(MountPlace { stat: None, .. }) => Err(Errno::NotFound),
            Found::Node(_, place) => Ok((Some(place), None)),
            Found::Mounted(place) => Ok((None, Some(place))),
        })?;
        self.on(to, |to| match (node, mounted, self.find_entry(to)?) {
            (Some(from), _, Found::Node(mut state, to)) => {
                self.link_in_tree(&mut state, &from, &to)
            }
            (_, Some(from), Found::Mounted(to)) if from.spot.mount == to.spot.mount => {
                to.free_name()?;
                if from.kind()? == Kind::Directory {
                    return Err(Errno::NotPermitted);
                }
                to.spot.backend.link(&from.spot.inside, &to.spot.inside)
            }
            _ => Err(Errno::CrossDevice),
        })
    }

    pub(crate) fn make(
        self,
        state: &mut State,
        place: &Place,
        body: Body,
        mode: Mode,
    ) -> Result<Ino, Errno> {
        let name = place.last.name(Errno::Exists)?;
        if place.child.is_some() {
            return Err(Errno::Exists);
        }
        if place.slash && !matches!(body, Body::Directory(_)) {
            return Err(Errno::NotFound);
        }
        self.may_change_entries(state, place.parent)?;
        state.attach(place.parent, name, Inode::new(body, mode, self.now), self.now)
    }

    fn put(self, state: &mut State, place: &Place, content: Content) -> Result<(), Errno> {
        let Some(ino) = place.child else {
            return self.make(state, place, Body::File(content), Mode::FILE).map(drop);
        };
        let inode = state.get(ino)?;
        let old = match &inode.body {
            Body::File(content) => content.cost(),
            Body::Lower(_) => 0,
            Body::Directory(_) | Body::Mount { .. } => return Err(Errno::IsDirectory),
            Body::Link(_) => return Err(Errno::Loop),
            Body::Device(_) => return Err(Errno::NoDevice),
        };
        self.may(inode, crate::Access::Write)?;
        self.may_change(inode)?;
        if inode.area != Area::System {
            state.afford(Usage::bytes(content.cost().saturating_sub(old)))?;
        }
        state.set_content(ino, content, self.now)
    }

    fn link_in_tree(self, state: &mut State, from: &Place, to: &Place) -> Result<(), Errno> {
        let name = to.last.name(Errno::Exists)?;
        if to.child.is_some() {
            return Err(Errno::Exists);
        }
        if to.slash {
            return Err(Errno::NotFound);
        }
        let ino = from.child.ok_or(Errno::NotFound)?;
        let inode = state.get(ino)?;
        let same = state.directory(from.parent)?.within == state.directory(to.parent)?.within;
        if !same || self.may_change(inode).is_err() {
            return Err(Errno::CrossDevice);
        }
        self.may_change_entries(state, to.parent)?;
        if inode.kind() == Kind::Directory {
            return Err(Errno::NotPermitted);
        } else if inode.names == 0 {
            return Err(Errno::NotFound);
        } else if inode.names >= Limits::NAMES_MAX {
            return Err(Errno::TooManyLinks);
        }
        if inode.area != Area::System {
            state.afford(Usage::nodes(1))?;
        }
        state.edit(ino, |inode| {
            inode.names += 1;
            inode.touch_attributes(self.now);
        })?;
        state.edit(to.parent, |home| {
            home.touch(self.now);
            if let Some(directory) = home.directory_mut() {
                directory.insert(name.into(), ino);
            }
        })
    }
}
