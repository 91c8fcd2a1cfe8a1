//! A persistent map from names to numbers: the index of a directory.
//!
//! A hash trie. A node splits when it is full, so a small directory is one short vector. Hashes are
//! keyed per process, so a guest cannot construct colliding names; their order is never visible.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, OnceLock};

/// Bits of the hash consumed by each level.
const BITS: u32 = 4;
const FAN: usize = 1 << BITS;

/// Most entries of a leaf before it splits.
const LEAF: usize = 12;

/// Depth at which the hash is consumed, so that leaves grow instead of splitting.
const DEPTH: u32 = 64 / BITS;

#[derive(Clone, Debug)]
struct Entry {
    hash: u64,
    name: Arc<str>,
    value: u64,
}

#[derive(Clone, Debug)]
enum Node {
    Leaf(Arc<Vec<Entry>>),
    Branch(Arc<[Node; FAN]>),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    root: Node,
}

impl Default for Node {
    fn default() -> Self {
        Node::Leaf(Arc::default())
    }
}

impl Names {
    pub(crate) fn get(&self, name: &str) -> Option<u64> {
        let hash = hash(name);
        let (mut node, mut rest) = (&self.root, hash);
        loop {
            match node {
                Node::Leaf(entries) => {
                    return entries.iter().find(|e| e.is(hash, name)).map(|entry| entry.value);
                }
                Node::Branch(children) => node = &children[rest as usize & (FAN - 1)],
            }
            rest >>= BITS;
        }
    }

    /// Adds a name, which must be new.
    pub(crate) fn insert(&mut self, name: Arc<str>, value: u64) {
        debug_assert!(self.get(&name).is_none(), "{name:?} is there");
        let entry = Entry { hash: hash(&name), name, value };
        self.root.insert(entry, 0);
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<u64> {
        self.get(name)?;
        self.root.remove(hash(name), name, 0)
    }
}

impl Entry {
    fn is(&self, hash: u64, name: &str) -> bool {
        self.hash == hash && &*self.name == name
    }
}

impl Node {
    fn insert(&mut self, entry: Entry, depth: u32) {
        match self {
            Node::Branch(children) => {
                let at = slot(entry.hash, depth);
                Arc::make_mut(children)[at].insert(entry, depth + 1);
            }
            Node::Leaf(entries) if entries.len() < LEAF || depth == DEPTH => {
                Arc::make_mut(entries).push(entry);
            }
            Node::Leaf(entries) => {
                let mut children: [Node; FAN] = Default::default();
                for entry in entries.iter().cloned().chain([entry]) {
                    children[slot(entry.hash, depth)].insert(entry, depth + 1);
                }
                *self = Node::Branch(Arc::new(children));
            }
        }
    }

    fn remove(&mut self, hash: u64, name: &str, depth: u32) -> Option<u64> {
        match self {
            Node::Leaf(entries) => {
                let at = entries.iter().position(|e| e.is(hash, name))?;
                Some(Arc::make_mut(entries).swap_remove(at).value)
            }
            Node::Branch(children) => {
                let children = Arc::make_mut(children);
                let value = children[slot(hash, depth)].remove(hash, name, depth + 1);
                if children.iter().all(Node::is_empty) {
                    *self = Node::default();
                }
                value
            }
        }
    }

    fn is_empty(&self) -> bool {
        matches!(self, Node::Leaf(entries) if entries.is_empty())
    }
}

fn slot(hash: u64, depth: u32) -> usize {
    (hash >> (BITS * depth)) as usize & (FAN - 1)
}

fn hash(name: &str) -> u64 {
    static KEYS: OnceLock<RandomState> = OnceLock::new();
    KEYS.get_or_init(RandomState::new).hash_one(name)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::collections::hash_map::Entry;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_is_a_map_and_a_clone_keeps_what_it_had(
            steps in prop::collection::vec((0..80u64, any::<bool>()), 0..400),
            cut in 0..400usize,
        ) {
            let (mut names, mut model) = (Names::default(), HashMap::new());
            let mut kept = None;
            for (at, (key, add)) in steps.into_iter().enumerate() {
                if at == cut {
                    kept = Some((names.clone(), model.clone()));
                }
                let name = format!("name{key}");
                if !add {
                    assert_eq!(names.remove(&name), model.remove(&name));
                } else if let Entry::Vacant(free) = model.entry(name.clone()) {
                    names.insert(name.into(), at as u64);
                    free.insert(at as u64);
                }
            }
            for (names, model) in kept.into_iter().chain([(names, model)]) {
                for key in 0..80 {
                    let name = format!("name{key}");
                    assert_eq!(names.get(&name), model.get(&name).copied());
                }
            }
        }
    }

    #[test]
    fn equal_hashes_share_a_leaf_that_does_not_split_for_ever() {
        let mut root = Node::default();
        for value in 0..40 {
            root.insert(super::Entry { hash: 7, name: value.to_string().into(), value }, 0);
        }
        assert_eq!(root.remove(7, "31", 0), Some(31));
        assert_eq!(root.remove(7, "31", 0), None);
    }
}
