//! Hash tables for short keys such as names.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A fast hasher without protection against collisions: a script can only slow itself down.
#[derive(Debug, Default, Clone)]
pub struct NameHasher(u64);

impl Hasher for NameHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for c in bytes {
            self.0 = (self.0.rotate_left(5) ^ u64::from(*c)).wrapping_mul(0x517c_c1b7_2722_0a95);
        }
    }

    fn write_usize(&mut self, n: usize) {
        self.write(&[n as u8]);
    }
}

/// A hash table that needs no random seed; the standard one would cost a host call at each start of
/// a shell.
pub type Table<K, V> = HashMap<K, V, BuildHasherDefault<NameHasher>>;
