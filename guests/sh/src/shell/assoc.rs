//! Associative arrays. Their order is bash's own, that of its hash table, because scripts print it.

use serde::{Deserialize, Serialize};

use crate::syntax::ast::Text;
use crate::table::Table;

/// Slots of bash's table; it grows fourfold once it holds twice as many entries.
const BUCKETS: u32 = 1024;

/// Keys and values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Assoc {
    map: Table<Text, (u32, Text)>,
    next: u32,
}

impl Assoc {
    /// The value of a key.
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

    /// Takes a key out.
    pub fn remove(&mut self, key: &[u8]) {
        self.map.remove(key);
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }

    /// Keys and values in bash's order.
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

/// FNV-1, as bash's table has it.
fn hash(key: &[u8]) -> u32 {
    key.iter().fold(2_166_136_261, |hash: u32, c| hash.wrapping_mul(16_777_619) ^ u32::from(*c))
}
