//! Mounting real directories and provided content, and protecting system areas.

use std::sync::Arc;

use crate::at::At;
use crate::backend::Backend;
use crate::directory::Directory;
use crate::inode::{Area, Body, Inode, Origin};
use crate::path::Inside;
use crate::place::Found;
use crate::provider::{Provided, Provider};
use crate::state::{ROOT, State};
use crate::tree::{Locked, Tree};
use crate::{Errno, Error, Ino, Mode, Time, VPath};

/// The mode in which guests use a real directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mount {
    /// Guests see the current content and cannot change it.
    ReadOnly,
    /// Guests see the content as of the first read. Their changes are kept in the tree; see
    /// [`Tree::changes`].
    Overlay,
    /// Guests change the real files. Growth beyond the limits of the tree is refused.
    ReadWrite,
}

impl Tree {
    /// Mounts the content of a provider at a path.
    pub fn provide(&self, at: &VPath, provider: Arc<dyn Provider>, now: Time) -> Result<(), Error> {
        self.mount_backend(at, now, |device, _| Arc::new(Provided { provider, device, since: now }))
    }

    /// Removes a mount and discards changes kept in an overlay. Open files stay open.
    pub fn unmount(&self, at: &VPath, now: Time) -> Result<(), Error> {
        let files = self.as_host(now);
        files.on(at, |_| {
            let mut state = self.lock();
            let (parent, name, ino) = entry(&state, at)?;
            if !state.get(ino)?.pinned {
                return Err(Errno::Invalid);
            }
            state.clear(ino, now).or_else(|errno| match errno {
                // Only an overlay has nodes to remove.
                Errno::NotDirectory => Ok(()),
                errno => Err(errno),
            })?;
            state.detach(parent, name, now)
        })
    }

    /// Makes everything at and below a path part of the system: free, and read-only (`EROFS`) to
    /// guests. Nodes that the host adds there later are part of it too.
    pub fn protect(&self, at: &VPath) -> Result<(), Error> {
        self.as_host(Time(0)).on(at, |_| {
            let mut state = self.lock();
            let top = if at == &VPath::root() { ROOT } else { entry(&state, at)?.2 };
            let mut nodes = vec![top];
            for directory in state.directories(top) {
                if let Ok(directory) = state.directory(directory) {
                    nodes.extend(directory.entries().map(|entry| entry.ino));
                }
            }
            for ino in nodes {
                state.edit(ino, |inode| inode.area = Area::System)?;
            }
            Ok(())
        })
    }

    pub(crate) fn mount_backend(
        &self,
        at: &VPath,
        now: Time,
        make: impl FnOnce(u64, &State) -> Arc<dyn Backend>,
    ) -> Result<(), Error> {
        self.mount_with(at, now, |state, parent, name| {
            let backend = make(state.next_number(), state);
            state.reaches_outside |= !backend.is_read_only();
            let body = Body::Mount { parent, name: name.into(), backend };
            state.attach(parent, name, mount_point(body, now), now).map(drop)
        })
    }

    #[cfg_attr(not(unix), allow(dead_code, reason = "only real directories have overlays"))]
    pub(crate) fn mount_overlay(
        &self,
        at: &VPath,
        now: Time,
        make: impl FnOnce(u64) -> Arc<dyn Backend>,
    ) -> Result<(), Error> {
        self.mount_with(at, now, |state, parent, name| {
            let backend = make(state.next_number());
            let mut directory = Directory::new(ROOT, "".into(), ROOT);
            directory.unread = true;
            let mut inode = mount_point(Body::Directory(directory), now);
            inode.origin = Some(Arc::new(Origin { backend, path: Inside::top() }));
            let ino = state.attach(parent, name, inode, now)?;
            state.edit_directory(ino, |directory| directory.within = ino)
        })
    }

    /// Runs `attach` with the parent and the name of the mount point, which is free at that moment.
    fn mount_with(
        &self,
        at: &VPath,
        now: Time,
        attach: impl FnOnce(&mut Locked<'_>, Ino, &str) -> Result<(), Errno>,
    ) -> Result<(), Error> {
        let files = self.as_host(now);
        if let Some(parent) = at.parent() {
            files.make_directories(parent.as_str(), Mode::DIRECTORY)?;
        }
        files.on(at.as_str(), |path: At<'_>| match files.find_entry(path)? {
            Found::Node(mut state, place) => {
                let name = place.last.name(Errno::Busy)?;
                if let Some(ino) = place.child {
                    if state.get(ino)?.pinned {
                        return Err(Errno::Busy);
                    } else if !state.directory(ino)?.is_empty() {
                        return Err(Errno::NotEmpty);
                    }
                    state.detach(place.parent, name, now)?;
                }
                attach(&mut state, place.parent, name)
            }
            Found::Mounted(place) if place.spot.inside.is_top() => Err(Errno::Busy),
            Found::Mounted(_) => Err(Errno::NotSupported),
        })
    }
}

fn mount_point(body: Body, now: Time) -> Inode {
    Inode { area: Area::Free, pinned: true, ..Inode::new(body, Mode::DIRECTORY, now) }
}

/// Returns parent, name and node at a path of the tree itself; follows no link and enters no mount.
pub(crate) fn entry<'p>(state: &State, at: &'p VPath) -> Result<(Ino, &'p str, Ino), Errno> {
    let mut parent = ROOT;
    let mut names = at.names().peekable();
    while let Some(name) = names.next() {
        let child = state.directory(parent)?.get(name).ok_or(Errno::NotFound)?;
        if names.peek().is_none() {
            return Ok((parent, name, child));
        }
        parent = child;
    }
    Err(Errno::Busy)
}
