use std::sync::Arc;

use crate::content::Content;
use crate::inode::Body;
use crate::state::ROOT;
use crate::tree::Snapshot;
use crate::{DeviceId, Errno, Error, Ino, Stat, VPath};

/// One node of a snapshot.
#[derive(Clone, Debug)]
pub struct Walked {
    /// Where it is. A file with several names comes once for each, under the same number.
    pub path: VPath,
    /// What is known of it.
    pub stat: Stat,
    /// Part of the system, read-only to guests.
    pub system: bool,
    /// What it is made of.
    pub node: Node,
}

/// What a node is made of.
#[derive(Clone, Debug)]
pub enum Node {
    /// Bytes, with holes.
    File(Extents),
    /// What is in it comes after it.
    Directory,
    /// The text of a link.
    Link(Arc<str>),
    /// What the kernel makes of this name.
    Device(DeviceId),
    /// A mount of any sort; what is below it is not the tree's.
    Mount,
}

/// The bytes of a file that are there; what lies between them is zero.
#[derive(Clone, Debug)]
pub struct Extents(Content);

impl Extents {
    /// Offset and bytes, in order.
    pub fn iter(&self) -> impl Iterator<Item = (u64, &[u8])> {
        self.0.chunks().map(|(offset, chunk)| (offset, chunk.as_slice()))
    }
}

impl Snapshot {
    /// Every node, a directory before what is in it, entries in the order of a listing.
    ///
    /// A directory nested deeper than a path can say comes as `ENAMETOOLONG`, without its content.
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
