//! The entries below a folder, listed one at a time while they are checked.
//!
//! Meets T-CELL-030.

use std::vec;

use cofferdam_caps::fs::FilePath;
use cofferdam_vfs::{
    self as vfs, DirEntry, Errno, Error, Interrupt, Kind, Open, OpenFile, Time, Tree, VPath,
};

use super::files::{MAX_ENTRIES, is_named};

/// A walk through a folder, parents before their children. Nothing below an entry is listed before
/// that entry was returned, so whoever stops at a refused entry has walked no further (T-PERM-004).
pub(super) struct Walk {
    /// `None` if there is nothing to walk.
    start: Option<Start>,
    /// Folders to be listed.
    folders: Vec<VPath>,
    listing: Option<Listing>,
    found: Vec<Below>,
    outside: bool,
    state: Result<Progress, Error>,
}

struct Start {
    tree: Tree,
    now: Time,
    until: Interrupt,
}

struct Listing {
    path: VPath,
    open: OpenFile,
    from: u64,
    entries: vec::IntoIter<DirEntry>,
}

enum Progress {
    Walking,
    Complete,
}

/// An entry below a folder.
pub(super) struct Below {
    pub(super) checked: FilePath,
    pub(super) path: VPath,
    pub(super) kind: Kind,
}

impl Walk {
    pub(super) fn new(tree: Tree, now: Time, until: Interrupt, root: VPath) -> Self {
        let start = Some(Start { tree, now, until });
        Walk { start, folders: vec![root], ..Walk::nothing() }
    }

    /// Returns a walk without entries.
    pub(super) fn nothing() -> Self {
        Walk {
            start: None,
            folders: Vec::new(),
            listing: None,
            found: Vec::new(),
            outside: false,
            state: Ok(Progress::Walking),
        }
    }

    /// Returns the next entry; `None` at the end and after an error.
    pub(super) fn next(&mut self) -> Option<&FilePath> {
        match self.step() {
            Ok(Some(entry)) => {
                self.found.push(entry);
                self.found.last().map(|below| &below.checked)
            }
            Ok(None) => {
                if self.state.is_ok() {
                    self.state = Ok(Progress::Complete);
                }
                None
            }
            Err(error) => {
                self.state = Err(error);
                None
            }
        }
    }

    /// Returns true if every entry was returned.
    pub(super) fn is_complete(&self) -> bool {
        matches!(self.state, Ok(Progress::Complete))
    }

    /// Returns true if an entry lies in a folder of the host that guests may change.
    pub(super) fn reaches_outside(&self) -> bool {
        self.outside
    }

    /// Returns all entries; an error if the walk failed or was not walked to its end.
    pub(super) fn finish(self) -> Result<Vec<Below>, Error> {
        match self.state? {
            Progress::Complete => Ok(self.found),
            Progress::Walking => {
                let root = self.folders.first().map_or("", |folder| folder.as_str());
                Err(Error::new(Errno::NotPermitted, root))
            }
        }
    }

    fn step(&mut self) -> Result<Option<Below>, Error> {
        let (Some(start), Ok(Progress::Walking)) = (&self.start, &self.state) else {
            return Ok(None);
        };
        loop {
            if let Some(listing) = &mut self.listing {
                let failed = |errno| Error::new(errno, listing.path.as_str());
                start.until.check().map_err(failed)?;
                if let Some(entry) = listing.entries.next() {
                    let below = Below::new(&listing.path, &entry)?;
                    if self.found.len() >= MAX_ENTRIES {
                        return Err(failed(Errno::FileTooLarge));
                    }
                    if below.kind == Kind::Directory {
                        self.folders.push(below.path.clone());
                    }
                    return Ok(Some(below));
                }
                let portion = listing.open.entries(listing.from, vfs::LISTING_MAX, start.now)?;
                match portion.last() {
                    Some(last) => listing.from = last.next,
                    None => {
                        self.listing = None;
                        continue;
                    }
                }
                let named: Vec<DirEntry> = portion.into_iter().filter(is_named).collect();
                listing.entries = named.into_iter();
                continue;
            }
            let Some(path) = self.folders.pop() else { return Ok(None) };
            let files = start.tree.as_guest(start.now).until(&start.until);
            if files.stat(&path)?.kind != Kind::Directory {
                continue;
            }
            self.outside |= files.changes_outside(&path);
            let open = files.open(&path, Open::to_read().directory())?;
            self.listing = Some(Listing { path, open, from: 0, entries: Vec::new().into_iter() });
        }
    }
}

impl Below {
    /// Creates an entry. A name that no grant can cover is an error.
    fn new(folder: &VPath, entry: &DirEntry) -> Result<Self, Error> {
        let text = format!("{}/{}", folder.as_str().trim_end_matches('/'), entry.name);
        let path = VPath::new(&text).map_err(|errno| Error::new(errno, &text))?;
        match text.parse() {
            Ok(checked) => Ok(Below { checked, path, kind: entry.kind }),
            Err(_) => Err(Error::new(Errno::Invalid, &text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use cofferdam_vfs::{Limits, Mode};

    use super::*;

    /// Returns a tree with `/d/a/0` to `/d/a/9` and `/d/b`, and a walk through `/d`.
    fn walk(until: Interrupt) -> Walk {
        let tree = Tree::new(Limits::default(), Time(1));
        let files = tree.as_guest(Time(1));
        files.make_directories("/d/a", Mode::DIRECTORY).unwrap();
        files.write_file("/d/b", b"").unwrap();
        for number in 0..10 {
            files.write_file(format!("/d/a/{number}").as_str(), b"").unwrap();
        }
        Walk::new(tree.clone(), Time(1), until, VPath::new("/d").unwrap())
    }

    /// T-PERM-004.
    #[test]
    fn a_refused_entry_ends_the_walk() {
        let steps = Arc::new(AtomicUsize::new(0));
        let count = steps.clone();
        let never = Interrupt::new(move || {
            count.fetch_add(1, Ordering::Relaxed);
            false
        });
        let mut walk = walk(never);
        assert_eq!(walk.next().map(|path| path.as_str()), Some("/d/a"));
        assert!(steps.load(Ordering::Relaxed) <= 2, "nothing below was listed");
        assert!(!walk.is_complete());
        assert_eq!(walk.finish().err().map(|error| error.errno()), Some(Errno::NotPermitted));
    }

    #[test]
    fn parents_come_before_their_children() {
        let mut walk = walk(Interrupt::default());
        let mut paths = Vec::new();
        while let Some(path) = walk.next() {
            paths.push(path.as_str().to_owned());
        }
        assert_eq!(paths[..3], ["/d/a", "/d/b", "/d/a/0"]);
        assert!(walk.is_complete() && walk.finish().unwrap().len() == 12);
    }

    #[test]
    fn a_walk_ends_with_its_run() {
        let mut walk = walk(Interrupt::new(|| true));
        assert!(walk.next().is_none() && !walk.is_complete());
        assert_eq!(walk.finish().err().map(|error| error.errno()), Some(Errno::Interrupted));
    }
}
