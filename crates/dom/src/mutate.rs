//! Structural changes of the tree, checked by the rules of the DOM standard.

use crate::error::{Error, ErrorKind};
use crate::node::{Data, NIL, NodeId, NodeKind};
use crate::tree::Tree;

/// A change of the children of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// A node comes in front of a child.
    Insert,
    /// A node takes the place of a child.
    Replace,
    /// A node takes the place of all children.
    ReplaceAll,
}

impl Tree {
    /// Inserts `node` before `before`, or at the end. A fragment is replaced by its children.
    pub fn insert_before(
        &mut self,
        parent: NodeId,
        node: NodeId,
        before: Option<NodeId>,
    ) -> Result<(), Error> {
        let (parent, node) = (self.slot(parent)?, self.slot(node)?);
        let before = before.map_or(Ok(NIL), |id| self.slot(id))?;
        self.check_insertion(parent, node, before, NIL)?;
        // The insertion point must not move with the node.
        let before = if before == node { self.node(node).next } else { before };
        self.insert(parent, node, before);
        Ok(())
    }

    /// Checks a change of `before`, or of the end, without making it.
    pub fn check_insert(
        &self,
        parent: NodeId,
        node: NodeId,
        before: Option<NodeId>,
        change: Change,
    ) -> Result<(), Error> {
        let (parent, node) = (self.slot(parent)?, self.slot(node)?);
        let before = before.map_or(Ok(NIL), |id| self.slot(id))?;
        let replaced = match change {
            Change::Insert => NIL,
            Change::Replace => before,
            Change::ReplaceAll => parent,
        };
        self.check_insertion(parent, node, before, replaced)
    }

    /// Inserts `node` after the last child.
    pub fn append_child(&mut self, parent: NodeId, node: NodeId) -> Result<(), Error> {
        self.insert_before(parent, node, None)
    }

    /// Replaces the child `old` with `node`.
    pub fn replace_child(
        &mut self,
        parent: NodeId,
        node: NodeId,
        old: NodeId,
    ) -> Result<(), Error> {
        let (parent, node, old) = (self.slot(parent)?, self.slot(node)?, self.slot(old)?);
        self.check_insertion(parent, node, old, old)?;
        let mut before = self.node(old).next;
        if before == node {
            before = self.node(node).next;
        }
        if node != old {
            self.unlink(old);
        }
        self.insert(parent, node, before);
        Ok(())
    }

    /// Removes a child.
    pub fn remove_child(&mut self, parent: NodeId, node: NodeId) -> Result<(), Error> {
        let (parent, node) = (self.slot(parent)?, self.slot(node)?);
        if self.node(node).parent != parent {
            let text = "removeChild: the node is not a child of this node";
            return Err(Error::new(ErrorKind::NotFound, text));
        }
        self.unlink(node);
        Ok(())
    }

    /// Removes a node from its parent, if it has one.
    pub fn detach(&mut self, node: NodeId) -> Result<(), Error> {
        let node = self.slot(node)?;
        self.unlink(node);
        Ok(())
    }

    /// Replaces all children with `node`.
    pub fn replace_children(&mut self, parent: NodeId, node: Option<NodeId>) -> Result<(), Error> {
        let parent = self.slot(parent)?;
        let node = node.map_or(Ok(NIL), |id| self.slot(id))?;
        if node != NIL {
            self.check_insertion(parent, node, NIL, parent)?;
        }
        self.clear_children(parent);
        if node != NIL {
            self.insert(parent, node, NIL);
        }
        Ok(())
    }

    /// Moves a node and its descendants to another document.
    pub fn adopt(&mut self, node: NodeId, document: NodeId) -> Result<(), Error> {
        let node = self.slot(node)?;
        let document = self.document(document)?;
        if matches!(self.node(node).data, Data::Document(..)) {
            let text = "adoptNode: a document cannot be adopted";
            return Err(Error::new(ErrorKind::NotSupported, text));
        }
        self.unlink(node);
        self.node_mut(node).document = document;
        Ok(())
    }

    /// Checks that `node` may be inserted; `replaced` is a child that is removed at the same time,
    /// or the parent if all children are.
    fn check_insertion(
        &self,
        parent: u32,
        node: u32,
        before: u32,
        replaced: u32,
    ) -> Result<(), Error> {
        let wrong = |text: &str| Err(Error::new(ErrorKind::HierarchyRequest, text));
        let parent_kind = self.kind_at(parent);
        match parent_kind {
            NodeKind::Document | NodeKind::Fragment | NodeKind::Element => {}
            NodeKind::Text
            | NodeKind::CData
            | NodeKind::ProcessingInstruction
            | NodeKind::Comment
            | NodeKind::Doctype => return wrong("insertion: this kind of node has no children"),
        }
        let mut depth = 0;
        let mut above = parent;
        while above != NIL {
            if above == node {
                return wrong("insertion: the node contains the place to insert it");
            }
            above = self.host_or_parent(above);
            depth += 1;
        }
        if before != NIL && self.node(before).parent != parent {
            let text = "insertion: the reference node is not a child of this node";
            return Err(Error::new(ErrorKind::NotFound, text));
        }
        let kind = self.kind_at(node);
        match kind {
            NodeKind::Document => return wrong("insertion: a document cannot be inserted"),
            NodeKind::Text | NodeKind::CData if parent_kind == NodeKind::Document => {
                return wrong("insertion: a document cannot contain text");
            }
            NodeKind::Doctype if parent_kind != NodeKind::Document => {
                return wrong("insertion: only a document can contain a document type");
            }
            NodeKind::Element
            | NodeKind::Text
            | NodeKind::CData
            | NodeKind::ProcessingInstruction
            | NodeKind::Comment
            | NodeKind::Doctype
            | NodeKind::Fragment => {}
        }
        let limit = self.account.budget.depth;
        if depth + self.height_of(node, limit) > limit {
            let text = format!("insertion: more than {limit} levels of nodes");
            return Err(Error::new(ErrorKind::QuotaExceeded, text));
        }
        if parent_kind == NodeKind::Document {
            self.check_document(parent, node, before, replaced)?;
        }
        Ok(())
    }

    /// Checks that the document has at most one element and that its document type comes first.
    fn check_document(
        &self,
        parent: u32,
        node: u32,
        before: u32,
        replaced: u32,
    ) -> Result<(), Error> {
        let wrong = |text: &str| Err(Error::new(ErrorKind::HierarchyRequest, text));
        let is = |slot: u32, kind| self.kind_at(slot) == kind;
        let stays = |child: u32| child != replaced && replaced != parent;
        let other = |kind| self.children_at(parent).any(|c| stays(c) && is(c, kind));
        let from = |first: u32, kind| {
            let mut here = first;
            while here != NIL {
                if stays(here) && is(here, kind) {
                    return true;
                }
                here = self.node(here).next;
            }
            false
        };
        let elements = match self.kind_at(node) {
            NodeKind::Fragment => {
                if self.children_at(node).any(|c| is(c, NodeKind::Text) || is(c, NodeKind::CData)) {
                    return wrong("insertion: a document cannot contain text");
                }
                self.children_at(node).filter(|&c| is(c, NodeKind::Element)).take(2).count()
            }
            NodeKind::Element => 1,
            NodeKind::Doctype => {
                if other(NodeKind::Doctype) {
                    return wrong("insertion: the document already has a document type");
                }
                let element_in_front = self
                    .children_at(parent)
                    .take_while(|&c| c != before)
                    .any(|c| stays(c) && is(c, NodeKind::Element));
                if element_in_front {
                    return wrong("insertion: a document type must precede the root element");
                }
                0
            }
            NodeKind::Text
            | NodeKind::CData
            | NodeKind::ProcessingInstruction
            | NodeKind::Comment
            | NodeKind::Document => 0,
        };
        if elements > 1 || elements == 1 && other(NodeKind::Element) {
            return wrong("insertion: the document already has a root element");
        }
        if elements == 1 && before != NIL && from(before, NodeKind::Doctype) {
            return wrong("insertion: a document type must precede the root element");
        }
        Ok(())
    }

    /// Inserts a checked node; a fragment is replaced by its children.
    pub(crate) fn insert(&mut self, parent: u32, node: u32, before: u32) {
        if matches!(self.node(node).data, Data::Fragment(_)) {
            let mut child = self.node(node).first;
            while child != NIL {
                let next = self.node(child).next;
                self.unlink(child);
                self.link(parent, child, before);
                child = next;
            }
        } else {
            self.unlink(node);
            self.link(parent, node, before);
        }
    }

    /// Links a node that has no parent.
    pub(crate) fn link(&mut self, parent: u32, node: u32, before: u32) {
        self.touch();
        if self.node(parent).data.holds_options() {
            self.choose_again(parent);
        }
        let previous = match before {
            NIL => std::mem::replace(&mut self.node_mut(parent).last, node),
            before => std::mem::replace(&mut self.node_mut(before).previous, node),
        };
        match previous {
            NIL => self.node_mut(parent).first = node,
            previous => self.node_mut(previous).next = node,
        }
        let new = self.node_mut(node);
        (new.parent, new.previous, new.next) = (parent, previous, before);
    }

    /// Removes a node from its parent, if it has one; the node stays in its document.
    pub(crate) fn unlink(&mut self, node: u32) {
        let (parent, previous, next) = {
            let node = self.node(node);
            (node.parent, node.previous, node.next)
        };
        if parent == NIL {
            return;
        }
        let document = self.document_of(parent);
        self.touch();
        if self.node(parent).data.holds_options() {
            self.choose_again(parent);
        }
        match previous {
            NIL => self.node_mut(parent).first = next,
            previous => self.node_mut(previous).next = next,
        }
        match next {
            NIL => self.node_mut(parent).last = previous,
            next => self.node_mut(next).previous = previous,
        }
        let old = self.node_mut(node);
        (old.parent, old.previous, old.next) = (NIL, NIL, NIL);
        old.document = document;
    }

    /// Removes all children.
    pub(crate) fn clear_children(&mut self, parent: u32) {
        let document = self.document_of(parent);
        let mut child = self.node(parent).first;
        self.touch();
        while child != NIL {
            let old = self.node_mut(child);
            let next = old.next;
            (old.parent, old.previous, old.next, old.document) = (NIL, NIL, NIL, document);
            child = next;
        }
        let parent = self.node_mut(parent);
        (parent.first, parent.last) = (NIL, NIL);
    }
}
