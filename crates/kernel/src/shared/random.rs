//! Randomness as a guest sees it.

/// Source of random bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Random {
    /// The machine's source, fit for keys.
    #[default]
    System,
    /// The same bytes every time, for tests and replay. Not fit for keys.
    Seeded(u64),
}

/// A source of random bytes in use.
#[derive(Debug)]
pub(crate) struct Source {
    random: Random,
    state: u64,
}

impl Source {
    pub(crate) fn new(random: Random) -> Self {
        let state = match random {
            Random::System => 0,
            Random::Seeded(seed) => seed,
        };
        Source { random, state }
    }

    /// Fills `out`; returns false if the machine has no randomness to give.
    pub(crate) fn fill(&mut self, out: &mut [u8]) -> bool {
        match self.random {
            Random::System => getrandom::fill(out).is_ok(),
            Random::Seeded(_) => {
                for chunk in out.chunks_mut(8) {
                    let word = self.next().to_le_bytes();
                    chunk.copy_from_slice(&word[..chunk.len()]);
                }
                true
            }
        }
    }

    /// SplitMix64: every seed yields a long sequence without a weak beginning.
    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(random: Random) -> [u8; 20] {
        let mut out = [0; 20];
        assert!(Source::new(random).fill(&mut out));
        out
    }

    #[test]
    fn a_seed_gives_the_same_bytes_every_time() {
        assert_eq!(take(Random::Seeded(7)), take(Random::Seeded(7)));
        assert_ne!(take(Random::Seeded(7)), take(Random::Seeded(8)));
    }

    /// T-CELL-022.
    #[test]
    fn the_system_gives_other_bytes_every_time() {
        assert_ne!(take(Random::System), take(Random::System));
    }
}
