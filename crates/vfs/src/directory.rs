//! The entries of a directory: by name, and in an order that listings can rely on.

use std::sync::Arc;

use crate::Ino;
use crate::names::Names;
use crate::radix::Radix;

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: Arc<str>,
    pub(crate) ino: Ino,
}

/// Entries keep the place they were given when added, so a listing that is resumed neither
/// repeats nor skips an entry that stayed, whatever happened to others.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    /// The directory this one is in; the root is in itself.
    pub(crate) parent: Ino,
    /// The name it has there, so that a path can be told from a number.
    pub(crate) name: Arc<str>,
    /// Number of the top of the tree or overlay this belongs to; nothing is moved across.
    pub(crate) within: Ino,
    /// Number of directories among the entries.
    pub(crate) directories: u64,
    /// Of an overlay's directory whose entries were not yet asked for: there may be more.
    pub(crate) unread: bool,
    /// Of an overlay's directory: the entries the real one has.
    pub(crate) original: Option<Arc<[Entry]>>,
    places: Names,
    order: Radix<Entry>,
    next: u64,
}

impl Directory {
    /// Places below this are taken by `.` and `..`.
    pub(crate) const FIRST: u64 = 2;

    pub(crate) fn new(parent: Ino, name: Arc<str>, within: Ino) -> Self {
        Directory {
            parent,
            name,
            within,
            directories: 0,
            unread: false,
            original: None,
            places: Names::default(),
            order: Radix::default(),
            next: Self::FIRST,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.order.len() == 0
    }

    pub(crate) fn get(&self, name: &str) -> Option<Ino> {
        Some(self.order.get(self.places.get(name)?)?.ino)
    }

    /// Adds a name that is not there yet.
    pub(crate) fn insert(&mut self, name: Arc<str>, ino: Ino) {
        self.places.insert(Arc::clone(&name), self.next);
        self.order.insert(self.next, Entry { name, ino });
        self.next += 1;
    }

    /// Gives the name to another node, in the same place.
    pub(crate) fn replace(&mut self, name: &str, ino: Ino) {
        if let Some(entry) = self.places.get(name).and_then(|place| self.order.get_mut(place)) {
            entry.ino = ino;
        }
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<Ino> {
        Some(self.order.remove(self.places.remove(name)?)?.ino)
    }

    /// The first entry at or after a place.
    pub(crate) fn next(&self, place: u64) -> Option<(u64, &Entry)> {
        self.order.next(place.max(Self::FIRST))
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.order.iter().map(|(_, entry)| entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(directory: &Directory, mut place: u64) -> Vec<String> {
        let mut names = Vec::new();
        while let Some((at, entry)) = directory.next(place) {
            names.push(entry.name.to_string());
            place = at + 1;
        }
        names
    }

    fn three() -> Directory {
        let mut directory = Directory::new(Ino(1), "".into(), Ino(1));
        for (name, ino) in [("a", 10), ("b", 11), ("c", 12)] {
            directory.insert(name.into(), Ino(ino));
        }
        directory
    }

    #[test]
    fn a_listing_resumes_where_it_was_though_entries_come_and_go() {
        let mut directory = three();
        let (place, _) = directory.next(0).unwrap();
        directory.remove("a");
        directory.remove("b");
        directory.insert("b".into(), Ino(13));
        directory.insert("d".into(), Ino(14));
        assert_eq!(listed(&directory, place + 1), ["c", "b", "d"]);
    }

    #[test]
    fn a_replaced_name_keeps_its_place() {
        let mut directory = three();
        directory.replace("b", Ino(20));
        assert_eq!(directory.get("b"), Some(Ino(20)));
        assert_eq!(listed(&directory, 0), ["a", "b", "c"]);
    }
}
