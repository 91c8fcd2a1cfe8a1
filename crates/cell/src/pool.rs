//! [`Pool`], the size of the pool of cells.

/// Size of the pool of cells. A browser has no pool, so these numbers have no effect there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
// T-CELL-021: an exhausted pool.
pub struct Pool {
    /// Most cells alive at once: computing, waiting or kept. Each reserves a memory and a stack;
    /// unused parts cost only address space.
    pub cells: u32,
    /// Number of cells whose memory stays mapped when they are free.
    pub warm: u32,
}

impl Default for Pool {
    fn default() -> Self {
        Pool { cells: 1000, warm: 64 }
    }
}
