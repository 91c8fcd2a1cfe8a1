use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::files::{Actor, Files};
use crate::state::{State, Trash};
use crate::{Caller, Limits, Time, Usage};

/// The files of one sandbox. A clone is another handle to the same files; [`Tree::fork`] makes
/// files of their own.
///
/// One lock per tree, held for the length of one operation and never while real directories are
/// used. Reading shares chunks under the lock and copies them after it; full chunks of a write are
/// copied before it. So processes on several threads wait for bookkeeping, not for bytes.
///
/// Every operation happens wholly or not at all, whoever is killed meanwhile.
#[derive(Clone, Debug)]
pub struct Tree {
    state: Arc<Mutex<State>>,
}

impl Tree {
    /// An empty root directory.
    pub fn new(limits: Limits, now: Time) -> Self {
        Tree::from_state(State::new(limits, now))
    }

    pub(crate) fn from_state(state: State) -> Self {
        Tree { state: Arc::new(Mutex::new(state)) }
    }

    /// The files as guests may use them, at this moment.
    pub fn as_guest(&self, now: Time) -> Files<'_> {
        Files { tree: self, actor: Actor::Guest, caller: Caller::default(), now }
    }

    /// The files as the host may use them: system areas are open and modes ask nothing. Quotas
    /// hold all the same.
    pub fn as_host(&self, now: Time) -> Files<'_> {
        Files { tree: self, actor: Actor::Host, caller: Caller::default(), now }
    }

    /// Another tree with the same content, at a cost that does not depend on it. Open handles stay
    /// with this one, real directories are shared.
    pub fn fork(&self) -> Tree {
        Tree::from_state(self.lock().fork())
    }

    /// What the tree holds now, kept as it is.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { state: Arc::new(self.lock().fork()) }
    }

    /// Goes back to a snapshot, at a cost that does not depend on what is in it. The limits stay.
    /// Handles that are open find their file as the snapshot has it, or nothing.
    pub fn restore(&self, snapshot: &Snapshot) {
        let mut fresh = snapshot.state.fork();
        let mut state = self.lock();
        fresh.limits = state.limits;
        // A number that a handle holds must not come to mean another file.
        fresh.skip_numbers(state.next_number());
        let old = std::mem::replace(&mut *state, fresh);
        drop(state);
        drop(old);
    }

    /// What is used of the limits.
    pub fn usage(&self) -> Usage {
        self.lock().used
    }

    /// The limits in force.
    pub fn limits(&self) -> Limits {
        self.lock().limits
    }

    /// Sets limits. A tree that is over them can shrink but not grow.
    pub fn set_limits(&self, limits: Limits) {
        self.lock().limits = limits;
    }

    pub(crate) fn is(&self, other: &Tree) -> bool {
        Arc::ptr_eq(&self.state, &other.state)
    }

    pub(crate) fn lock(&self) -> Locked<'_> {
        // A panic in an operation is a bug of ours that ends that run; the others' files, each
        // changed in steps that were checked beforehand, are still the best there is.
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        Locked { state, trash: Vec::new() }
    }
}

/// The content of a tree at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) state: Arc<State>,
}

impl Snapshot {
    /// A tree that starts from here.
    pub fn to_tree(&self) -> Tree {
        Tree::from_state(self.state.fork())
    }

    /// What it holds of its limits.
    pub fn usage(&self) -> Usage {
        self.state.used
    }
}

/// The state under its lock. What was given up meanwhile is freed after unlocking: fields are
/// dropped in the order they stand here.
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
