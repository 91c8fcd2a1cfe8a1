use crate::at::At;
use crate::inode::{Area, Inode};
use crate::place::Found;
use crate::resolve::{Goal, resolve};
use crate::state::State;
use crate::tree::Tree;
use crate::{Access, Caller, Errno, Error, Ino, Time, VPath};

/// A tree as one actor may use it, at one moment; the operations on paths.
///
/// A call costs nothing to make: take a new one from the [`Tree`] for every operation, with the
/// time of that operation.
#[derive(Clone, Copy, Debug)]
pub struct Files<'t> {
    pub(crate) tree: &'t Tree,
    pub(crate) actor: Actor,
    pub(crate) caller: Caller,
    pub(crate) now: Time,
}

/// On whose behalf the files are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Actor {
    Guest,
    Host,
}

/// A place in a real directory that guests may change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside {
    /// Its physical path.
    pub path: VPath,
    /// Whether something is there.
    pub is_there: bool,
}

impl<'t> Files<'t> {
    /// The same, asked by this process; only content made by a
    /// [`Provider`](crate::Provider) can tell.
    pub fn asked_by(self, caller: Caller) -> Self {
        Files { caller, ..self }
    }

    /// The physical path that `at` stands for. The last name need not exist, all before it must.
    pub fn resolve<'a>(self, at: impl Into<At<'a>>) -> Result<VPath, Error> {
        self.on(at, |at| self.find(at)?.path(self.tree))
    }

    /// Whether a change of what a path names would be made outside the tree, in a real directory.
    /// Where nothing is yet, it would be made where the folders above are.
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

    /// What a path stands for where it lies outside the tree, in a real directory that guests may
    /// change; none also where it leads nowhere. Costs next to nothing for a tree without such.
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

    /// Runs an operation, and adds the path to its error.
    pub(crate) fn on<'a, T>(
        self,
        at: impl Into<At<'a>>,
        run: impl FnOnce(At<'a>) -> Result<T, Errno>,
    ) -> Result<T, Error> {
        let at = at.into();
        run(at).map_err(|errno| Error::new(errno, at.path))
    }

    /// The node at the end of a path, links followed as the caller wants.
    pub(crate) fn find(self, at: At<'_>) -> Result<Found<'t>, Errno> {
        resolve(self, at, Goal::Node(at.last))
    }

    /// The entry at the end of a path, to be made, moved or removed.
    pub(crate) fn find_entry(self, at: At<'_>) -> Result<Found<'t>, Errno> {
        resolve(self, at, Goal::Entry)
    }

    /// The mode lets the actor do this.
    pub(crate) fn may(self, inode: &Inode, access: Access) -> Result<(), Errno> {
        match self.actor {
            Actor::Guest if !inode.mode.allows(access) => Err(Errno::Access),
            Actor::Guest | Actor::Host => Ok(()),
        }
    }

    /// The node is not in an area closed to the actor.
    pub(crate) fn may_change(self, inode: &Inode) -> Result<(), Errno> {
        match (self.actor, inode.area) {
            (Actor::Guest, Area::System) => Err(Errno::ReadOnly),
            (Actor::Guest, Area::Guest | Area::Free) | (Actor::Host, _) => Ok(()),
        }
    }

    /// Names can be added to and taken from the directory.
    pub(crate) fn may_change_entries(self, state: &State, directory: Ino) -> Result<(), Errno> {
        let inode = state.get(directory)?;
        if inode.names == 0 {
            return Err(Errno::NotFound);
        }
        self.may_change(inode)?;
        self.may(inode, Access::Write)?;
        self.may(inode, Access::Execute)
    }

    /// The entry can be taken from the directory.
    pub(crate) fn may_remove(self, state: &State, directory: Ino, child: Ino) -> Result<(), Errno> {
        self.may_change_entries(state, directory)?;
        let inode = state.get(child)?;
        self.may_change(inode)?;
        if inode.pinned { Err(Errno::Busy) } else { Ok(()) }
    }
}
