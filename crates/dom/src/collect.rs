//! Nodes that nothing can reach any more are given back.
//!
//! A tree of nodes lives as long as it is pinned anywhere, or is a document that a living tree
//! belongs to. So a guest can set `innerHTML` in a loop for as long as it likes.

use crate::error::Error;
use crate::node::{Data, NIL, NodeId};
use crate::tree::Tree;

/// Fewer new nodes than this are not worth a look at all of them.
const WORTHWHILE: u32 = 16 * 1024;

/// New nodes, or bytes, that are worth it when the budget is nearly used up: one part in so many.
const WORTHWHILE_PART: u32 = 16;

impl Tree {
    /// Holds a node, and with it the tree it is in, until as many [`unpin`](Tree::unpin) came.
    pub fn pin(&mut self, id: NodeId) -> Result<(), Error> {
        let slot = self.slot(id)?;
        let pins = &mut self.node_mut(slot).pins;
        *pins = pins.saturating_add(1);
        Ok(())
    }

    /// Lets go of a node that was pinned. A node that does not exist is none of our business.
    pub fn unpin(&mut self, id: NodeId) {
        if let Ok(slot) = self.slot(id) {
            let pins = &mut self.node_mut(slot).pins;
            *pins = pins.saturating_sub(1);
        }
    }

    /// Whether so much was made since the last collection that another is likely to pay.
    pub fn is_worth_collecting(&self) -> bool {
        if self.made >= WORTHWHILE.max(self.patience) {
            return true;
        }
        let (budget, used) = (self.budget(), self.usage());
        let near = used.nodes > budget.nodes / 8 * 7 || used.bytes > budget.bytes / 8 * 7;
        near && (self.made >= budget.nodes / WORTHWHILE_PART
            || self.account.charged >= budget.bytes / WORTHWHILE_PART as usize)
    }

    /// Frees what no pin keeps, and answers how many nodes that were.
    ///
    /// Call it only while every node in use is pinned or in the tree of a pinned one.
    pub fn collect(&mut self) -> usize {
        let mut live = vec![false; self.nodes.len()];
        let mut roots: Vec<u32> = Vec::new();
        for slot in 0..self.nodes.len() as u32 {
            if self.node(slot).pins > 0 {
                roots.push(slot);
            }
        }
        while let Some(slot) = roots.pop() {
            let root = self.root_of(slot);
            if std::mem::replace(&mut live[root as usize], true) {
                continue;
            }
            let document = self.node(root).document;
            if document != NIL {
                roots.push(document);
            }
            let mut here = root;
            while here != NIL {
                live[here as usize] = true;
                if let Data::Element(element) = &self.node(here).data
                    && element.contents != NIL
                {
                    roots.push(element.contents);
                }
                here = self.following(here, root);
            }
        }
        let mut freed = 0;
        for slot in 0..self.nodes.len() as u32 {
            if !live[slot as usize] && !matches!(self.node(slot).data, Data::Free(_)) {
                self.release(slot);
                freed += 1;
            }
        }
        // A fragment may outlive the template it was the contents of.
        for slot in 0..self.nodes.len() {
            if let Data::Fragment(host) = self.nodes[slot].data
                && host != NIL
                && !live.get(host as usize).copied().unwrap_or(false)
            {
                self.nodes[slot].data = Data::Fragment(NIL);
            }
        }
        self.made = 0;
        self.account.charged = 0;
        // Where little was to be had, little will be: the next look comes later.
        let live = self.usage().nodes;
        self.patience = if freed >= live as usize / 4 { live } else { live.saturating_mul(3) };
        self.touch();
        freed
    }

    /// Frees a node and everything below it, contents of templates too, whoever holds it.
    pub(crate) fn destroy(&mut self, slot: u32) {
        self.unlink(slot);
        self.touch();
        let mut roots = vec![slot];
        let mut doomed = Vec::new();
        while let Some(root) = roots.pop() {
            let mut here = root;
            while here != NIL {
                if let Data::Element(element) = &self.node(here).data
                    && element.contents != NIL
                {
                    roots.push(element.contents);
                }
                doomed.push(here);
                here = self.following(here, root);
            }
        }
        for slot in doomed {
            self.release(slot);
        }
    }
}
