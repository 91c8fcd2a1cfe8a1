//! Writing the changes of an overlay to the real directory below it.
//!
//! Separate from `changes`, which only lists them: this is the one operation that writes below an
//! overlay.

use std::collections::HashSet;
use std::sync::Arc;

use crate::backend::Backend;
use crate::changes::{Found, compare};
use crate::content::Content;
use crate::inode::{Body, Inode, Origin};
use crate::path::Inside;
use crate::state::State;
use crate::tree::Tree;
use crate::{Caller, Errno, Error, Ino, Kind, Mode, Open, Time, VPath, overlay};

impl Tree {
    /// Writes the changes of an overlay to the real directory below it.
    ///
    /// Each file is replaced atomically; the list as a whole is not. Real files are overwritten
    /// even if they changed since they were read. A link that would lead programs of the real
    /// machine out of the directory is `EPERM`, and nothing is written then.
    pub fn apply_changes(&self, at: &VPath) -> Result<(), Error> {
        self.as_host(Time(0)).on(at, |_| {
            let (state, top, changes) = self.gathered(at)?;
            let origin = state.get(top)?.origin.clone().ok_or(Errno::Invalid)?;
            for found in &changes {
                if let Some(ino) = found.ino
                    && let Body::Link(target) = &state.get(ino)?.body
                {
                    origin.backend.may_link(&found.path, target)?;
                }
            }
            for found in &changes {
                match found.ino {
                    None => remove_all(&*origin.backend, &found.path)?,
                    Some(ino) => put(&*origin.backend, &found.path, state.get(ino)?)?,
                }
            }
            // Modes come last and bottom-up, because a mode may forbid writing into a directory.
            for found in changes.iter().rev() {
                if let Some(ino) = found.ino
                    && state.directory(ino).is_ok()
                {
                    origin.backend.set_mode(&found.path, state.get(ino)?.mode)?;
                }
            }
            self.mark_applied(&state, top, &origin, &changes)
        })
    }

    /// Returns the changes, with all their bytes copied into the tree. A moved file is still read
    /// from its old path, which applying the changes removes.
    fn gathered(&self, at: &VPath) -> Result<(State, Ino, Vec<Found>), Errno> {
        loop {
            let (state, top) = self.settled(at)?;
            let changes = compare(&state, top)?;
            let lower =
                |ino: &Ino| state.get(*ino).is_ok_and(|inode| matches!(inode.body, Body::Lower(_)));
            let missing: Vec<Ino> =
                changes.iter().filter_map(|found| found.ino).filter(lower).collect();
            if missing.is_empty() {
                return Ok((state, top, changes));
            }
            for ino in missing {
                overlay::copy_up(self, ino)?;
            }
        }
    }

    /// Marks the applied changes as part of the real directory, except those changed again
    /// meanwhile.
    fn mark_applied(
        &self,
        then: &State,
        top: Ino,
        origin: &Origin,
        changes: &[Found],
    ) -> Result<(), Errno> {
        let mut state = self.lock();
        let again = |ino: &Ino| then.directory(*ino).is_err() && !state.shares(then, *ino);
        let again: HashSet<Ino> =
            changes.iter().filter_map(|found| found.ino).filter(again).collect();
        for directory in then.directories(top) {
            let Ok(found) = then.directory(directory) else { continue };
            if !found.unread {
                let entries = found.entries().cloned().collect();
                // A directory removed meanwhile needs no mark.
                let _ = state.edit_directory(directory, |now| now.original = Some(entries));
            }
        }
        for found in changes {
            if let Some(ino) = found.ino {
                let backend = Arc::clone(&origin.backend);
                let origin = Origin { backend, path: found.path.clone() };
                let _ = state.edit(ino, |inode| {
                    inode.origin = Some(Arc::new(origin));
                    inode.edited = again.contains(&ino);
                });
            }
        }
        Ok(())
    }
}

/// Makes the real path match the node.
fn put(backend: &dyn Backend, path: &Inside, inode: &Inode) -> Result<(), Errno> {
    let who = Caller::default();
    let there = match backend.stat(who, path) {
        Ok(stat) => Some(stat.kind),
        Err(Errno::NotFound) => None,
        Err(errno) => return Err(errno),
    };
    if let Body::Directory(_) = &inode.body {
        // A new directory of the same name: entries of the old one do not stay.
        remove_all(backend, path)?;
        return backend.make_directory(path, Mode::DIRECTORY);
    }
    if there == Some(Kind::Directory) {
        remove_all(backend, path)?;
    }
    // Written beside the target and renamed over it, so that readers never see half a file.
    let mut beside = path.clone();
    beside.pop();
    beside.push(BESIDE);
    remove_all(backend, &beside)?;
    match &inode.body {
        Body::File(content) => write(backend, &beside, content, inode)?,
        Body::Link(target) => backend.make_link(&beside, target)?,
        Body::Lower(_) | Body::Directory(_) => return Err(Errno::Io),
        // These exist only in the sandbox.
        Body::Device(_) | Body::Mount { .. } => return Ok(()),
    }
    backend.rename(&beside, path)
}

/// Name of a file while it is being written.
const BESIDE: &str = ".cofferdam-applying";

fn write(
    backend: &dyn Backend,
    path: &Inside,
    content: &Content,
    inode: &Inode,
) -> Result<(), Errno> {
    let how = Open::to_write().create_new().mode(inode.mode);
    let file = backend.open(Caller::default(), path, how)?;
    for (offset, chunk) in content.chunks() {
        file.write_at(offset, chunk)?;
    }
    file.resize(content.size())?;
    file.set_mode(inode.mode)?;
    file.set_times(None, Some(inode.modified))
}

/// Removes a node and everything below it, if it exists.
fn remove_all(backend: &dyn Backend, path: &Inside) -> Result<(), Errno> {
    let who = Caller::default();
    let mut stack = vec![path.clone()];
    while let Some(path) = stack.last() {
        let removed = match backend.stat(who, path).map(|stat| stat.kind) {
            Ok(Kind::Directory) => {
                let below = backend.list(who, path)?;
                if below.is_empty() {
                    backend.remove_directory(path)
                } else {
                    let below: Vec<_> = below.iter().map(|entry| path.join(&entry.name)).collect();
                    stack.extend(below);
                    continue;
                }
            }
            Ok(Kind::File | Kind::Link | Kind::Device(_) | Kind::Other) => {
                backend.remove_file(path)
            }
            Err(errno) => Err(errno),
        };
        match removed {
            Ok(()) | Err(Errno::NotFound) => stack.pop(),
            Err(errno) => return Err(errno),
        };
    }
    Ok(())
}
