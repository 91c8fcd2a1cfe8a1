//! A tree as seen by one actor at one time: path lookup and permission checks.
//!
//! Separate from `tree`, which is shared: the actor and the time differ for every call. The
//! operations are in `make`, `remove`, `attributes` and `open`.

use crate::at::At;
use crate::inode::{Area, Inode};
use crate::place::Found;
use crate::resolve::{Goal, resolve};
use crate::state::State;
use crate::tree::Tree;
use crate::{Access, Caller, Errno, Error, Ino, Time, VPath};

/// The operations on paths, for one actor at one time.
///
/// Creating one is free: take a new one from the [`Tree`] for every operation, with the time of
/// that operation.
#[derive(Clone, Copy, Debug)]
pub struct Files<'t> {
    pub(crate) tree: &'t Tree,
    pub(crate) actor: Actor,
    pub(crate) caller: Caller,
    pub(crate) now: Time,
}

/// The party on whose behalf files are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Actor {
    Guest,
    Host,
}

/// A path in a real directory that guests may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// The physical path.
    pub path: VPath,
    /// True if the path exists.
    pub is_there: bool,
}

impl<'t> Files<'t> {
    /// Sets the process that makes the call, which only a [`Provider`](crate::Provider) can
    /// observe.
    pub fn asked_by(self, caller: Caller) -> Self {
        Files { caller, ..self }
    }

    /// Returns the physical path of `at`. The last name need not exist, all before it must.
    pub fn resolve<'a>(self, at: impl Into<At<'a>>) -> Result<VPath, Error> {
        self.on(at, |at| self.find(at)?.path(self.tree))
    }

    /// Returns true if changing this path would change a real directory. A path that does not exist
    /// is judged by its nearest existing parent.
    pub fn changes_outside(self, path: &VPath) -> bool {
        if !self.tree.lock().reaches_outside {
            return false;
        }
        let mut at = Some(path.clone());
        while let Some(path) = at {
            match self.find_entry(At::from(&path)) {
                Ok(Found::Mounted(at)) => return !at.spot.backend.is_read_only(),
                Ok(Found::Node(..)) => return false,
                Err(_) => at = path.parent(),
            }
        }
        false
    }

    /// Returns the resolved path if it lies in a real directory that guests may change. Returns
    /// `None` for any other path and if the path cannot be resolved. Almost free for a tree without
    /// such a mount.
    pub fn outside<'a>(self, at: impl Into<At<'a>>) -> Option<Outside> {
        if !self.tree.lock().reaches_outside {
            return None;
        }
        match self.find(at.into()).ok()? {
            Found::Mounted(place) if !place.spot.backend.is_read_only() => {
                let path = place.spot.path(self.tree).ok()?;
                Some(Outside { path, is_there: place.stat.is_some() })
            }
            Found::Mounted(_) | Found::Node(..) => None,
        }
    }

    /// Runs an operation and adds the path to its error.
    pub(crate) fn on<'a, T>(
        self,
        at: impl Into<At<'a>>,
        run: impl FnOnce(At<'a>) -> Result<T, Errno>,
    ) -> Result<T, Error> {
        let at = at.into();
        run(at).map_err(|errno| Error::new(errno, at.path))
    }

    /// Finds the node at the end of a path; follows a final link as `at` says.
    pub(crate) fn find(self, at: At<'_>) -> Result<Found<'t>, Errno> {
        resolve(self, at, Goal::Node(at.last))
    }

    /// Finds the entry at the end of a path, to be created, moved or removed.
    pub(crate) fn find_entry(self, at: At<'_>) -> Result<Found<'t>, Errno> {
        resolve(self, at, Goal::Entry)
    }

    /// Checks that the mode permits the access.
    pub(crate) fn may(self, inode: &Inode, access: Access) -> Result<(), Errno> {
        match self.actor {
            Actor::Guest if !inode.mode.allows(access) => Err(Errno::Access),
            Actor::Guest | Actor::Host => Ok(()),
        }
    }

    /// Checks that the node is not in an area closed to the actor.
    pub(crate) fn may_change(self, inode: &Inode) -> Result<(), Errno> {
        match (self.actor, inode.area) {
            (Actor::Guest, Area::System) => Err(Errno::ReadOnly),
            (Actor::Guest, Area::Guest | Area::Free) | (Actor::Host, _) => Ok(()),
        }
    }

    /// Checks that entries may be added to and removed from the directory.
    pub(crate) fn may_change_entries(self, state: &State, directory: Ino) -> Result<(), Errno> {
        let inode = state.get(directory)?;
        if inode.names == 0 {
            return Err(Errno::NotFound);
        }
        self.may_change(inode)?;
        self.may(inode, Access::Write)?;
        self.may(inode, Access::Execute)
    }

    /// Checks that the entry may be removed from the directory.
    pub(crate) fn may_remove(self, state: &State, directory: Ino, child: Ino) -> Result<(), Errno> {
        self.may_change_entries(state, directory)?;
        let inode = state.get(child)?;
        self.may_change(inode)?;
        if inode.pinned { Err(Errno::Busy) } else { Ok(()) }
    }
}
