//! Limits on the size of a tree, and the account of what it uses.

use crate::error::{Error, ErrorKind};

/// Limits on a [`Tree`](crate::Tree), for all its documents and detached nodes together.
///
/// Anything that would exceed a limit is refused with a `QuotaExceededError` before it is created.
/// Bytes are those of nodes, attributes and text as stored. The spare capacity of growing text and
/// the index of repeated queries are not counted; in the worst case they double the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of nodes, attributes and text.
    pub bytes: usize,
    /// Number of nodes, without attributes.
    pub nodes: u32,
    /// Levels from a root to its deepest node, counting through the contents of templates.
    pub depth: u32,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { bytes: 64 * 1024 * 1024, nodes: 1_000_000, depth: 4096 }
    }
}

/// Memory and nodes that a [`Tree`](crate::Tree) uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Bytes, counted as for [`Budget::bytes`].
    pub bytes: usize,
    /// Nodes, counted as for [`Budget::nodes`].
    pub nodes: u32,
}

/// A budget and its current usage.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) budget: Budget,
    pub(crate) used: Usage,
    /// Bytes charged since the last collection, without subtracting refunds.
    pub(crate) charged: usize,
}

impl Account {
    pub(crate) fn charge_node(&mut self, bytes: usize) -> Result<(), Error> {
        if self.used.nodes >= self.budget.nodes {
            let text = format!("document: more than {} nodes", self.budget.nodes);
            return Err(Error::new(ErrorKind::QuotaExceeded, text));
        }
        self.charge(bytes)?;
        self.used.nodes += 1;
        Ok(())
    }

    pub(crate) fn charge(&mut self, bytes: usize) -> Result<(), Error> {
        let bytes = self.used.bytes.saturating_add(bytes);
        if bytes > self.budget.bytes {
            let text = format!("document: more than {} bytes", self.budget.bytes);
            return Err(Error::new(ErrorKind::QuotaExceeded, text));
        }
        self.charged = self.charged.saturating_add(bytes - self.used.bytes);
        self.used.bytes = bytes;
        Ok(())
    }

    pub(crate) fn refund(&mut self, bytes: usize) {
        self.used.bytes = self.used.bytes.saturating_sub(bytes);
    }
}
