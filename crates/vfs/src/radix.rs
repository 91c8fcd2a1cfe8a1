//! A persistent sparse array from `u64` to `T`: cloned in constant time, changed in a few steps.
//!
//! It holds the table of nodes, the chunks of a file and the order of a directory. Existing map
//! crates were considered and rejected: the candidates are built on unsafe arrays, and keys that
//! are small dense numbers need neither hashing nor balancing.

use std::sync::Arc;

/// Bits of the key consumed by each level.
const BITS: u32 = 5;
const FAN: usize = 1 << BITS;

/// Slots past the end of a node's vector are empty, so a file of one chunk costs one slot.
#[derive(Debug)]
enum Node<T> {
    Leaf(Arc<Vec<Option<T>>>),
    Branch(Arc<Vec<Option<Node<T>>>>),
}

impl<T> Clone for Node<T> {
    fn clone(&self) -> Self {
        match self {
            Node::Leaf(slots) => Node::Leaf(Arc::clone(slots)),
            Node::Branch(slots) => Node::Branch(Arc::clone(slots)),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Radix<T> {
    root: Option<Node<T>>,
    /// Number of levels below the root; 0 if the root is a leaf.
    height: u32,
    len: u64,
}

impl<T> Clone for Radix<T> {
    fn clone(&self) -> Self {
        Radix { root: self.root.clone(), height: self.height, len: self.len }
    }
}

impl<T> Default for Radix<T> {
    fn default() -> Self {
        Radix { root: None, height: 0, len: 0 }
    }
}

impl<T: Clone> Radix<T> {
    /// Returns the number of keys with a value.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    pub(crate) fn get(&self, key: u64) -> Option<&T> {
        if !self.spans(key) {
            return None;
        }
        let mut node = self.root.as_ref()?;
        let mut level = self.height;
        loop {
            match node {
                Node::Leaf(slots) => return slots.get(slot(key, 0))?.as_ref(),
                Node::Branch(slots) => node = slots.get(slot(key, level))?.as_ref()?,
            }
            level -= 1;
        }
    }

    /// Returns the value for changing it in place; copies shared nodes on the way first.
    pub(crate) fn get_mut(&mut self, key: u64) -> Option<&mut T> {
        // Avoids copying the path to a missing key, which `make_mut` would do.
        self.get(key)?;
        let mut node = self.root.as_mut()?;
        let mut level = self.height;
        loop {
            match node {
                Node::Leaf(slots) => return Arc::make_mut(slots).get_mut(slot(key, 0))?.as_mut(),
                Node::Branch(slots) => {
                    node = Arc::make_mut(slots).get_mut(slot(key, level))?.as_mut()?;
                }
            }
            level -= 1;
        }
    }

    pub(crate) fn insert(&mut self, key: u64, value: T) -> Option<T> {
        while !self.spans(key) {
            if let Some(root) = self.root.take() {
                self.root = Some(Node::Branch(Arc::new(vec![Some(root)])));
            }
            self.height += 1;
        }
        let mut level = self.height;
        let mut node = self.root.get_or_insert_with(|| Node::empty(level));
        let old = loop {
            match node {
                Node::Leaf(slots) => break room(slots, slot(key, 0)).replace(value),
                Node::Branch(slots) => {
                    level -= 1;
                    node =
                        room(slots, slot(key, level + 1)).get_or_insert_with(|| Node::empty(level));
                }
            }
        };
        self.len += u64::from(old.is_none());
        old
    }

    pub(crate) fn remove(&mut self, key: u64) -> Option<T> {
        self.get(key)?;
        let root = self.root.as_mut()?;
        let old = root.remove(key, self.height);
        if root.is_empty() {
            *self = Radix::default();
        } else {
            self.len -= u64::from(old.is_some());
        }
        old
    }

    /// Returns the first key at or after `key` that has a value.
    pub(crate) fn next(&self, key: u64) -> Option<(u64, &T)> {
        if !self.spans(key) {
            return None;
        }
        self.root.as_ref()?.next(key, self.height, 0)
    }

    /// Returns all values in the order of their keys.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u64, &T)> {
        let mut from = Some(0);
        std::iter::from_fn(move || {
            let (key, value) = self.next(from?)?;
            from = key.checked_add(1);
            Some((key, value))
        })
    }

    fn spans(&self, key: u64) -> bool {
        key.checked_shr(BITS * (self.height + 1)).unwrap_or(0) == 0
    }
}

impl<T: Clone> Node<T> {
    fn empty(level: u32) -> Self {
        if level == 0 { Node::Leaf(Arc::default()) } else { Node::Branch(Arc::default()) }
    }

    fn is_empty(&self) -> bool {
        match self {
            Node::Leaf(slots) => slots.is_empty(),
            Node::Branch(slots) => slots.is_empty(),
        }
    }

    fn remove(&mut self, key: u64, level: u32) -> Option<T> {
        match self {
            Node::Leaf(slots) => {
                let slots = Arc::make_mut(slots);
                let old = slots.get_mut(slot(key, 0))?.take();
                trim(slots);
                old
            }
            Node::Branch(slots) => {
                let slots = Arc::make_mut(slots);
                let place = slots.get_mut(slot(key, level))?;
                let child = place.as_mut()?;
                let old = child.remove(key, level - 1);
                if child.is_empty() {
                    *place = None;
                    trim(slots);
                }
                old
            }
        }
    }

    /// Finds the next value. `base` is the part of the key that selects this node.
    fn next(&self, key: u64, level: u32, base: u64) -> Option<(u64, &T)> {
        let first = slot(key, level);
        match self {
            Node::Leaf(slots) => slots
                .iter()
                .enumerate()
                .skip(first)
                .find_map(|(at, value)| Some((base | at as u64, value.as_ref()?))),
            Node::Branch(slots) => slots.iter().enumerate().skip(first).find_map(|(at, child)| {
                let base = base | (at as u64) << (BITS * level);
                child.as_ref()?.next(if at == first { key } else { 0 }, level - 1, base)
            }),
        }
    }
}

fn slot(key: u64, level: u32) -> usize {
    (key >> (BITS * level)) as usize & (FAN - 1)
}

fn room<V: Clone>(slots: &mut Arc<Vec<Option<V>>>, at: usize) -> &mut Option<V> {
    let slots = Arc::make_mut(slots);
    if slots.len() <= at {
        slots.resize(at + 1, None);
    }
    &mut slots[at]
}

fn trim<V>(slots: &mut Vec<Option<V>>) {
    while slots.last().is_some_and(Option::is_none) {
        slots.pop();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// Small keys, neighbours and the far end, so that nodes are shared, split and emptied.
    fn key() -> impl Strategy<Value = u64> {
        prop_oneof![0..70u64, 1000..1040u64, Just(u64::MAX), Just(1 << 40), any::<u64>()]
    }

    fn agree(radix: &Radix<u32>, model: &BTreeMap<u64, u32>) {
        assert_eq!(radix.len(), model.len() as u64);
        assert!(radix.iter().eq(model.iter().map(|(key, value)| (*key, value))));
        assert_eq!(radix.root.is_none(), model.is_empty());
    }

    proptest! {
        #[test]
        fn it_is_a_map_and_a_clone_keeps_what_it_had(
            steps in prop::collection::vec((key(), any::<Option<u32>>()), 0..200),
            cut in 0..200usize,
        ) {
            let (mut radix, mut model) = (Radix::default(), BTreeMap::new());
            let mut kept = None;
            for (at, (key, value)) in steps.into_iter().enumerate() {
                if at == cut {
                    kept = Some((radix.clone(), model.clone()));
                }
                match value {
                    Some(value) => assert_eq!(radix.insert(key, value), model.insert(key, value)),
                    None => assert_eq!(radix.remove(key), model.remove(&key)),
                }
                assert_eq!(radix.get(key), model.get(&key));
                assert_eq!(
                    radix.next(key / 2),
                    model.range(key / 2..).next().map(|(key, value)| (*key, value))
                );
                if let Some(value) = radix.get_mut(key) {
                    *value ^= 1;
                    *model.get_mut(&key).unwrap() ^= 1;
                }
            }
            agree(&radix, &model);
            if let Some((radix, model)) = kept {
                agree(&radix, &model);
            }
        }
    }
}
