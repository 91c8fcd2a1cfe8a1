//! Relative position of two nodes, as in `compareDocumentPosition`.

use crate::error::Error;
use crate::node::{NIL, NodeId};
use crate::tree::Tree;

/// The nodes are in different trees.
pub const DISCONNECTED: u16 = 1;
/// The other node precedes the reference node.
pub const PRECEDING: u16 = 2;
/// The other node follows the reference node.
pub const FOLLOWING: u16 = 4;
/// The other node is an ancestor of the reference node.
pub const CONTAINS: u16 = 8;
/// The other node is a descendant of the reference node.
pub const CONTAINED_BY: u16 = 16;
/// The order does not follow from the tree.
pub const IMPLEMENTATION_SPECIFIC: u16 = 32;

impl Tree {
    /// Returns the bits of `reference.compareDocumentPosition(other)`.
    pub fn compare_position(&self, reference: NodeId, other: NodeId) -> Result<u16, Error> {
        let (reference, other) = (self.slot(reference)?, self.slot(other)?);
        if reference == other {
            return Ok(0);
        }
        if self.root_of(reference) != self.root_of(other) {
            let order = if other < reference { PRECEDING } else { FOLLOWING };
            return Ok(DISCONNECTED | IMPLEMENTATION_SPECIFIC | order);
        }
        if self.is_inside(reference, other) {
            return Ok(CONTAINS | PRECEDING);
        }
        if self.is_inside(other, reference) {
            return Ok(CONTAINED_BY | FOLLOWING);
        }
        Ok(if self.comes_before(other, reference) { PRECEDING } else { FOLLOWING })
    }

    /// Returns true if `a` precedes `b`; neither may contain the other.
    fn comes_before(&self, a: u32, b: u32) -> bool {
        let path = |slot| {
            let mut path: Vec<u32> = std::iter::once(slot).chain(self.ancestors_at(slot)).collect();
            path.reverse();
            path
        };
        let (a, b) = (path(a), path(b));
        let Some((a, b)) = a.iter().zip(&b).find(|(a, b)| a != b) else {
            return false;
        };
        // Searches in both directions at once: the cost is the distance between the two nodes, not
        // the number of siblings.
        let (mut after, mut before) = (*a, *a);
        loop {
            if after != NIL {
                after = self.node(after).next;
                if after == *b {
                    return true;
                }
            }
            if before != NIL {
                before = self.node(before).previous;
                if before == *b {
                    return false;
                }
            }
            if after == NIL && before == NIL {
                return false;
            }
        }
    }
}
