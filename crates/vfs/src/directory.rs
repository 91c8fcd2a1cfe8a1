//! The entries of a directory, by name and in a stable order for listings.

use std::sync::Arc;

use crate::Ino;
use crate::names::Names;
use crate::radix::Radix;

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: Arc<str>,
    pub(crate) ino: Ino,
}

/// The entries of a directory.
///
/// An entry keeps the position it was given when added. A resumed listing therefore neither repeats
/// nor skips an entry that stayed, whatever happened to the other entries.
#[derive(Clone, Debug)]
pub(crate) struct Directory {
    /// The directory that contains this one; the root contains itself.
    pub(crate) parent: Ino,
    /// The name of this directory in its parent, from which its path is derived.
    pub(crate) name: Arc<str>,
    /// Number of the top of the tree or overlay this belongs to. Nothing is moved between two tops.
    pub(crate) within: Ino,
    /// Number of directories among the entries.
    pub(crate) directories: u64,
    /// True for a directory of an overlay whose real entries were not read yet.
    pub(crate) unread: bool,
    /// For a directory of an overlay, the entries of the real one.
    pub(crate) original: Option<Arc<[Entry]>>,
    places: Names,
    order: Radix<Entry>,
    next: u64,
}

impl Directory {
    /// First position of an entry; the ones below belong to `.` and `..`.
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

    /// Adds a name, which must be new.
    pub(crate) fn insert(&mut self, name: Arc<str>, ino: Ino) {
        self.places.insert(Arc::clone(&name), self.next);
        self.order.insert(self.next, Entry { name, ino });
        self.next += 1;
    }

    /// Points a name at another node and keeps its position.
    pub(crate) fn replace(&mut self, name: &str, ino: Ino) {
        if let Some(entry) = self.places.get(name).and_then(|place| self.order.get_mut(place)) {
            entry.ino = ino;
        }
    }

    pub(crate) fn remove(&mut self, name: &str) -> Option<Ino> {
        Some(self.order.remove(self.places.remove(name)?)?.ino)
    }

    /// Returns the first entry at or after a position.
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
