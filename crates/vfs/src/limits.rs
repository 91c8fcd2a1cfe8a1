use crate::Errno;

/// How much a tree may hold.
///
/// `bytes` counts what occupies memory: a dense file costs its length, a hole costs nothing, but a
/// scattered one at least [`Limits::SCATTER`] for each chunk it touches after the first, which is
/// more than the host spends on keeping it. The text of a link counts as bytes.
///
/// `nodes` counts every file, directory, link and device, and each further name of a
/// hard-linked file, since a name is host memory too. System areas and the untouched files of an
/// overlay cost nothing. A file removed while open counts until it is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of content.
    pub bytes: u64,
    /// Nodes and further names.
    pub nodes: u64,
    /// Longest file, holes included; at most [`Limits::FILE_MAX`].
    pub file: u64,
}

impl Limits {
    /// Longest file that any tree can be set to allow.
    pub const FILE_MAX: u64 = 1 << 40;

    /// Least cost of a chunk that does not belong to a dense file.
    pub const SCATTER: u64 = 4096;

    /// Most names of one file.
    pub const NAMES_MAX: u64 = 65_000;

    /// No limit but those of the machine; for trees that only the host fills.
    pub const NONE: Limits = Limits { bytes: u64::MAX, nodes: u64::MAX, file: Limits::FILE_MAX };
}

impl Default for Limits {
    fn default() -> Self {
        Limits { bytes: 256 << 20, nodes: 10_000, file: 64 << 30 }
    }
}

/// What a tree holds of what [`Limits`] counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Bytes of content.
    pub bytes: u64,
    /// Nodes and further names.
    pub nodes: u64,
}

impl Usage {
    pub(crate) fn bytes(bytes: u64) -> Usage {
        Usage { bytes, nodes: 0 }
    }

    pub(crate) fn nodes(nodes: u64) -> Usage {
        Usage { bytes: 0, nodes }
    }

    /// Says whether `cost` more still fits. What costs nothing always does, so that a tree over
    /// its limit can be emptied.
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

    /// Takes account of something that cost `before` and now costs `after`.
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
