//! Adding, moving and removing the names of nodes. The callers have checked permissions before.

use std::sync::Arc;

use crate::inode::{Area, Inode};
use crate::state::State;
use crate::{Errno, Ino, Kind, Time};

impl State {
    /// Adds a node under a free name, charged unless the directory is in a system area.
    pub(crate) fn attach(
        &mut self,
        parent: Ino,
        name: &str,
        inode: Inode,
        now: Time,
    ) -> Result<Ino, Errno> {
        let home = self.get(parent)?;
        if home.names == 0 {
            return Err(Errno::NotFound);
        }
        if home.area != Area::System {
            self.afford(inode.cost())?;
        }
        let ino = self.adopt(parent, name, inode)?;
        self.edit(parent, |home| home.touch(now))?;
        Ok(ino)
    }

    /// Adds a node that already existed elsewhere, such as in an overlay's real directory: changes
    /// no time and checks no limit. In a system area the node becomes part of it.
    pub(crate) fn adopt(
        &mut self,
        parent: Ino,
        name: &str,
        mut inode: Inode,
    ) -> Result<Ino, Errno> {
        let within = self.directory(parent)?.within;
        if self.get(parent)?.area == Area::System {
            inode.area = Area::System;
        }
        let name: Arc<str> = name.into();
        if let Some(directory) = inode.directory_mut() {
            directory.parent = parent;
            directory.name = Arc::clone(&name);
            directory.within = within;
        }
        let step = u64::from(inode.kind() == Kind::Directory);
        let ino = self.add(inode);
        self.edit_directory(parent, |directory| {
            directory.insert(name, ino);
            directory.directories += step;
        })?;
        Ok(ino)
    }

    /// Removes a name. The node is dropped with its last name and handle.
    pub(crate) fn detach(&mut self, parent: Ino, name: &str, now: Time) -> Result<(), Errno> {
        let ino = self.directory(parent)?.get(name).ok_or(Errno::NotFound)?;
        let step = u64::from(self.get(ino)?.kind() == Kind::Directory);
        self.edit(parent, |home| {
            home.touch(now);
            if let Some(directory) = home.directory_mut() {
                directory.remove(name);
                directory.directories -= step;
            }
        })?;
        self.edit(ino, |inode| {
            inode.names -= 1;
            inode.touch_attributes(now);
        })?;
        self.drop_if_unused(ino);
        Ok(())
    }

    /// Moves an entry, replacing the target if it exists. The caller has checked everything.
    pub(crate) fn move_entry(
        &mut self,
        (from, old): (Ino, &str),
        (to, new): (Ino, &str),
        now: Time,
    ) -> Result<(), Errno> {
        let ino = self.directory(from)?.get(old).ok_or(Errno::NotFound)?;
        let replaced = self.directory(to)?.get(new);
        let step = u64::from(self.get(ino)?.kind() == Kind::Directory);
        let name: Arc<str> = new.into();
        self.edit(from, |home| {
            home.touch(now);
            if let Some(directory) = home.directory_mut() {
                directory.remove(old);
                directory.directories -= step;
            }
        })?;
        self.edit(to, |home| {
            home.touch(now);
            if let Some(directory) = home.directory_mut() {
                match replaced {
                    Some(_) => directory.replace(new, ino),
                    None => {
                        directory.insert(Arc::clone(&name), ino);
                        directory.directories += step;
                    }
                }
            }
        })?;
        self.edit(ino, |inode| {
            inode.changed = now;
            if let Some(directory) = inode.directory_mut() {
                (directory.parent, directory.name) = (to, name);
            }
        })?;
        if let Some(replaced) = replaced {
            self.edit(replaced, |inode| {
                inode.names -= 1;
                inode.touch_attributes(now);
            })?;
            self.drop_if_unused(replaced);
        }
        Ok(())
    }

    /// Removes everything below a directory.
    pub(crate) fn clear(&mut self, top: Ino, now: Time) -> Result<(), Errno> {
        for directory in self.directories(top).into_iter().rev() {
            while let Some(name) =
                self.directory(directory)?.next(0).map(|(_, entry)| Arc::clone(&entry.name))
            {
                self.detach(directory, &name, now)?;
            }
        }
        Ok(())
    }
}
