//! Copying and comparing subtrees.

use crate::choice::Ticked;
use crate::error::Error;
use crate::node::{Attribute, Custom, Data, Doctype, Element, Instruction, NIL, NodeId};
use crate::tree::{Tree, is_html};
use html5ever::local_name;

/// The extent of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cloning {
    /// The node alone.
    Shallow,
    /// The node and everything below it.
    Deep,
}

impl Tree {
    /// Copies a node. The copy is detached and belongs to `document`.
    pub fn clone_node(
        &mut self,
        id: NodeId,
        copy: Cloning,
        document: NodeId,
    ) -> Result<NodeId, Error> {
        let slot = self.slot(id)?;
        let document = self.document(document)?;
        let clone = self.copy_at(slot, copy, document)?;
        Ok(self.id(clone))
    }

    /// Like [`clone_node`](Tree::clone_node). If the budget runs out, the partial copy is freed.
    pub(crate) fn copy_at(
        &mut self,
        slot: u32,
        copy: Cloning,
        document: u32,
    ) -> Result<u32, Error> {
        let root = self.copy_one(slot, document)?;
        if matches!(self.node(root).data, Data::Document(..)) {
            self.node_mut(root).document = root;
        }
        // Pairs of nodes whose children have not been copied yet.
        let mut open = vec![(slot, root)];
        while let Some((from, to)) = open.pop() {
            let contents = |tree: &Tree, slot| tree.element(slot).map_or(NIL, |e| e.contents);
            let (from_contents, to_contents) = (contents(self, from), contents(self, to));
            if copy == Cloning::Deep && from_contents != NIL && to_contents != NIL {
                open.push((from_contents, to_contents));
            }
            let mut child = match copy {
                Cloning::Shallow => NIL,
                Cloning::Deep => self.node(from).first,
            };
            while child != NIL {
                let new = match self.copy_one(child, document) {
                    Ok(new) => new,
                    Err(error) => {
                        self.destroy(root);
                        return Err(error);
                    }
                };
                self.link(to, new, NIL);
                open.push((child, new));
                child = self.node(child).next;
            }
        }
        Ok(root)
    }

    fn copy_one(&mut self, slot: u32, document: u32) -> Result<u32, Error> {
        let bytes = self.node(slot).data.bytes();
        self.account.charge(bytes)?;
        self.account.refund(bytes);
        let data = match &self.node(slot).data {
            Data::Free(_) => return Err(Error::gone()),
            Data::Element(Element {
                name, attributes, html_integration, ticked, custom, ..
            }) => {
                let name_of = name;
                let (name, attributes) = (name.clone(), attributes.clone());
                let html_integration = *html_integration;
                // Boxes keep their state; options begin again.
                let ticked = match is_html(name_of, &local_name!("input")) {
                    true => *ticked,
                    false => Ticked::ByAttribute,
                };
                // The constructor has not run for the copy.
                let custom = match custom {
                    Custom::Unknown => Custom::Unknown,
                    Custom::Waiting | Custom::Defined => Custom::Waiting,
                };
                let new = self.make_element(name, attributes, document)?;
                if let Some(element) = self.element_mut(new) {
                    element.html_integration = html_integration;
                    element.ticked = ticked;
                    element.custom = custom;
                }
                return Ok(new);
            }
            Data::Document(kind, quirks) => Data::Document(*kind, *quirks),
            Data::Fragment(_) => Data::Fragment(NIL),
            Data::Text(text) => Data::Text(text.clone()),
            Data::CData(text) => Data::CData(text.clone()),
            Data::Comment(text) => Data::Comment(text.clone()),
            Data::Doctype(d) => Data::Doctype(Box::new(Doctype {
                name: d.name.clone(),
                public_id: d.public_id.clone(),
                system_id: d.system_id.clone(),
            })),
            Data::Instruction(pi) => Data::Instruction(Box::new(Instruction {
                target: pi.target.clone(),
                data: pi.data.clone(),
            })),
        };
        self.allocate(data, document)
    }

    /// Returns true if two nodes and all their descendants are equal in content.
    pub fn is_equal(&self, a: NodeId, b: NodeId) -> Result<bool, Error> {
        let mut open = vec![(self.slot(a)?, self.slot(b)?)];
        while let Some((a, b)) = open.pop() {
            if !self.reads_same(a, b) {
                return Ok(false);
            }
            let (mut a, mut b) = (self.node(a).first, self.node(b).first);
            while a != NIL && b != NIL {
                open.push((a, b));
                (a, b) = (self.node(a).next, self.node(b).next);
            }
            if a != b {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn reads_same(&self, a: u32, b: u32) -> bool {
        match (&self.node(a).data, &self.node(b).data) {
            (Data::Document(..), Data::Document(..)) | (Data::Fragment(_), Data::Fragment(_)) => {
                true
            }
            (Data::Text(a), Data::Text(b))
            | (Data::CData(a), Data::CData(b))
            | (Data::Comment(a), Data::Comment(b)) => a == b,
            (Data::Instruction(a), Data::Instruction(b)) => {
                a.target == b.target && a.data == b.data
            }
            (Data::Doctype(a), Data::Doctype(b)) => {
                (&a.name, &a.public_id, &a.system_id) == (&b.name, &b.public_id, &b.system_id)
            }
            (Data::Element(a), Data::Element(b)) => {
                let has = |attribute: &Attribute| {
                    b.attributes.iter().any(|other| {
                        other.name.expanded() == attribute.name.expanded()
                            && other.value == attribute.value
                    })
                };
                a.name == b.name
                    && a.attributes.len() == b.attributes.len()
                    && a.attributes.iter().all(has)
            }
            _ => false,
        }
    }
}
