//! Associative arrays. They iterate in the order of bash's hash table, because scripts print it.

use serde::{Deserialize, Serialize};

use crate::syntax::ast::Text;
use crate::table::Table;

/// Initial buckets of bash's table; it grows fourfold when it holds twice as many entries.
const BUCKETS: u32 = 1024;

/// An associative array.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assoc {
    map: Table<Text, (u32, Text)>,
    next: u32,
}

impl Assoc {
    /// Returns the value of a key.
    pub fn get(&self, key: &[u8]) -> Option<&Text> {
        self.map.get(key).map(|(_, value)| value)
    }

    /// Sets the value of a key.
    pub fn insert(&mut self, key: Text, value: Text) {
        match self.map.get_mut(&key) {
            Some((_, old)) => *old = value,
            None => {
                self.map.insert(key, (self.next, value));
                self.next = self.next.wrapping_add(1);
            }
        }
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &[u8]) {
        self.map.remove(key);
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Returns true if there are no entries.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Iterates over keys and values in bash's order.
    pub fn iter(&self) -> impl Iterator<Item = (&Text, &Text)> {
        let mut buckets = BUCKETS;
        while self.map.len() as u32 > buckets.saturating_mul(2) {
            buckets = buckets.saturating_mul(4);
        }
        let mut entries: Vec<_> = self.map.iter().collect();
        entries.sort_unstable_by_key(|(key, (order, _))| {
            (hash(key) & (buckets - 1), std::cmp::Reverse(*order))
        });
        entries.into_iter().map(|(key, (_, value))| (key, value))
    }
}

/// Computes the FNV-1 hash that bash's table uses.
pub fn hash(key: &[u8]) -> u32 {
    key.iter().fold(2_166_136_261, |hash: u32, c| hash.wrapping_mul(16_777_619) ^ u32::from(*c))
}
