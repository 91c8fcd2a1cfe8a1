//! An index of the elements of one tree by tag, id and class, in document order.
//!
//! Built by the second query without a change in between, and discarded by the next change.
//! Queries on a page that is only read use the index.

use super::plan::Key;
use crate::node::NIL;
use crate::tree::Tree;
use html5ever::local_name;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

#[derive(Debug, Clone)]
pub(crate) struct Index {
    pub(crate) root: u32,
    pub(crate) version: u64,
    /// All elements in document order.
    pub(crate) order: Vec<u32>,
    /// For each element, the position after its last descendant.
    ends: Vec<u32>,
    /// For each slot, its position in `order`.
    places: Vec<u32>,
    /// Positions by the hash of a key; different keys may share a hash.
    lists: HashMap<u64, Vec<u32>>,
}

fn hash(kind: u8, text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (kind, text).hash(&mut hasher);
    hasher.finish()
}

impl Key {
    fn hash(&self) -> Option<u64> {
        match self {
            Key::Tag(name) => Some(hash(0, name)),
            Key::Id(id) => Some(hash(1, id)),
            Key::Class(class) => Some(hash(2, class)),
            Key::Nothing => None,
        }
    }
}

impl Index {
    pub(crate) fn of(tree: &Tree, root: u32) -> Index {
        let mut order = Vec::new();
        let mut ends = Vec::new();
        let mut places = vec![NIL; tree.nodes.len()];
        let mut lists: HashMap<u64, Vec<u32>> = HashMap::new();
        for slot in tree.subtree_at(root) {
            let Some(element) = tree.element(slot) else { continue };
            let place = order.len() as u32;
            places[slot as usize] = place;
            order.push(slot);
            ends.push(place + 1);
            lists.entry(hash(0, &element.name.local)).or_default().push(place);
            if let Some(id) = element.plain(&local_name!("id")) {
                lists.entry(hash(1, id)).or_default().push(place);
            }
            for class in
                element.plain(&local_name!("class")).unwrap_or_default().split_ascii_whitespace()
            {
                let list = lists.entry(hash(2, class)).or_default();
                if list.last() != Some(&place) {
                    list.push(place);
                }
            }
        }
        // Backwards, so that an element's end is known before its parent's.
        for place in (0..order.len()).rev() {
            let parent = tree.node(order[place]).parent;
            if parent != NIL
                && let Some(&above) = places.get(parent as usize)
                && above != NIL
            {
                ends[above as usize] = ends[above as usize].max(ends[place]);
            }
        }
        Index { root, version: tree.version, order, ends, places, lists }
    }

    /// Returns the elements below `scope` that may have the key, in document order.
    pub(crate) fn below(&self, scope: u32, key: &Key) -> Option<impl Iterator<Item = u32> + '_> {
        let (from, to) = match scope {
            scope if scope == self.root && self.place(scope) == NIL => (0, self.order.len() as u32),
            scope => match self.place(scope) {
                NIL => return None,
                place => (place + 1, self.ends[place as usize]),
            },
        };
        let list = self.lists.get(&key.hash()?).map_or(&[][..], Vec::as_slice);
        let first = list.partition_point(|&place| place < from);
        let list = &list[first..];
        Some(list.iter().take_while(move |&&place| place < to).map(|&p| self.order[p as usize]))
    }

    fn place(&self, slot: u32) -> u32 {
        self.places.get(slot as usize).copied().unwrap_or(NIL)
    }
}
