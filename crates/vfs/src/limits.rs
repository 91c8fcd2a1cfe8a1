//! The quota of a tree and the use of it.

use crate::Errno;

/// Limits of a tree.
///
/// `bytes` counts occupied memory. A dense file costs its length and a hole costs nothing, but a
/// sparse file costs at least [`Limits::SCATTER`] for each chunk after the first, which exceeds the
/// host's overhead for it. The target text of a link counts as bytes.
///
/// `nodes` counts every file, directory, link and device, and each additional name of a hard-linked
/// file, since names occupy host memory too. System areas and unchanged files of an overlay cost
/// nothing. A file removed while open counts until it is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of content.
    pub bytes: u64,
    /// Nodes and additional names.
    pub nodes: u64,
    /// Longest file, holes included; at most [`Limits::FILE_MAX`].
    pub file: u64,
}

impl Limits {
    /// Longest file that a tree can be configured to allow.
    pub const FILE_MAX: u64 = 1 << 40;

    /// Lowest cost of a chunk in a sparse file.
    pub const SCATTER: u64 = 4096;

    /// Most names of one file.
    pub const NAMES_MAX: u64 = 65_000;

    /// No limits except those of the machine, for trees that only the host fills.
    pub const NONE: Limits = Limits { bytes: u64::MAX, nodes: u64::MAX, file: Limits::FILE_MAX };
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 256 << 20, nodes: 10_000, file: 64 << 30 }
    }
}

/// The current use of a tree, in the terms of [`Limits`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes of content.
    pub bytes: u64,
    /// Nodes and additional names.
    pub nodes: u64,
}

impl Usage {
    pub(crate) fn bytes(bytes: u64) -> Usage {
        Usage { bytes, nodes: 0 }
    }

    pub(crate) fn nodes(nodes: u64) -> Usage {
        Usage { bytes: 0, nodes }
    }

    /// Checks that `cost` more fits. A cost of zero always fits, so that a tree beyond its limit
    /// can be emptied.
    pub(crate) fn afford(self, cost: Usage, limits: &Limits) -> Result<(), Errno> {
        let fits = |used: u64, cost: u64, limit: u64| {
            cost == 0 || used.checked_add(cost).is_some_and(|sum| sum <= limit)
        };
        if fits(self.bytes, cost.bytes, limits.bytes) && fits(self.nodes, cost.nodes, limits.nodes)
        {
            Ok(())
        } else {
            Err(Errno::NoSpace)
        }
    }

    /// Replaces a charge of `before` by one of `after`.
    pub(crate) fn adjust(&mut self, before: Usage, after: Usage) {
        let apply = |used: u64, before: u64, after: u64| {
            debug_assert!(used >= before, "more given back than was charged");
            used.saturating_add(after).saturating_sub(before)
        };
        self.bytes = apply(self.bytes, before.bytes, after.bytes);
        self.nodes = apply(self.nodes, before.nodes, after.nodes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { bytes: 10, nodes: 2, file: 100 };

    fn check(used: (u64, u64), cost: (u64, u64), expect: Result<(), Errno>) {
        let usage = Usage { bytes: used.0, nodes: used.1 };
        assert_eq!(usage.afford(Usage { bytes: cost.0, nodes: cost.1 }, &LIMITS), expect);
    }

    #[test]
    fn the_limit_itself_fits() {
        check((4, 1), (6, 1), Ok(()));
    }

    #[test]
    fn one_more_does_not() {
        check((4, 1), (7, 0), Err(Errno::NoSpace));
        check((4, 1), (1, 2), Err(Errno::NoSpace));
        check((4, 1), (u64::MAX, 0), Err(Errno::NoSpace));
    }

    #[test]
    fn a_tree_over_its_limit_may_still_do_what_costs_nothing() {
        check((40, 1), (0, 1), Ok(()));
    }
}
