//! Removing and renaming entries.

use crate::at::At;
use crate::files::Files;
use crate::overlay;
use crate::place::{Found, MountPlace, Place};
use crate::state::State;
use crate::{Access, Errno, Error, Ino, Kind};

impl Files<'_> {
    /// Removes a name of anything but a directory. An open file stays readable until it is closed.
    pub fn remove_file<'a>(self, at: impl Into<At<'a>>) -> Result<(), Error> {
        self.on(at, |at| match self.find_entry(at)? {
            Found::Node(mut state, place) => {
                let name = place.last.name(Errno::IsDirectory)?;
                let ino = place.child.ok_or(Errno::NotFound)?;
                if state.get(ino)?.kind() == Kind::Directory {
                    return Err(Errno::IsDirectory);
                } else if place.slash {
                    return Err(Errno::NotDirectory);
                }
                self.may_remove(&state, place.parent, ino)?;
                state.detach(place.parent, name, self.now)
            }
            Found::Mounted(place) => match place.kind()? {
                Kind::Directory => Err(Errno::IsDirectory),
                _ if place.slash => Err(Errno::NotDirectory),
                Kind::File | Kind::Link | Kind::Device(_) | Kind::Other => {
                    place.spot.backend.remove_file(&place.spot.inside)
                }
            },
        })
    }

    /// Removes an empty directory.
    pub fn remove_directory<'a>(self, at: impl Into<At<'a>>) -> Result<(), Error> {
        self.on(at, |at| {
            loop {
                match self.find_entry(at)? {
                    Found::Node(mut state, place) => {
                        if let Some(unread) = unread(&state, place.child) {
                            drop(state);
                            overlay::read_directory(self.tree, unread)?;
                            continue;
                        }
                        return self.remove_directory_in_tree(&mut state, &place);
                    }
                    Found::Mounted(place) => {
                        place.last.removable()?;
                        return match place.kind()? {
                            _ if place.spot.inside.is_top() => Err(Errno::Busy),
                            Kind::Directory => {
                                place.spot.backend.remove_directory(&place.spot.inside)
                            }
                            Kind::File | Kind::Link | Kind::Device(_) | Kind::Other => {
                                Err(Errno::NotDirectory)
                            }
                        };
                    }
                }
            }
        })
    }

    /// Renames an entry atomically and replaces an existing target of the same kind. A target
    /// directory must be empty.
    pub fn rename<'a, 'b>(
        self,
        from: impl Into<At<'a>>,
        to: impl Into<At<'b>>,
    ) -> Result<(), Error> {
        let (from_at, to_at) = (from.into(), to.into());
        loop {
            let (node, mounted) = self.on(from_at, |from| match self.find_entry(from)? {
                Found::Node(_, place) => Ok((Some(place), None)),
                Found::Mounted(place) => Ok((None, Some(place))),
            })?;
            let found = self.on(to_at, |to| self.find_entry(to))?;
            let done = match (node, mounted, found) {
                (Some(from), _, Found::Node(mut state, to)) => {
                    if let Some(unread) = unread(&state, to.child) {
                        drop(state);
                        self.on(to_at, |_| overlay::read_directory(self.tree, unread))?;
                        continue;
                    }
                    self.rename_in_tree(&mut state, &from, &to)
                }
                (_, Some(from), Found::Mounted(to)) if from.spot.mount == to.spot.mount => {
                    rename_mounted(&from, &to)
                }
                _ => Err(Errno::CrossDevice),
            };
            return done.map_err(|errno| Error::new(errno, from_at.path));
        }
    }

    fn remove_directory_in_tree(self, state: &mut State, place: &Place) -> Result<(), Errno> {
        let name = place.last.removable()?;
        let ino = place.child.ok_or(Errno::NotFound)?;
        state.directory(ino)?;
        self.may_remove(state, place.parent, ino)?;
        if !state.directory(ino)?.is_empty() {
            return Err(Errno::NotEmpty);
        }
        state.detach(place.parent, name, self.now)
    }

    fn rename_in_tree(self, state: &mut State, from: &Place, to: &Place) -> Result<(), Errno> {
        if state.directory(from.parent)?.within != state.directory(to.parent)?.within {
            return Err(Errno::CrossDevice);
        }
        let (old_name, new_name) = (from.last.name(Errno::Busy)?, to.last.name(Errno::Busy)?);
        // Looked up again, because the lock was released after `from` was resolved.
        let moved = state.directory(from.parent)?.get(old_name).ok_or(Errno::NotFound)?;
        let replaced = state.directory(to.parent)?.get(new_name);
        let is_directory = state.get(moved)?.kind() == Kind::Directory;
        if !is_directory && (from.slash || to.slash) {
            return Err(Errno::NotDirectory);
        }
        if is_directory && state.is_within(to.parent, moved) {
            return Err(Errno::Invalid);
        }
        if replaced == Some(moved) {
            return Ok(());
        }
        if replaced.is_some_and(|ino| state.is_within(from.parent, ino)) {
            return Err(Errno::NotEmpty);
        }
        self.may_remove(state, from.parent, moved)?;
        match replaced {
            Some(ino) => self.may_replace(state, to.parent, ino, is_directory)?,
            None => self.may_change_entries(state, to.parent)?,
        }
        if is_directory && from.parent != to.parent {
            // Moving a directory changes its `..`.
            self.may(state.get(moved)?, Access::Write)?;
        }
        state.move_entry((from.parent, old_name), (to.parent, new_name), self.now)
    }

    fn may_replace(
        self,
        state: &State,
        parent: Ino,
        replaced: Ino,
        by_directory: bool,
    ) -> Result<(), Errno> {
        self.may_remove(state, parent, replaced)?;
        match (by_directory, state.get(replaced)?.directory()) {
            (true, None) => Err(Errno::NotDirectory),
            (false, Some(_)) => Err(Errno::IsDirectory),
            (true, Some(directory)) if !directory.is_empty() => Err(Errno::NotEmpty),
            (true, Some(_)) | (false, None) => Ok(()),
        }
    }
}

/// Returns the directory if it belongs to an overlay and its entries must be read first.
fn unread(state: &State, child: Option<Ino>) -> Option<Ino> {
    child.filter(|ino| state.directory(*ino).is_ok_and(|directory| directory.unread))
}

fn rename_mounted(from: &MountPlace, to: &MountPlace) -> Result<(), Errno> {
    from.last.name(Errno::Busy)?;
    to.last.name(Errno::Busy)?;
    if from.spot.inside.is_top() || to.spot.inside.is_top() {
        return Err(Errno::Busy);
    }
    let is_directory = from.kind()? == Kind::Directory;
    if !is_directory && (from.slash || to.slash) {
        return Err(Errno::NotDirectory);
    }
    from.spot.backend.rename(&from.spot.inside, &to.spot.inside)
}
