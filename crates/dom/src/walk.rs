//! The ways through a tree, none of which recurses.

use crate::error::Error;
use crate::node::{Data, NIL, NodeId};
use crate::tree::Tree;

impl Tree {
    /// The node after `slot` in document order, below `root` only; `NIL` at the end.
    #[inline]
    pub(crate) fn following(&self, slot: u32, root: u32) -> u32 {
        let first = self.node(slot).first;
        if first != NIL { first } else { self.following_skipping(slot, root) }
    }

    /// As [`following`](Tree::following), but not into the children of `slot`.
    #[inline]
    pub(crate) fn following_skipping(&self, mut slot: u32, root: u32) -> u32 {
        while slot != root {
            let node = self.node(slot);
            if node.next != NIL {
                return node.next;
            }
            slot = node.parent;
            if slot == NIL {
                return NIL;
            }
        }
        NIL
    }

    /// The children of a node, in order.
    pub(crate) fn children_at(&self, slot: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = self.node(slot).first;
        std::iter::from_fn(move || {
            let here = next;
            (here != NIL).then(|| {
                next = self.node(here).next;
                here
            })
        })
    }

    /// A node and everything below it, in document order.
    pub(crate) fn subtree_at(&self, root: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = root;
        std::iter::from_fn(move || {
            let here = next;
            (here != NIL).then(|| {
                next = self.following(here, root);
                here
            })
        })
    }

    /// The parents of a node, from the nearest on.
    pub(crate) fn ancestors_at(&self, slot: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = self.node(slot).parent;
        std::iter::from_fn(move || {
            let here = next;
            (here != NIL).then(|| {
                next = self.node(here).parent;
                here
            })
        })
    }

    /// The parent, or the template that a fragment is the contents of.
    #[inline]
    pub(crate) fn host_or_parent(&self, slot: u32) -> u32 {
        let node = self.node(slot);
        match node.data {
            Data::Fragment(host) if node.parent == NIL => host,
            _ => node.parent,
        }
    }

    /// Levels above a node, through the contents of templates; counted no further than `limit`.
    pub(crate) fn depth_of(&self, mut slot: u32, limit: u32) -> u32 {
        let mut depth = 0;
        while depth < limit {
            slot = self.host_or_parent(slot);
            if slot == NIL {
                break;
            }
            depth += 1;
        }
        depth
    }

    /// Levels below a node, counted no further than `limit`.
    pub(crate) fn height_of(&self, root: u32, limit: u32) -> u32 {
        let (mut height, mut level, mut here) = (0, 0u32, root);
        loop {
            let first = self.node(here).first;
            if first != NIL {
                level += 1;
                height = height.max(level);
                if height >= limit {
                    return height;
                }
                here = first;
                continue;
            }
            while here != root && self.node(here).next == NIL {
                here = self.node(here).parent;
                level -= 1;
            }
            if here == root {
                return height;
            }
            here = self.node(here).next;
        }
    }

    /// Whether `slot` is `other` or below it.
    pub(crate) fn is_inside(&self, slot: u32, other: u32) -> bool {
        slot == other || self.ancestors_at(slot).any(|ancestor| ancestor == other)
    }

    /// The parent.
    pub fn parent(&self, id: NodeId) -> Result<Option<NodeId>, Error> {
        let slot = self.slot(id)?;
        Ok(self.maybe_id(self.node(slot).parent))
    }

    /// The first child.
    pub fn first_child(&self, id: NodeId) -> Result<Option<NodeId>, Error> {
        let slot = self.slot(id)?;
        Ok(self.maybe_id(self.node(slot).first))
    }

    /// The last child.
    pub fn last_child(&self, id: NodeId) -> Result<Option<NodeId>, Error> {
        let slot = self.slot(id)?;
        Ok(self.maybe_id(self.node(slot).last))
    }

    /// The sibling before.
    pub fn previous_sibling(&self, id: NodeId) -> Result<Option<NodeId>, Error> {
        let slot = self.slot(id)?;
        Ok(self.maybe_id(self.node(slot).previous))
    }

    /// The sibling after.
    pub fn next_sibling(&self, id: NodeId) -> Result<Option<NodeId>, Error> {
        let slot = self.slot(id)?;
        Ok(self.maybe_id(self.node(slot).next))
    }

    /// The children, in order.
    pub fn children(&self, id: NodeId) -> Result<Vec<NodeId>, Error> {
        let slot = self.slot(id)?;
        Ok(self.children_at(slot).map(|child| self.id(child)).collect())
    }

    /// The uppermost node above, or the node itself.
    pub fn root(&self, id: NodeId) -> Result<NodeId, Error> {
        let slot = self.slot(id)?;
        Ok(self.id(self.root_of(slot)))
    }

    /// As [`root`](Tree::root), through the contents of templates to where the template is.
    pub fn outermost_root(&self, id: NodeId) -> Result<NodeId, Error> {
        let mut slot = self.slot(id)?;
        loop {
            match self.host_or_parent(slot) {
                NIL => return Ok(self.id(slot)),
                above => slot = above,
            }
        }
    }

    /// The document that the node belongs to; a document belongs to itself.
    pub fn owner_document(&self, id: NodeId) -> Result<NodeId, Error> {
        let slot = self.slot(id)?;
        Ok(self.id(self.document_of(slot)))
    }

    /// Whether `id` is `other` or below it.
    pub fn contains(&self, other: NodeId, id: NodeId) -> Result<bool, Error> {
        Ok(self.is_inside(self.slot(id)?, self.slot(other)?))
    }
}
