//! Garbage collection of unreachable nodes.
//!
//! A tree of nodes lives as long as one of its nodes is pinned, or as long as it is a document
//! that a living tree belongs to. This lets a guest set `innerHTML` in a loop indefinitely.

use crate::error::Error;
use crate::node::{Data, NIL, NodeId};
use crate::tree::Tree;

/// Fewest new nodes that justify a pass over all nodes.
const WORTHWHILE: u32 = 16 * 1024;

/// Fraction of the budget, in new nodes or bytes, that justifies a pass when the budget is nearly
/// exhausted.
const WORTHWHILE_PART: u32 = 16;

impl Tree {
    /// Keeps a node, and with it the tree that contains it, alive until the matching
    /// [`unpin`](Tree::unpin).
    pub fn pin(&mut self, id: NodeId) -> Result<(), Error> {
        let slot = self.slot(id)?;
        let pins = &mut self.node_mut(slot).pins;
        *pins = pins.saturating_add(1);
        Ok(())
    }

    /// Releases a pinned node. Does nothing if the node does not exist.
    pub fn unpin(&mut self, id: NodeId) {
        if let Ok(slot) = self.slot(id) {
            let pins = &mut self.node_mut(slot).pins;
            *pins = pins.saturating_sub(1);
        }
    }

    /// Returns true if enough was created since the last collection for another one to pay off.
    pub fn is_worth_collecting(&self) -> bool {
        if self.made >= WORTHWHILE.max(self.patience) {
            return true;
        }
        let (budget, used) = (self.budget(), self.usage());
        let near = used.nodes > budget.nodes / 8 * 7 || used.bytes > budget.bytes / 8 * 7;
        near && (self.made >= budget.nodes / WORTHWHILE_PART
            || self.account.charged >= budget.bytes / WORTHWHILE_PART as usize)
    }

    /// Frees all nodes that no pin keeps alive, and returns their number.
    ///
    /// Call this only while every node in use is pinned or in the tree of a pinned one.
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
        // A fragment can outlive the template whose contents it was.
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
        // If little was freed, the next collection is postponed.
        let live = self.usage().nodes;
        self.patience = if freed >= live as usize / 4 { live } else { live.saturating_mul(3) };
        self.touch();
        freed
    }

    /// Frees a node and all its descendants, including contents of templates, even if pinned.
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
