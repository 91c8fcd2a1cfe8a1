use crate::error::{Error, ErrorKind};

/// How much a [`Tree`](crate::Tree) may hold; all of its documents and detached nodes together.
///
/// What is over is refused with a `QuotaExceededError` before it is made. Bytes are those of nodes,
/// attributes and text as they are stored; the spare room of growing text and the index of repeated
/// queries are not counted and can be as much again in the worst case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Bytes of nodes, attributes and text.
    pub bytes: usize,
    /// Nodes, attributes not counted.
    pub nodes: u32,
    /// Levels from a root to its deepest node, through the contents of templates.
    pub depth: u32,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { bytes: 64 * 1024 * 1024, nodes: 1_000_000, depth: 4096 }
    }
}

/// What a [`Tree`](crate::Tree) holds now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// As [`Budget::bytes`].
    pub bytes: usize,
    /// As [`Budget::nodes`].
    pub nodes: u32,
}

/// A budget and what is used of it.
#[derive(Debug, Clone)]
pub(crate) struct Account {
    pub(crate) budget: Budget,
    pub(crate) used: Usage,
    /// Bytes charged since the last collection, refunds not counted.
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
