//! Iteration over all nodes of a snapshot, for saving it.

use std::sync::Arc;

use crate::content::Content;
use crate::inode::Body;
use crate::state::ROOT;
use crate::tree::Snapshot;
use crate::{DeviceId, Errno, Error, Ino, Stat, VPath};

/// One node of a snapshot.
#[derive(Clone, Debug)]
pub struct Walked {
    /// The path. A file with several names occurs once for each, with the same number.
    pub path: VPath,
    /// The attributes.
    pub stat: Stat,
    /// True for a node of a system area, which is read-only to guests.
    pub system: bool,
    /// The content.
    pub node: Node,
}

/// The content of a node.
#[derive(Clone, Debug)]
pub enum Node {
    /// The bytes of a file, with holes.
    File(Extents),
    /// A directory; its entries follow.
    Directory,
    /// The target of a link.
    Link(Arc<str>),
    /// A device, which only the kernel interprets.
    Device(DeviceId),
    /// A mount of any kind; its content is not part of the tree.
    Mount,
}

/// The bytes present in a file; everything between them is zero.
#[derive(Clone, Debug)]
pub struct Extents(Content);

impl Extents {
    /// Returns pairs of offset and bytes, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.0.chunks().map(|(offset, chunk)| (offset, chunk.as_slice()))
    }
}

impl Snapshot {
    /// Returns every node, a directory before its entries, in the order of a listing.
    ///
    /// A directory nested deeper than [`PATH_MAX`](crate::PATH_MAX) permits is returned as
    /// `ENAMETOOLONG`, without its content.
    pub fn walk(&self) -> impl Iterator<Item = Result<Walked, Error>> {
        let mut stack = vec![(VPath::root(), ROOT)];
        std::iter::from_fn(move || {
            let (path, ino) = stack.pop()?;
            Some(
                self.visit(&path, ino, &mut stack)
                    .map_err(|errno| Error::new(errno, path.as_str())),
            )
        })
    }

    fn visit(
        &self,
        path: &VPath,
        ino: Ino,
        stack: &mut Vec<(VPath, Ino)>,
    ) -> Result<Walked, Errno> {
        let inode = self.state.get(ino)?;
        let node = match &inode.body {
            Body::Directory(_) if inode.pinned && ino != ROOT => Node::Mount,
            Body::Directory(directory) => {
                let below = directory
                    .entries()
                    .map(|entry| {
                        let names = path.names().chain([&*entry.name]);
                        Ok((VPath::from_names(names)?, entry.ino))
                    })
                    .collect::<Result<Vec<_>, Errno>>()?;
                stack.extend(below.into_iter().rev());
                Node::Directory
            }
            Body::File(content) => Node::File(Extents(content.clone())),
            Body::Lower(_) => Node::File(Extents(Content::default())),
            Body::Link(target) => Node::Link(Arc::clone(target)),
            Body::Device(id) => Node::Device(*id),
            Body::Mount { .. } => Node::Mount,
        };
        let system = inode.area == crate::inode::Area::System;
        Ok(Walked { path: path.clone(), stat: inode.stat(ino), system, node })
    }
}
