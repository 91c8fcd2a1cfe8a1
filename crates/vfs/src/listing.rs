//! Reading the entries of an open directory, in portions that can be resumed.

use std::sync::PoisonError;

use crate::open_file::{OpenFile, Target};
use crate::overlay;
use crate::{Errno, Error, Ino, Kind, Time};

/// Most entries returned by one call.
pub const LISTING_MAX: usize = 1024;

/// One entry of a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirEntry {
    /// The name; `.` and `..` come first.
    pub name: String,
    /// The node of the entry.
    pub ino: Ino,
    /// The kind of that node.
    pub kind: Kind,
    /// The position at which a listing continues after this entry.
    pub next: u64,
}

impl OpenFile {
    /// Returns entries from a position on; 0 is the first. At most `most` and [`LISTING_MAX`]
    /// entries are returned, and none at the end.
    ///
    /// Positions stay valid while entries are added and removed: an entry that stays is listed
    /// exactly once.
    pub fn entries(&self, from: u64, most: usize, now: Time) -> Result<Vec<DirEntry>, Error> {
        let most = most.min(LISTING_MAX);
        self.on(|| {
            if !self.how.read {
                return Err(Errno::BadHandle);
            }
            match &self.target {
                Target::Node { ino, kind: Kind::Directory, .. } => {
                    self.node_entries(*ino, from, most, now)
                }
                Target::MountedDirectory { .. } => self.mounted_entries(from, most),
                Target::Node { .. } | Target::Mounted(_) => Err(Errno::NotDirectory),
                Target::MountedDevice(..) => Err(Errno::NotDirectory),
            }
        })
    }

    fn node_entries(
        &self,
        ino: Ino,
        from: u64,
        most: usize,
        now: Time,
    ) -> Result<Vec<DirEntry>, Errno> {
        let mut state = self.tree.lock();
        while state.directory(ino)?.unread {
            drop(state);
            overlay::read_directory(&self.tree, ino)?;
            state = self.tree.lock();
        }
        let inode = state.get(ino)?;
        let mut entries = Vec::new();
        if inode.names == 0 {
            return Ok(entries);
        }
        let directory = state.directory(ino)?;
        let dots = [(".", ino), ("..", directory.parent)];
        for (place, (name, ino)) in dots.into_iter().enumerate().skip(from as usize).take(most) {
            entries.push(DirEntry::new(name, ino, Kind::Directory, place as u64 + 1));
        }
        let mut place = from;
        while entries.len() < most
            && let Some((at, entry)) = directory.next(place)
        {
            place = at + 1;
            let kind = state.get(entry.ino)?.kind();
            entries.push(DirEntry::new(&entry.name, entry.ino, kind, place));
        }
        if inode.access_is_news(now) {
            state.edit(ino, |inode| inode.accessed = now)?;
        }
        Ok(entries)
    }

    fn mounted_entries(&self, from: u64, most: usize) -> Result<Vec<DirEntry>, Errno> {
        let Target::MountedDirectory { spot, listing } = &self.target else {
            return Err(Errno::NotDirectory);
        };
        let mut listing = listing.lock().unwrap_or_else(PoisonError::into_inner);
        if from == 0 {
            *listing = spot.backend.list(self.caller, &spot.inside)?;
        }
        let own = spot.backend.stat(self.caller, &spot.inside)?.ino;
        let dots = [(".", own, Kind::Directory), ("..", own, Kind::Directory)];
        let named = listing.iter().map(|entry| (&*entry.name, Ino(entry.ino), entry.kind));
        let all = dots.into_iter().chain(named).enumerate();
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        Ok(all
            .skip(from)
            .take(most)
            .map(|(place, (name, ino, kind))| DirEntry::new(name, ino, kind, place as u64 + 1))
            .collect())
    }
}

impl DirEntry {
    fn new(name: &str, ino: Ino, kind: Kind, next: u64) -> Self {
        DirEntry { name: name.into(), ino, kind, next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Mode, Open, Tree};

    fn list(directory: &OpenFile, step: usize) -> Vec<String> {
        let (mut names, mut from) = (Vec::new(), 0);
        loop {
            let entries = directory.entries(from, step, Time(3)).unwrap();
            let Some(last) = entries.last() else { return names };
            from = last.next;
            names.extend(entries.into_iter().map(|entry| entry.name));
        }
    }

    fn tree() -> Tree {
        let tree = Tree::new(Limits::default(), Time(1));
        let files = tree.as_guest(Time(2));
        files.make_directory("/d", Mode::DIRECTORY).unwrap();
        for name in ["/d/b", "/d/a", "/d/c"] {
            files.write_file(name, b"").unwrap();
        }
        tree
    }

    #[test]
    fn entries_come_in_the_order_they_were_made_however_many_at_once() {
        let tree = tree();
        let directory = tree.as_guest(Time(2)).open("/d", Open::to_read()).unwrap();
        for step in 1..7 {
            assert_eq!(list(&directory, step), [".", "..", "b", "a", "c"]);
        }
    }

    #[test]
    fn a_listing_goes_on_though_what_it_listed_is_removed() {
        let tree = tree();
        let files = tree.as_guest(Time(2));
        let directory = files.open("/d", Open::to_read()).unwrap();
        let first = directory.entries(0, 3, Time(3)).unwrap();
        files.remove_file("/d/b").unwrap();
        files.write_file("/d/later", b"").unwrap();
        let names: Vec<_> = directory.entries(first[2].next, 9, Time(3)).unwrap();
        assert_eq!(names.iter().map(|e| &*e.name).collect::<Vec<_>>(), ["a", "c", "later"]);
    }

    #[test]
    fn a_directory_removed_while_open_is_empty_and_takes_nothing() {
        let tree = tree();
        let files = tree.as_guest(Time(2));
        files.make_directory("/e", Mode::DIRECTORY).unwrap();
        let directory = files.open("/e", Open::to_read()).unwrap();
        files.remove_directory("/e").unwrap();
        assert_eq!(list(&directory, 9), [""; 0]);
        let at = crate::At::directory(&directory, "new");
        assert_eq!(files.write_file(at, b"").unwrap_err().errno(), Errno::NotFound);
        assert_eq!(directory.path().unwrap_err().errno(), Errno::NotFound);
        assert_eq!(directory.stat().unwrap().links, 0);
    }

    #[test]
    fn a_hostile_place_lists_nothing() {
        let tree = tree();
        let directory = tree.as_guest(Time(2)).open("/d", Open::to_read()).unwrap();
        assert_eq!(directory.entries(u64::MAX, usize::MAX, Time(3)).unwrap(), []);
    }
}
