//! Associative arrays of awk: strings to values, iterated in order of insertion.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

use super::value::Value;

/// A fast hash without protection against collisions, which only slow down the program that makes
/// them.
#[derive(Default)]
pub(super) struct Quick(u64);

impl Hasher for Quick {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(word))
                .wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        self.0 ^= self.0 >> 29;
    }
}

/// An associative array.
#[derive(Default)]
pub(super) struct Array {
    places: HashMap<Rc<[u8]>, usize, BuildHasherDefault<Quick>>,
    elements: Vec<Option<(Rc<[u8]>, Value)>>,
}

impl Array {
    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    pub(super) fn contains(&self, key: &[u8]) -> bool {
        self.places.contains_key(key)
    }

    pub(super) fn get(&self, key: &[u8]) -> Option<&Value> {
        let place = *self.places.get(key)?;
        self.elements[place].as_ref().map(|(_, value)| value)
    }

    /// Returns the element of `key`, creating it if absent.
    pub(super) fn element(&mut self, key: &[u8]) -> &mut Value {
        let place = match self.places.get(key) {
            Some(place) => *place,
            None => {
                let key: Rc<[u8]> = key.into();
                self.places.insert(key.clone(), self.elements.len());
                self.elements.push(Some((key, Value::Unset)));
                self.elements.len() - 1
            }
        };
        let (_, value) = self.elements[place].get_or_insert_with(|| (Rc::from(key), Value::Unset));
        value
    }

    pub(super) fn set(&mut self, key: &[u8], value: Value) {
        *self.element(key) = value;
    }

    pub(super) fn remove(&mut self, key: &[u8]) {
        if let Some(place) = self.places.remove(key) {
            self.elements[place] = None;
            if self.elements.len() > 32 && self.places.len() * 2 < self.elements.len() {
                self.compact();
            }
        }
    }

    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.elements.clear();
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&Rc<[u8]>, &Value)> {
        self.elements.iter().flatten().map(|(key, value)| (key, value))
    }

    fn compact(&mut self) {
        self.elements.retain(Option::is_some);
        for (place, (key, _)) in self.elements.iter().flatten().enumerate() {
            if let Some(known) = self.places.get_mut(key) {
                *known = place;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_keep_their_order_through_removals() {
        let mut array = Array::default();
        for i in 0..100 {
            array.set(format!("{i}").as_bytes(), Value::Number(f64::from(i)));
        }
        for i in (0..100).filter(|i| i % 10 != 0) {
            array.remove(format!("{i}").as_bytes());
        }
        let keys: Vec<_> = array.iter().map(|(_, value)| value.number()).collect();
        assert_eq!(keys, (0..10).map(|i| f64::from(i * 10)).collect::<Vec<_>>());
        assert_eq!(array.get(b"50").map(Value::number), Some(50.0));
        assert_eq!(array.len(), 10);
    }
}
