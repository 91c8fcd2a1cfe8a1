//! Traversal of a tree without recursion.

use crate::error::Error;
use crate::node::{Data, NIL, NodeId};
use crate::tree::Tree;

impl Tree {
    /// Returns the node after `slot` in document order below `root`, or `NIL` at the end.
    #[inline]
    pub(crate) fn following(&self, slot: u32, root: u32) -> u32 {
        let first = self.node(slot).first;
        if first != NIL { first } else { self.following_skipping(slot, root) }
    }

    /// Like [`following`](Tree::following), but skips the children of `slot`.
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

    /// Returns the children of a node in order.
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

    /// Returns a node and all its descendants in document order.
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

    /// Returns the ancestors of a node, nearest first.
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

    /// Returns the parent, or the template if the node is its contents.
    #[inline]
    pub(crate) fn host_or_parent(&self, slot: u32) -> u32 {
        let node = self.node(slot);
        match node.data {
            Data::Fragment(host) if node.parent == NIL => host,
            _ => node.parent,
        }
    }

    /// Returns the number of levels above a node, counting through templates, up to `limit`.
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

    /// Returns the number of levels below a node, up to `limit`.
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

    /// Returns true if `slot` is `other` or one of its descendants.
    pub(crate) fn is_inside(&self, slot: u32, other: u32) -> bool {
        slot == other || self.ancestors_at(slot).any(|ancestor| ancestor == other)
    }

    /// Returns the parent.
    pub fn parent(&self, id: NodeId) -> Result<Option<NodeId>, Error> {
        let slot = self.slot(id)?;
        Ok(self.maybe_id(self.node(slot).parent))
    }

    /// Returns the first child.
    pub fn first_child(&self, id: NodeId) -> Result<Option<NodeId>, Error> {
        let slot = self.slot(id)?;
        Ok(self.maybe_id(self.node(slot).first))
    }

    /// Returns the last child.
    pub fn last_child(&self, id: NodeId) -> Result<Option<NodeId>, Error> {
        let slot = self.slot(id)?;
        Ok(self.maybe_id(self.node(slot).last))
    }

    /// Returns the previous sibling.
    pub fn previous_sibling(&self, id: NodeId) -> Result<Option<NodeId>, Error> {
        let slot = self.slot(id)?;
        Ok(self.maybe_id(self.node(slot).previous))
    }

    /// Returns the next sibling.
    pub fn next_sibling(&self, id: NodeId) -> Result<Option<NodeId>, Error> {
        let slot = self.slot(id)?;
        Ok(self.maybe_id(self.node(slot).next))
    }

    /// Returns the children in order.
    pub fn children(&self, id: NodeId) -> Result<Vec<NodeId>, Error> {
        let slot = self.slot(id)?;
        Ok(self.children_at(slot).map(|child| self.id(child)).collect())
    }

    /// Returns the topmost ancestor, or the node itself if it has no parent.
    pub fn root(&self, id: NodeId) -> Result<NodeId, Error> {
        let slot = self.slot(id)?;
        Ok(self.id(self.root_of(slot)))
    }

    /// Like [`root`](Tree::root), but continues from the contents of a template to its host.
    pub fn outermost_root(&self, id: NodeId) -> Result<NodeId, Error> {
        let mut slot = self.slot(id)?;
        loop {
            match self.host_or_parent(slot) {
                NIL => return Ok(self.id(slot)),
                above => slot = above,
            }
        }
    }

    /// Returns the document that the node belongs to; a document belongs to itself.
    pub fn owner_document(&self, id: NodeId) -> Result<NodeId, Error> {
        let slot = self.slot(id)?;
        Ok(self.id(self.document_of(slot)))
    }

    /// Returns true if `id` is `other` or one of its descendants.
    pub fn contains(&self, other: NodeId, id: NodeId) -> Result<bool, Error> {
        Ok(self.is_inside(self.slot(id)?, self.slot(other)?))
    }
}
