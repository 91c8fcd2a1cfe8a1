//! The table of nodes and its cost: everything behind the lock of a tree.

use std::collections::HashMap;
use std::sync::Arc;

use crate::content::Content;
use crate::directory::Directory;
use crate::inode::{Area, Body, Inode};
use crate::radix::Radix;
use crate::{Errno, Ino, Limits, Mode, Time, Usage};

/// A dropped part of the tree, freed after the lock is released.
#[derive(Debug)]
pub(crate) enum Trash {
    Node(#[expect(dead_code)] Arc<Inode>),
    Body(#[expect(dead_code)] Body),
}

pub(crate) const ROOT: Ino = Ino(1);

#[derive(Debug)]
pub(crate) struct State {
    inodes: Radix<Arc<Inode>>,
    next: u64,
    pub(crate) used: Usage,
    pub(crate) limits: Limits,
    /// True if guests may change a real directory somewhere.
    pub(crate) reaches_outside: bool,
    /// Number of handles per open node. Not copied by a fork.
    open: HashMap<Ino, u64>,
    /// Dropped nodes, freed after the lock is released: freeing a gigabyte takes time.
    pub(crate) trash: Vec<Trash>,
}

impl State {
    pub(crate) fn new(limits: Limits, now: Time) -> Self {
        let root = Directory::new(ROOT, "".into(), ROOT);
        let mut inode = Inode::new(Body::Directory(root), Mode::DIRECTORY, now);
        inode.pinned = true;
        inode.area = Area::Free;
        let mut inodes = Radix::default();
        inodes.insert(ROOT.0, Arc::new(inode));
        State {
            inodes,
            next: ROOT.0 + 1,
            used: Usage::default(),
            limits,
            reaches_outside: false,
            open: HashMap::new(),
            trash: Vec::new(),
        }
    }

    /// Returns an independent state with the same files. Handles stay with this state, and so do
    /// files that only handles keep alive. The cost depends on the number of open nodes, not on the
    /// size of the tree.
    pub(crate) fn fork(&self) -> State {
        let mut fork = State {
            inodes: self.inodes.clone(),
            next: self.next,
            used: self.used,
            limits: self.limits,
            reaches_outside: self.reaches_outside,
            open: HashMap::new(),
            trash: Vec::new(),
        };
        for ino in self.open.keys() {
            fork.drop_if_unused(*ino);
        }
        fork
    }

    pub(crate) fn get(&self, ino: Ino) -> Result<&Inode, Errno> {
        self.inodes.get(ino.0).map(|inode| &**inode).ok_or(Errno::NotFound)
    }

    /// Changes a node and updates the charged cost. A caller that raises the cost must have called
    /// [`State::afford`] before.
    pub(crate) fn edit<R>(
        &mut self,
        ino: Ino,
        change: impl FnOnce(&mut Inode) -> R,
    ) -> Result<R, Errno> {
        let inode = Arc::make_mut(self.inodes.get_mut(ino.0).ok_or(Errno::NotFound)?);
        let before = inode.cost();
        let result = change(inode);
        self.used.adjust(before, inode.cost());
        Ok(result)
    }

    pub(crate) fn directory(&self, ino: Ino) -> Result<&Directory, Errno> {
        self.get(ino)?.directory().ok_or(Errno::NotDirectory)
    }

    pub(crate) fn edit_directory<R>(
        &mut self,
        ino: Ino,
        change: impl FnOnce(&mut Directory) -> R,
    ) -> Result<R, Errno> {
        self.edit(ino, |inode| inode.directory_mut().map(change))?.ok_or(Errno::NotDirectory)
    }

    pub(crate) fn afford(&self, cost: Usage) -> Result<(), Errno> {
        self.used.afford(cost, &self.limits)
    }

    /// Adds a node to the table under the next number.
    pub(crate) fn add(&mut self, inode: Inode) -> Ino {
        let ino = Ino(self.next);
        self.next += 1;
        self.used.adjust(Usage::default(), inode.cost());
        self.inodes.insert(ino.0, Arc::new(inode));
        ino
    }

    /// Returns the number of the next node.
    pub(crate) fn next_number(&self) -> u64 {
        self.next
    }

    /// Reserves all numbers below `below`, so that none of them is assigned again.
    pub(crate) fn skip_numbers(&mut self, below: u64) {
        self.next = self.next.max(below);
    }

    /// Returns true if both states share the node, unchanged since they were forked.
    pub(crate) fn shares(&self, other: &State, ino: Ino) -> bool {
        match (self.inodes.get(ino.0), other.inodes.get(ino.0)) {
            (Some(ours), Some(theirs)) => Arc::ptr_eq(ours, theirs),
            (Some(_) | None, _) => false,
        }
    }

    /// Replaces the content of a file. The caller has checked the cost.
    pub(crate) fn set_content(
        &mut self,
        ino: Ino,
        content: Content,
        now: Time,
    ) -> Result<(), Errno> {
        let old = self.edit(ino, |inode| {
            inode.touch(now);
            std::mem::replace(&mut inode.body, Body::File(content))
        })?;
        self.trash.push(Trash::Body(old));
        Ok(())
    }

    /// Keeps a node alive for a handle.
    pub(crate) fn hold(&mut self, ino: Ino) {
        *self.open.entry(ino).or_default() += 1;
    }

    /// Releases a handle; drops the node if it was the last one and has no name.
    pub(crate) fn release(&mut self, ino: Ino) {
        if let Some(count) = self.open.get_mut(&ino) {
            *count -= 1;
            if *count == 0 {
                self.open.remove(&ino);
                self.drop_if_unused(ino);
            }
        }
    }

    pub(crate) fn drop_if_unused(&mut self, ino: Ino) {
        if self.open.contains_key(&ino) || self.get(ino).is_ok_and(|inode| inode.names > 0) {
            return;
        }
        if let Some(inode) = self.inodes.remove(ino.0) {
            self.used.adjust(inode.cost(), Usage::default());
            self.trash.push(Trash::Node(inode));
        }
    }
}
