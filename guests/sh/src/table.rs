//! Tables by names, or by what is as short.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Short keys, no enemy behind the table: a script can only slow itself down.
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

/// A table. Unlike the standard library's it needs no random number, which would be a question to
/// the host in every shell that starts.
pub type Table<K, V> = HashMap<K, V, BuildHasherDefault<NameHasher>>;
