//! Derives inputs from others, reproducibly.

/// A reproducible generator of pseudo-random numbers: splitmix64.
#[derive(Debug, Clone)]
pub struct Numbers(u64);

impl Numbers {
    /// Creates a generator; the same seed gives the same numbers.
    pub fn new(seed: u64) -> Numbers {
        Numbers(seed)
    }

    /// Returns the next number.
    pub fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a number below `end`, or 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.number() % (end as u64).max(1)) as usize
    }

    fn of<'a, T>(&mut self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len()))
    }

    /// Returns a random range of at most 32 bytes within `len`.
    fn range(&mut self, len: usize) -> std::ops::Range<usize> {
        let start = self.below(len + 1);
        let most = (len - start).min(32);
        start..start + self.below(most + 1)
    }
}

/// Longest derived input.
const MAX_LEN: usize = 4096;

/// Bytes at which lengths, signs and encodings change.
const EDGES: [u8; 12] = [0, 1, 0x20, 0x2e, 0x2f, 0x5c, 0x7f, 0x80, 0xbf, 0xc3, 0xfe, 0xff];

/// Returns one of `kept`, changed in one to eight places. `words` are the words that the parser
/// looks for.
pub fn mutated(numbers: &mut Numbers, kept: &[Vec<u8>], words: &[&[u8]]) -> Vec<u8> {
    let mut data = numbers.of(kept).cloned().unwrap_or_default();
    for _ in 0..=numbers.below(8) {
        let at = numbers.below(data.len() + 1);
        match numbers.below(9) {
            0 => {
                if let Some(byte) = data.get_mut(at) {
                    *byte ^= 1 << numbers.below(8);
                }
            }
            1 => {
                let edge = EDGES[numbers.below(EDGES.len())];
                if let Some(byte) = data.get_mut(at) {
                    *byte = edge;
                }
            }
            2 => data.insert(at, numbers.number() as u8),
            3 => drop(data.drain(numbers.range(data.len()))),
            4 => {
                let piece = data[numbers.range(data.len())].to_vec();
                data.splice(at..at, piece);
            }
            5 | 6 => {
                let word = numbers.of(words).map_or(&[][..], |word| word);
                data.splice(at..at, word.iter().copied());
            }
            7 => {
                let other = numbers.of(kept).map_or(&[][..], |other| other);
                let piece = &other[numbers.range(other.len())];
                data.splice(at..at, piece.iter().copied());
            }
            _ => data.truncate(at),
        }
    }
    data.truncate(MAX_LEN);
    data
}
