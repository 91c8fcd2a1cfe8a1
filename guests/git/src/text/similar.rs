//! Similarity of two files, which tells a rename from a new file.

use std::collections::HashMap;

use super::compare::is_binary;

/// Score of two equal files.
pub(crate) const MAX_SCORE: u64 = 60_000;
/// Longest piece that is compared as one.
const PIECE: usize = 64;
const HASHES: u32 = 107_927;

/// Number of bytes in pieces with the same hash.
pub(crate) struct Pieces {
    counts: HashMap<u32, u64>,
    size: u64,
}

impl Pieces {
    /// Cuts data into lines of at most 64 bytes.
    pub(crate) fn of(data: &[u8]) -> Pieces {
        let is_text = !is_binary(data);
        let mut counts = HashMap::new();
        let (mut n, mut one, mut two) = (0, 0u32, 0u32);
        for (at, &byte) in data.iter().enumerate() {
            if is_text && byte == b'\r' && data.get(at + 1) == Some(&b'\n') {
                continue;
            }
            let before = one;
            one = (one << 7) ^ (two >> 25);
            two = (two << 7) ^ (before >> 25);
            one = one.wrapping_add(u32::from(byte));
            n += 1;
            if n < PIECE && byte != b'\n' {
                continue;
            }
            *counts.entry(one.wrapping_add(two.wrapping_mul(0x61)) % HASHES).or_default() +=
                n as u64;
            (n, one, two) = (0, 0, 0);
        }
        if n > 0 {
            *counts.entry(one.wrapping_add(two.wrapping_mul(0x61)) % HASHES).or_default() +=
                n as u64;
        }
        Pieces { counts, size: data.len() as u64 }
    }

    /// Returns the score of two files: the part of the longer one that both have.
    pub(crate) fn score(&self, other: &Pieces) -> u64 {
        let longer = self.size.max(other.size);
        if self.size == 0 || other.size == 0 {
            return 0;
        }
        let copied: u64 = self
            .counts
            .iter()
            .map(|(hash, count)| *count.min(other.counts.get(hash).unwrap_or(&0)))
            .sum();
        copied * MAX_SCORE / longer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_lines_is_half_of_the_score() {
        let one = Pieces::of(b"aaaa\nbbbb\n");
        let two = Pieces::of(b"aaaa\ncccc\n");
        assert_eq!(one.score(&two), MAX_SCORE / 2);
        assert_eq!(one.score(&one), MAX_SCORE);
        assert_eq!(one.score(&Pieces::of(b"")), 0);
    }
}
