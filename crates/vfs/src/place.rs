//! Positions during path resolution, and its result.
//!
//! Separate from `resolve`, because the operations use the result.

use std::sync::Arc;

use crate::backend::Backend;
use crate::path::Inside;
use crate::tree::{Locked, Tree};
use crate::{Errno, Ino, Kind, Stat, VPath};

/// The result of resolving a path: in the tree, with the lock it was found under, or in a mount.
pub(crate) enum Found<'t> {
    Node(Locked<'t>, Place),
    Mounted(MountPlace),
}

/// A result in the tree. Valid while the lock is held.
#[derive(Debug)]
pub(crate) struct Place {
    /// The directory that contains, or would contain, the last name.
    pub(crate) parent: Ino,
    pub(crate) last: Last,
    pub(crate) child: Option<Ino>,
    /// True if a slash follows the last name.
    pub(crate) slash: bool,
}

/// A result in a mount. The node may disappear at any moment.
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
    /// The path consists of slashes only.
    Root,
    /// `.`.
    Here,
    /// `..`.
    Above,
}

impl Last {
    /// Returns the name, or the errno `or` if there is none.
    pub(crate) fn name(&self, or: Errno) -> Result<&str, Errno> {
        match self {
            Last::Name(name) => Ok(name),
            Last::Root | Last::Here | Last::Above => Err(or),
        }
    }

    /// Returns the name of a directory to be removed.
    pub(crate) fn removable(&self) -> Result<&str, Errno> {
        match self {
            Last::Name(name) => Ok(name),
            Last::Root => Err(Errno::Busy),
            Last::Here => Err(Errno::Invalid),
            Last::Above => Err(Errno::NotEmpty),
        }
    }
}

/// A path inside a mount, with its backend.
#[derive(Clone, Debug)]
pub(crate) struct MountSpot {
    pub(crate) mount: Ino,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) inside: Inside,
}

/// A directory that resolution can be in.
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
    /// Returns the physical path of the result, even if nothing exists there.
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
    /// Checks that the name is free and that no slash follows it.
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
