//! Key-value storage: two areas with a quota each.

use std::collections::BTreeMap;
use std::sync::Mutex;

use cofferdam_caps::storage::StorageArea;

use crate::shared::lock::lock;

/// Most bytes of keys and values in one area, as in browsers.
pub const STORAGE_BYTES: usize = 5 << 20;

/// Bytes charged for an entry beside its key and value, so that empty entries are not free.
const ENTRY_COST: usize = 64;

/// Key-value storage of a sandbox. The local area lives as long as the sandbox. The session area is
/// left out of forks and exports.
#[derive(Default)]
pub struct Storage {
    local: Mutex<Area>,
    session: Mutex<Area>,
}

impl Storage {
    /// Calls a function with one area.
    pub fn with<T>(&self, area: StorageArea, use_it: impl FnOnce(&mut Area) -> T) -> T {
        let area = match area {
            StorageArea::Local => &self.local,
            StorageArea::Session => &self.session,
        };
        use_it(&mut lock(area))
    }
}

/// One area, with its keys in the order in which they were first set.
#[derive(Default, Clone)]
pub struct Area {
    entries: BTreeMap<String, (u64, String)>,
    next: u64,
    bytes: usize,
}

/// The area is full; holds the number of bytes that would be needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QuotaExceeded(pub usize);

impl Area {
    /// Returns the text of a key.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.entries.get(key).map(|(_, text)| text.as_str())
    }

    /// Sets a key, or changes nothing if there is no room.
    pub fn set(&mut self, key: &str, text: &str) -> Result<(), QuotaExceeded> {
        let old = self.entries.get(key).map_or(0, |(_, old)| cost(key, old));
        let needed = self.bytes - old + cost(key, text);
        if needed > STORAGE_BYTES {
            return Err(QuotaExceeded(needed));
        }
        self.bytes = needed;
        match self.entries.get_mut(key) {
            Some((_, old)) => text.clone_into(old),
            None => {
                self.entries.insert(key.to_owned(), (self.next, text.to_owned()));
                self.next += 1;
            }
        }
        Ok(())
    }

    /// Removes a key.
    pub fn remove(&mut self, key: &str) {
        if let Some((_, text)) = self.entries.remove(key) {
            self.bytes -= cost(key, &text);
        }
    }

    /// Returns all keys.
    pub fn keys(&self) -> Vec<String> {
        let mut keys: Vec<_> = self.entries.iter().map(|(key, (at, _))| (*at, key)).collect();
        keys.sort_unstable();
        keys.into_iter().map(|(_, key)| key.clone()).collect()
    }

    /// Removes all keys.
    pub fn clear(&mut self) {
        *self = Area::default();
    }
}

fn cost(key: &str, text: &str) -> usize {
    key.len() + text.len() + ENTRY_COST
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_keep_the_order_in_which_they_were_first_set() {
        let mut area = Area::default();
        for key in ["b", "a", "c", "b"] {
            assert_eq!(area.set(key, key), Ok(()));
        }
        area.remove("a");
        assert_eq!(area.set("a", ""), Ok(()));
        assert_eq!(area.keys(), ["b", "c", "a"]);
    }

    #[test]
    fn a_full_area_stays_as_it_was() {
        let mut area = Area::default();
        assert_eq!(area.set("a", "x"), Ok(()));
        let long = "x".repeat(STORAGE_BYTES);
        assert!(area.set("a", &long).is_err());
        assert_eq!(area.get("a"), Some("x"));
        area.remove("a");
        assert_eq!(area.bytes, 0);
    }
}
