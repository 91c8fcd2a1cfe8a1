//! Text of single nodes and of whole subtrees.

use crate::error::{Error, ErrorKind};
use crate::node::{Data, NIL, NodeId, NodeKind};
use crate::tree::Tree;

impl Tree {
    /// Returns the type of the node.
    pub fn kind(&self, id: NodeId) -> Result<NodeKind, Error> {
        Ok(self.kind_at(self.slot(id)?))
    }

    /// Returns the text of a text node, comment or processing instruction; `None` for other nodes.
    pub fn data(&self, id: NodeId) -> Option<&str> {
        match &self.node(self.slot(id).ok()?).data {
            Data::Text(text) | Data::CData(text) | Data::Comment(text) => Some(text),
            Data::Instruction(instruction) => Some(&instruction.data),
            Data::Free(_)
            | Data::Document(..)
            | Data::Doctype(_)
            | Data::Fragment(_)
            | Data::Element(_) => None,
        }
    }

    /// Returns the target of a processing instruction.
    pub fn target(&self, id: NodeId) -> Option<&str> {
        match &self.node(self.slot(id).ok()?).data {
            Data::Instruction(instruction) => Some(&instruction.target),
            _ => None,
        }
    }

    /// Returns the name, public identifier and system identifier of a document type.
    pub fn doctype(&self, id: NodeId) -> Option<(&str, &str, &str)> {
        match &self.node(self.slot(id).ok()?).data {
            Data::Doctype(d) => Some((&d.name, &d.public_id, &d.system_id)),
            _ => None,
        }
    }

    /// Replaces the text of a text node, comment or processing instruction.
    pub fn set_data(&mut self, id: NodeId, text: &str) -> Result<(), Error> {
        let slot = self.slot(id)?;
        self.account.charge(text.len())?;
        let old = match &mut self.node_mut(slot).data {
            Data::Text(old) | Data::CData(old) | Data::Comment(old) => old,
            Data::Instruction(instruction) => &mut instruction.data,
            Data::Free(_)
            | Data::Document(..)
            | Data::Doctype(_)
            | Data::Fragment(_)
            | Data::Element(_) => {
                self.account.refund(text.len());
                let text = "data: this kind of node has no text";
                return Err(Error::new(ErrorKind::NotSupported, text));
            }
        };
        let old = std::mem::replace(old, text.to_owned());
        self.account.refund(old.len());
        self.touch_still();
        Ok(())
    }

    /// Appends to the text of a text node.
    pub(crate) fn push_text(&mut self, slot: u32, text: &str) -> Result<(), Error> {
        self.account.charge(text.len())?;
        if let Data::Text(old) = &mut self.node_mut(slot).data {
            old.push_str(text);
        }
        self.touch_still();
        Ok(())
    }

    /// Returns the `textContent`: the text of all descendants, or the node's own text. Documents
    /// and document types have none.
    pub fn text_content(&self, id: NodeId) -> Result<Option<String>, Error> {
        let slot = self.slot(id)?;
        Ok(match self.kind_at(slot) {
            NodeKind::Document | NodeKind::Doctype => None,
            NodeKind::Element | NodeKind::Fragment => Some(self.text_below(slot, usize::MAX)),
            NodeKind::Text
            | NodeKind::CData
            | NodeKind::ProcessingInstruction
            | NodeKind::Comment => self.data(id).map(str::to_owned),
        })
    }

    /// Returns the text of all descendants, cut at a character boundary within `limit` bytes.
    pub(crate) fn text_below(&self, root: u32, limit: usize) -> String {
        let mut all = String::new();
        for slot in self.subtree_at(root) {
            if let Data::Text(text) | Data::CData(text) = &self.node(slot).data {
                let room = limit - all.len();
                if text.len() > room {
                    all.push_str(&text[..text.floor_char_boundary(room)]);
                    break;
                }
                all.push_str(text);
            }
        }
        all
    }

    /// Sets the `textContent`.
    pub fn set_text_content(&mut self, id: NodeId, text: &str) -> Result<(), Error> {
        let slot = self.slot(id)?;
        match self.kind_at(slot) {
            NodeKind::Document | NodeKind::Doctype => Ok(()),
            NodeKind::Text
            | NodeKind::CData
            | NodeKind::ProcessingInstruction
            | NodeKind::Comment => self.set_data(id, text),
            NodeKind::Element | NodeKind::Fragment => {
                let new = match text {
                    "" => None,
                    text => Some(self.create_text(id, text)?),
                };
                self.clear_children(slot);
                if let Some(new) = new {
                    self.link(slot, new.slot, NIL);
                }
                Ok(())
            }
        }
    }

    /// Merges adjacent text nodes below a node and removes empty ones.
    pub fn normalize(&mut self, id: NodeId) -> Result<(), Error> {
        let root = self.slot(id)?;
        let mut here = root;
        while here != NIL {
            let next = self.following(here, root);
            if here == root || !matches!(self.node(here).data, Data::Text(_)) {
                here = next;
                continue;
            }
            if matches!(&self.node(here).data, Data::Text(text) if text.is_empty()) {
                self.unlink(here);
                here = next;
                continue;
            }
            let mut sibling = self.node(here).next;
            while sibling != NIL {
                // A node that is merged into another one keeps its own text.
                let Data::Text(text) = &self.node(sibling).data else { break };
                let text = text.clone();
                let after = self.node(sibling).next;
                self.push_text(here, &text)?;
                self.unlink(sibling);
                sibling = after;
            }
            let next = self.following(here, root);
            here = next;
        }
        Ok(())
    }
}
