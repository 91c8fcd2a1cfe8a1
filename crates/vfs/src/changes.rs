//! The changes that guests made in an overlay, as a list.

use std::collections::HashMap;

use crate::mount::entry;
use crate::path::{Inside, PATH_MAX};
use crate::state::State;
use crate::tree::Tree;
use crate::{Errno, Error, Ino, Kind, Time, VPath, overlay};

/// One difference between an overlay and the real directory below it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path in the sandbox.
    pub path: VPath,
    /// The kind of difference.
    pub difference: Difference,
    /// The current kind of the node; `None` if it was removed.
    pub kind: Option<Kind>,
}

/// The kind of difference for one name in an overlay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// The name is new.
    Added,
    /// The name existed, and its content, attributes or kind changed.
    Changed,
    /// The name was removed, with everything below it.
    Removed,
}

impl Tree {
    /// Returns the changes of guests in the overlay at a path. Removals come first, and a directory
    /// comes before its content. A moved file is listed as removed and added. Times and modes of
    /// directories that existed before are not compared.
    pub fn changes(&self, at: &VPath) -> Result<Vec<Change>, Error> {
        self.as_host(Time(0)).on(at, |_| {
            let (state, top) = self.settled(at)?;
            let mut list = Vec::new();
            for found in compare(&state, top)? {
                let names = at.names().chain(found.path.names());
                let kind = match found.ino {
                    Some(ino) => Some(state.get(ino)?.kind()),
                    None => None,
                };
                let (path, difference) = (VPath::from_names(names)?, found.difference);
                list.push(Change { path, difference, kind });
            }
            Ok(list)
        })
    }

    /// Returns the state and the top of the overlay after reading everything a comparison needs,
    /// which is the content of moved directories.
    pub(crate) fn settled(&self, at: &VPath) -> Result<(State, Ino), Errno> {
        loop {
            let state = self.lock().fork();
            let (_, _, top) = entry(&state, at)?;
            let inode = state.get(top)?;
            if inode.origin.is_none() || !inode.pinned {
                return Err(Errno::Invalid);
            }
            let unread = compare(&state, top)?.into_iter().filter_map(|found| found.ino);
            let unread: Vec<Ino> = unread
                .filter(|ino| state.directory(*ino).is_ok_and(|directory| directory.unread))
                .collect();
            if unread.is_empty() {
                return Ok((state, top));
            }
            for ino in unread {
                overlay::read_directory(self, ino)?;
            }
        }
    }
}

/// A change, by its path inside the overlay.
pub(crate) struct Found {
    pub(crate) path: Inside,
    pub(crate) difference: Difference,
    pub(crate) ino: Option<Ino>,
}

/// Compares the tree with the recorded content of the real directory.
pub(crate) fn compare(state: &State, top: Ino) -> Result<Vec<Found>, Errno> {
    let mut removed = Vec::new();
    let mut list = Vec::new();
    // The last field is true if the directory itself is new, and so is everything below it.
    let mut stack = vec![(Inside::top(), top, false)];
    while let Some((path, ino, new)) = stack.pop() {
        if path.as_str().len() >= PATH_MAX {
            return Err(Errno::NameTooLong);
        }
        let directory = state.directory(ino)?;
        let original: HashMap<&str, Ino> = match &directory.original {
            Some(entries) if !new => entries.iter().map(|e| (&*e.name, e.ino)).collect(),
            Some(_) | None => HashMap::new(),
        };
        for name in original.keys().filter(|name| directory.get(name).is_none()) {
            let path = path.join(name);
            removed.push(Found { path, difference: Difference::Removed, ino: None });
        }
        for entry in directory.entries() {
            let inode = state.get(entry.ino)?;
            // A mount inside the overlay does not belong to it.
            if inode.pinned {
                continue;
            }
            let path = path.join(&entry.name);
            let difference = match original.get(&*entry.name) {
                Some(ino) if *ino == entry.ino && inode.directory().is_some() => None,
                Some(ino) if *ino == entry.ino && !inode.edited => None,
                Some(_) => Some(Difference::Changed),
                None => Some(Difference::Added),
            };
            if let Some(difference) = difference {
                list.push(Found { path: path.clone(), difference, ino: Some(entry.ino) });
            }
            if inode.directory().is_some() {
                stack.push((path, entry.ino, difference.is_some()));
            }
        }
    }
    removed.sort_by(|a, b| a.path.as_str().cmp(b.path.as_str()));
    removed.extend(list);
    Ok(removed)
}
