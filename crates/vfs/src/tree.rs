//! The tree of one sandbox: its lock, forks, snapshots and limits.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::files::{Actor, Files};
use crate::state::{State, Trash};
use crate::{Caller, Limits, Time, Usage};

/// The files of one sandbox. A clone refers to the same files; [`Tree::fork`] makes an independent
/// tree.
///
/// A tree has one lock, held for one operation and never while real directories are used. A read
/// shares chunks under the lock and copies them afterwards; full chunks of a write are copied
/// before. Threads therefore wait for bookkeeping, not for bytes.
///
/// Every operation is atomic, even if its process is killed.
#[derive(Clone, Debug)]
pub struct Tree {
    state: Arc<Mutex<State>>,
}

impl Tree {
    /// Creates a tree with an empty root directory.
    pub fn new(limits: Limits, now: Time) -> Self {
        Tree::from_state(State::new(limits, now))
    }

    pub(crate) fn from_state(state: State) -> Self {
        Tree { state: Arc::new(Mutex::new(state)) }
    }

    /// Returns the files as guests may use them at this time.
    pub fn as_guest(&self, now: Time) -> Files<'_> {
        Files { tree: self, actor: Actor::Guest, caller: Caller::default(), now }
    }

    /// Returns the files as the host may use them: system areas are writable and modes are ignored.
    /// Quotas still apply.
    pub fn as_host(&self, now: Time) -> Files<'_> {
        Files { tree: self, actor: Actor::Host, caller: Caller::default(), now }
    }

    /// Returns an independent tree with the same content, at a cost that does not depend on its
    /// size. Open handles stay with this tree; real directories are shared.
    pub fn fork(&self) -> Tree {
        Tree::from_state(self.lock().fork())
    }

    /// Returns the current content as an immutable snapshot.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { state: Arc::new(self.lock().fork()) }
    }

    /// Restores a snapshot, at a cost that does not depend on its size. The limits stay. Open
    /// handles refer to their file in the snapshot, or to none.
    pub fn restore(&self, snapshot: &Snapshot) {
        let mut fresh = snapshot.state.fork();
        let mut state = self.lock();
        fresh.limits = state.limits;
        // A number held by a handle must never refer to another file.
        fresh.skip_numbers(state.next_number());
        let old = std::mem::replace(&mut *state, fresh);
        drop(state);
        drop(old);
    }

    /// Returns the current use of the limits.
    pub fn usage(&self) -> Usage {
        self.lock().used
    }

    /// Returns the limits in force.
    pub fn limits(&self) -> Limits {
        self.lock().limits
    }

    /// Sets the limits. A tree beyond them can shrink but not grow.
    pub fn set_limits(&self, limits: Limits) {
        self.lock().limits = limits;
    }

    pub(crate) fn is(&self, other: &Tree) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }

    pub(crate) fn lock(&self) -> Locked<'_> {
        // A panic in an operation is a bug that ends its run. The state is still usable, because
        // operations check everything before they change it.
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        Locked { state, trash: Vec::new() }
    }
}

/// The content of a tree at one point in time.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) state: Arc<State>,
}

impl Snapshot {
    /// Creates a tree with the content of the snapshot.
    pub fn to_tree(&self) -> Tree {
        Tree::from_state(self.state.fork())
    }

    /// Returns the use of the limits by the snapshot.
    pub fn usage(&self) -> Usage {
        self.state.used
    }
}

/// The locked state. Dropped nodes are freed after unlocking, because fields are dropped in
/// declaration order.
pub(crate) struct Locked<'t> {
    state: MutexGuard<'t, State>,
    trash: Vec<Trash>,
}

impl Deref for Locked<'_> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        self.trash = std::mem::take(&mut self.state.trash);
    }
}
