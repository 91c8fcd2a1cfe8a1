//! Shadow roots and custom elements.
//!
//! A shadow root is a fragment with a host, as the contents of a template are, and is reached from
//! the same link: no template can have a shadow root. The fragment is freed with its host, and no
//! walk over children enters it.

use crate::error::{Error, ErrorKind};
use crate::node::{Custom, Data, Element, NIL, NodeId};
use crate::tree::Tree;
use html5ever::ns;

/// The extent of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Walk {
    /// The descendants.
    Tree,
    /// The descendants, and those of shadow roots; an element's shadow tree precedes its children.
    Composed,
}

impl Element {
    /// Returns true if a definition could apply: by the name, or by the attribute `is`.
    pub(crate) fn may_be_custom(&self) -> bool {
        self.name.ns == ns!(html)
            && (self.custom != Custom::Unknown
                || self.name.local.contains('-')
                || self.attributes.iter().any(|a| a.name.ns.is_empty() && *a.name.local == *"is"))
    }
}

impl Tree {
    /// Gives an element a shadow root, which is a fragment.
    pub fn attach_shadow(&mut self, host: NodeId) -> Result<NodeId, Error> {
        let slot = self.slot(host)?;
        if self.element(slot).is_none_or(|element| element.contents != NIL) {
            let text = "attachShadow: the node cannot have a shadow root, or has one";
            return Err(Error::new(ErrorKind::NotSupported, text));
        }
        let limit = self.account.budget.depth;
        if self.depth_of(slot, limit) + 1 >= limit {
            let text = format!("attachShadow: more than {limit} levels of nodes");
            return Err(Error::new(ErrorKind::QuotaExceeded, text));
        }
        let document = self.document_of(slot);
        let shadow = self.allocate(Data::Fragment(slot), document)?;
        if let Some(element) = self.element_mut(slot) {
            element.contents = shadow;
        }
        Ok(self.id(shadow))
    }

    /// Returns the host of a shadow root.
    pub(crate) fn shadow_host_at(&self, slot: u32) -> Option<u32> {
        match self.node(slot).data {
            Data::Fragment(host) if host != NIL => {
                self.element(host).is_some_and(|element| element.shadow() == slot).then_some(host)
            }
            _ => None,
        }
    }

    /// Returns true for nodes in the contents of a template, including shadow trees there.
    pub fn is_inert(&self, id: NodeId) -> Result<bool, Error> {
        let root = self.slot(self.composed_root(id)?)?;
        Ok(matches!(self.node(root).data, Data::Fragment(host) if host != NIL))
    }

    /// Like [`root`](Tree::root), but continues from shadow roots to their hosts.
    pub fn composed_root(&self, id: NodeId) -> Result<NodeId, Error> {
        let mut root = self.root_of(self.slot(id)?);
        while let Some(host) = self.shadow_host_at(root) {
            root = self.root_of(host);
        }
        Ok(self.id(root))
    }

    /// Returns the elements that can be custom, at and below a node, in tree order.
    pub fn custom_below(&self, id: NodeId, walk: Walk) -> Result<Vec<NodeId>, Error> {
        let top = self.slot(id)?;
        let mut found = Vec::new();
        // Roots of the shadow trees that the walk is in, and the place to continue at after each.
        let mut outer: Vec<(u32, u32)> = Vec::new();
        let (mut root, mut here) = (top, top);
        loop {
            if here == NIL {
                let Some(back) = outer.pop() else { return Ok(found) };
                (root, here) = back;
                here = self.following(here, root);
                continue;
            }
            if let Some(element) = self.element(here) {
                if element.may_be_custom() {
                    found.push(self.id(here));
                }
                if walk == Walk::Composed && element.shadow() != NIL {
                    outer.push((root, here));
                    (root, here) = (element.shadow(), element.shadow());
                    continue;
                }
            }
            here = self.following(here, root);
        }
    }

    /// Records the progress of a custom element.
    pub fn set_custom(&mut self, id: NodeId, custom: Custom) -> Result<(), Error> {
        let slot = self.slot(id)?;
        self.touch();
        if let Some(element) = self.element_mut(slot) {
            element.custom = custom;
        }
        Ok(())
    }
}
