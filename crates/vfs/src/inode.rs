//! One node of a tree: its content, attributes and cost.

use std::sync::Arc;

use crate::backend::Backend;
use crate::content::Content;
use crate::directory::Directory;
use crate::path::Inside;
use crate::{DeviceId, Ino, Kind, Mode, Stat, Time, Usage};

/// Device number of the tree itself.
pub(crate) const TREE_DEVICE: u64 = 1;

#[derive(Clone, Debug)]
pub(crate) struct Inode {
    pub(crate) body: Body,
    pub(crate) mode: Mode,
    /// Number of names; 1 for a directory until it is removed. 0 if only handles are left.
    pub(crate) names: u64,
    pub(crate) accessed: Time,
    pub(crate) modified: Time,
    pub(crate) changed: Time,
    pub(crate) area: Area,
    /// A mount point or the root, which cannot be moved, replaced or removed.
    pub(crate) pinned: bool,
    /// Set for a node that an overlay took from a real directory.
    pub(crate) origin: Option<Arc<Origin>>,
    /// True if the node differs from its origin.
    pub(crate) edited: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    File(Content),
    /// A file of an overlay that is still read from its origin; holds the size.
    Lower(u64),
    Directory(Directory),
    Link(Arc<str>),
    Device(DeviceId),
    Mount {
        parent: Ino,
        name: Arc<str>,
        backend: Arc<dyn Backend>,
    },
}

/// The owner of a node, which determines charging and write access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    /// Owned by guests: charged and writable.
    Guest,
    /// Owned by the kernel: free and read-only to guests.
    System,
    /// Provided by the host, such as the root and the content of an overlay: the node is free, and
    /// additions of guests are charged.
    Free,
}

/// The path in a real directory that a node of an overlay came from.
#[derive(Debug)]
pub(crate) struct Origin {
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) path: Inside,
}

impl Inode {
    pub(crate) fn new(body: Body, mode: Mode, now: Time) -> Self {
        Inode {
            body,
            mode,
            names: 1,
            accessed: now,
            modified: now,
            changed: now,
            area: Area::Guest,
            pinned: false,
            origin: None,
            edited: false,
        }
    }

    pub(crate) fn kind(&self) -> Kind {
        match &self.body {
            Body::File(_) | Body::Lower(_) => Kind::File,
            Body::Directory(_) | Body::Mount { .. } => Kind::Directory,
            Body::Link(_) => Kind::Link,
            Body::Device(id) => Kind::Device(*id),
        }
    }

    pub(crate) fn directory(&self) -> Option<&Directory> {
        match &self.body {
            Body::Directory(directory) => Some(directory),
            Body::File(_) | Body::Lower(_) | Body::Link(_) | Body::Device(_) => None,
            Body::Mount { .. } => None,
        }
    }

    pub(crate) fn directory_mut(&mut self) -> Option<&mut Directory> {
        match &mut self.body {
            Body::Directory(directory) => Some(directory),
            Body::File(_) | Body::Lower(_) | Body::Link(_) | Body::Device(_) => None,
            Body::Mount { .. } => None,
        }
    }

    /// Returns the cost of the node; see [`Limits`](crate::Limits).
    pub(crate) fn cost(&self) -> Usage {
        let bytes = match &self.body {
            Body::File(content) => content.cost(),
            Body::Link(target) if self.area == Area::Guest => target.len() as u64,
            Body::Lower(_) | Body::Link(_) => 0,
            Body::Directory(_) | Body::Device(_) | Body::Mount { .. } => 0,
        };
        let nodes = self.names.max(1);
        match self.area {
            Area::Guest => Usage { bytes, nodes },
            Area::Free => Usage { bytes, nodes: nodes - 1 },
            Area::System => Usage::default(),
        }
    }

    pub(crate) fn stat(&self, ino: Ino) -> Stat {
        let (size, held) = match &self.body {
            Body::File(content) => (content.size(), content.held()),
            Body::Lower(size) => (*size, *size),
            Body::Link(target) => (target.len() as u64, 0),
            Body::Directory(_) | Body::Device(_) | Body::Mount { .. } => (0, 0),
        };
        let links = match &self.body {
            Body::Directory(directory) if self.names > 0 => 2 + directory.directories,
            Body::Mount { .. } => 2,
            Body::Directory(_) | Body::File(_) | Body::Lower(_) => self.names,
            Body::Link(_) | Body::Device(_) => self.names,
        };
        Stat {
            device: TREE_DEVICE,
            ino,
            kind: self.kind(),
            mode: self.mode,
            links,
            size,
            held,
            accessed: self.accessed,
            modified: self.modified,
            changed: self.changed,
        }
    }

    /// Records a change of content, which is a change of attributes too.
    pub(crate) fn touch(&mut self, now: Time) {
        self.modified = now;
        self.touch_attributes(now);
    }

    /// Records a change of attributes.
    pub(crate) fn touch_attributes(&mut self, now: Time) {
        self.changed = now;
        self.edited = true;
    }

    /// Returns true if a read at `now` should update the access time. Follows `relatime`, so that
    /// reading a shared tree does not copy it.
    pub(crate) fn access_is_news(&self, now: Time) -> bool {
        const DAY: u64 = 24 * 60 * 60 * 1_000_000_000;
        self.area != Area::System
            && self.accessed != now
            && (self.accessed <= self.modified
                || self.accessed <= self.changed
                || now.0.saturating_sub(self.accessed.0) >= DAY)
    }
}
