//! Where a walk stands, and where it ends.

use std::sync::Arc;

use crate::backend::Backend;
use crate::path::Inside;
use crate::tree::{Locked, Tree};
use crate::{Errno, Ino, Kind, Stat, VPath};

/// Where a path ends: in the tree, under the lock it was found with, or in a mount.
pub(crate) enum Found<'t> {
    Node(Locked<'t>, Place),
    Mounted(MountPlace),
}

/// An end in the tree. It holds as long as the lock is kept.
#[derive(Debug)]
pub(crate) struct Place {
    /// The directory that has, or would have, the last name.
    pub(crate) parent: Ino,
    pub(crate) last: Last,
    pub(crate) child: Option<Ino>,
    /// A slash follows the last name.
    pub(crate) slash: bool,
}

/// An end in a mount. What is there may be gone a moment later.
#[derive(Debug)]
pub(crate) struct MountPlace {
    pub(crate) spot: MountSpot,
    pub(crate) last: Last,
    pub(crate) stat: Option<Stat>,
    pub(crate) slash: bool,
}

/// The last component of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Last {
    Name(String),
    /// Nothing but slashes.
    Root,
    /// `.`.
    Here,
    /// `..`.
    Above,
}

impl Last {
    /// The name, or else that errno.
    pub(crate) fn name(&self, or: Errno) -> Result<&str, Errno> {
        match self {
            Last::Name(name) => Ok(name),
            Last::Root | Last::Here | Last::Above => Err(or),
        }
    }

    /// The name of a directory to be removed.
    pub(crate) fn removable(&self) -> Result<&str, Errno> {
        match self {
            Last::Name(name) => Ok(name),
            Last::Root => Err(Errno::Busy),
            Last::Here => Err(Errno::Invalid),
            Last::Above => Err(Errno::NotEmpty),
        }
    }
}

/// A place inside a mount.
#[derive(Clone, Debug)]
pub(crate) struct MountSpot {
    pub(crate) mount: Ino,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) inside: Inside,
}

/// A directory the walk can stand in.
#[derive(Clone, Debug)]
pub(crate) enum Spot {
    Node(Ino),
    Mounted(MountSpot),
}

impl PartialEq for Spot {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Spot::Node(a), Spot::Node(b)) => a == b,
            (Spot::Mounted(a), Spot::Mounted(b)) => a.mount == b.mount && a.inside == b.inside,
            (Spot::Node(_), Spot::Mounted(_)) | (Spot::Mounted(_), Spot::Node(_)) => false,
        }
    }
}

impl Found<'_> {
    /// The physical path of the end, whether or not something is there.
    pub(crate) fn path(&self, tree: &Tree) -> Result<VPath, Errno> {
        match self {
            Found::Node(state, place) => {
                let names = state.names_to(place.parent)?;
                match &place.last {
                    Last::Name(name) => VPath::from_names(names.into_iter().chain([&**name])),
                    Last::Root | Last::Here | Last::Above => VPath::from_names(names),
                }
            }
            Found::Mounted(place) => place.spot.path(tree),
        }
    }
}

impl MountSpot {
    pub(crate) fn path(&self, tree: &Tree) -> Result<VPath, Errno> {
        let state = tree.lock();
        VPath::from_names(state.names_to(self.mount)?.into_iter().chain(self.inside.names()))
    }
}

impl MountPlace {
    /// Nothing is there, and nothing but a directory was asked for.
    pub(crate) fn free_name(&self) -> Result<(), Errno> {
        match self.stat {
            Some(_) => Err(Errno::Exists),
            None if self.slash => Err(Errno::NotFound),
            None => Ok(()),
        }
    }

    pub(crate) fn kind(&self) -> Result<Kind, Errno> {
        self.stat.map(|stat| stat.kind).ok_or(Errno::NotFound)
    }
}
