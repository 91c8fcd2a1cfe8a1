//! The processes of a run: numbers, parents, waiting, signals.

use std::collections::BTreeMap;
use std::task::Waker;

use crate::program::errno::Errno;
use crate::program::signal::{self, ByDefault, Signals};

/// Most signals kept for a process that does not fetch them.
// T-PROC-008: memory of the host that processes use.
const MAX_PENDING: usize = 64;

/// Most ended processes that were not waited for; each is an entry in the table.
const MAX_ZOMBIES: usize = 4096;

/// Offset of a status that is the signal that killed the process.
pub(crate) const KILLED: u32 = 256;

/// All processes of a run that are alive or not yet waited for.
#[derive(Debug)]
pub(crate) struct Table {
    entries: BTreeMap<u32, Entry>,
    next: u32,
    alive: usize,
    limit: usize,
    zombies: usize,
}

#[derive(Debug)]
struct Entry {
    parent: u32,
    /// Exit status, if the process has ended.
    status: Option<u32>,
    caught: Signals,
    ignored: Signals,
    pending: Vec<u8>,
    killed: Option<u8>,
    task: Waker,
    pub(crate) about: About,
}

/// Data about a process that other processes may see.
#[derive(Debug, Clone, Default)]
pub(crate) struct About {
    pub(crate) argv: Vec<Vec<u8>>,
    pub(crate) cwd: String,
}

/// Result of looking for an ended child.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Waited {
    Ended { pid: u32, status: u32 },
    NotYet,
}

/// Result of sending a signal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Sent {
    /// The receiver is the sender, and the signal kills it.
    KillsSender,
    Done,
}

impl Table {
    pub(crate) fn new(limit: usize) -> Self {
        Table { entries: BTreeMap::new(), next: 1, alive: 0, limit, zombies: 0 }
    }

    /// Returns true if there is room for another process.
    // T-PROC-006: a fork bomb.
    pub(crate) fn has_room(&self) -> bool {
        self.alive < self.limit && self.zombies < MAX_ZOMBIES
    }

    /// Assigns a number to a new process; its waker is set later.
    pub(crate) fn add(
        &mut self,
        parent: u32,
        ignored: Signals,
        about: About,
    ) -> Result<u32, Errno> {
        if !self.has_room() {
            return Err(Errno::Again);
        }
        let pid = self.next;
        // Numbers are not reused: a run would need days for four billion processes.
        self.next = self.next.checked_add(1).ok_or(Errno::Again)?;
        self.alive += 1;
        let entry = Entry {
            parent,
            status: None,
            caught: Signals::default(),
            ignored,
            pending: Vec::new(),
            killed: None,
            task: Waker::noop().clone(),
            about,
        };
        self.entries.insert(pid, entry);
        Ok(pid)
    }

    /// Sets the waker of a process.
    pub(crate) fn set_task(&mut self, pid: u32, task: Waker) {
        if let Some(entry) = self.entries.get_mut(&pid) {
            entry.task = task;
        }
    }

    /// Returns the signal that kills a process.
    pub(crate) fn killed(&self, pid: u32) -> Option<u8> {
        self.entries.get(&pid)?.killed
    }

    /// Records the end of a process; wakes its parent, and orphans its children.
    pub(crate) fn end(&mut self, pid: u32, status: u32) {
        let Some(entry) = self.entries.get_mut(&pid) else { return };
        if entry.status.is_some() {
            return;
        }
        entry.status = Some(status);
        entry.about = About::default();
        let parent = entry.parent;
        self.alive -= 1;
        self.zombies += 1;
        self.entries.retain(|_, entry| {
            let is_orphan = entry.parent == pid;
            if is_orphan {
                entry.parent = 0;
            }
            let is_gone = is_orphan && entry.status.is_some();
            self.zombies -= usize::from(is_gone);
            !is_gone
        });
        match self.entries.get_mut(&parent) {
            Some(parent) if parent.status.is_none() => {
                if parent.caught.has(17) && parent.pending.len() < MAX_PENDING {
                    parent.pending.push(17);
                }
                parent.task.wake_by_ref();
            }
            // No process is left to wait for it.
            Some(_) | None => {
                self.entries.remove(&pid);
                self.zombies -= 1;
            }
        }
    }

    /// Looks for an ended child, and removes it from the table.
    pub(crate) fn wait(&mut self, parent: u32, pid: u32) -> Result<Waited, Errno> {
        let mut has_child = false;
        let ended = self.entries.iter().find_map(|(number, entry)| {
            if entry.parent != parent || (pid != 0 && *number != pid) {
                return None;
            }
            has_child = true;
            entry.status.map(|status| (*number, status))
        });
        match ended {
            Some((pid, status)) => {
                self.entries.remove(&pid);
                self.zombies -= 1;
                Ok(Waited::Ended { pid, status })
            }
            None if has_child => Ok(Waited::NotYet),
            None => Err(Errno::Child),
        }
    }

    /// Sends a signal; 0 only tests that the process exists.
    pub(crate) fn send(&mut self, sender: u32, pid: u32, signal: u8) -> Result<Sent, Errno> {
        if signal > signal::MAX {
            return Err(Errno::Invalid);
        }
        let entry = self.entries.get_mut(&pid).ok_or(Errno::NoProcess)?;
        if signal == 0 || entry.status.is_some() {
            return Ok(Sent::Done);
        }
        if signal != signal::KILL {
            if entry.ignored.has(signal) {
                return Ok(Sent::Done);
            }
            if entry.caught.has(signal) {
                if entry.pending.len() < MAX_PENDING {
                    entry.pending.push(signal);
                }
                entry.task.wake_by_ref();
                return Ok(Sent::Done);
            }
            if signal::by_default(signal) == ByDefault::Nothing {
                return Ok(Sent::Done);
            }
        }
        if pid == sender {
            return Ok(Sent::KillsSender);
        }
        entry.killed.get_or_insert(signal);
        entry.task.wake_by_ref();
        Ok(Sent::Done)
    }

    pub(crate) fn set_signals(&mut self, pid: u32, caught: u64, ignored: u64) {
        if let Some(entry) = self.entries.get_mut(&pid) {
            entry.caught = Signals(caught);
            entry.ignored = Signals(ignored);
        }
    }

    pub(crate) fn ignored(&self, pid: u32) -> Signals {
        self.entries.get(&pid).map_or(Signals::default(), |entry| entry.ignored)
    }

    /// Takes the signals that arrived since the last call.
    pub(crate) fn take_signals(&mut self, pid: u32) -> Vec<u8> {
        self.entries.get_mut(&pid).map_or(Vec::new(), |entry| std::mem::take(&mut entry.pending))
    }

    pub(crate) fn has_signals(&self, pid: u32) -> bool {
        self.entries.get(&pid).is_some_and(|entry| !entry.pending.is_empty())
    }

    /// Returns the processes that are alive, in order.
    pub(crate) fn pids(&self) -> Vec<u32> {
        let alive = self.entries.iter().filter(|(_, entry)| entry.status.is_none());
        alive.map(|(pid, _)| *pid).collect()
    }

    pub(crate) fn about(&self, pid: u32) -> Option<(u32, &About)> {
        let entry = self.entries.get(&pid)?;
        entry.status.is_none().then_some((entry.parent, &entry.about))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(children: usize) -> Table {
        let mut table = Table::new(8);
        table.add(0, Signals::default(), About::default()).expect("room");
        for _ in 0..children {
            table.add(1, Signals::default(), About::default()).expect("room");
        }
        table
    }

    #[test]
    fn a_child_is_waited_for_once() {
        let mut table = table(2);
        assert_eq!(table.wait(1, 0), Ok(Waited::NotYet));
        table.end(3, 7);
        assert_eq!(table.wait(1, 2), Ok(Waited::NotYet));
        assert_eq!(table.wait(1, 0), Ok(Waited::Ended { pid: 3, status: 7 }));
        assert_eq!(table.wait(1, 3), Err(Errno::Child));
    }

    /// T-PROC-006.
    #[test]
    fn more_processes_than_allowed_are_refused() {
        let mut table = table(7);
        assert_eq!(table.add(1, Signals::default(), About::default()), Err(Errno::Again));
        table.end(2, 0);
        assert_eq!(table.add(1, Signals::default(), About::default()), Ok(9));
    }

    #[test]
    fn orphans_are_nobodys_and_leave_no_line() {
        let mut table = table(1);
        table.add(2, Signals::default(), About::default()).expect("room");
        table.end(2, 0);
        table.end(3, 0);
        assert_eq!(table.wait(1, 0), Ok(Waited::Ended { pid: 2, status: 0 }));
        assert_eq!((table.entries.len(), table.zombies), (1, 0));
    }

    #[test]
    fn a_signal_kills_is_kept_or_is_nothing() {
        let mut table = table(1);
        table.set_signals(2, 1 << 15, 1 << 1);
        for signal in [15, 1, 17, 0] {
            assert_eq!(table.send(1, 2, signal), Ok(Sent::Done));
            assert_eq!(table.killed(2), None, "{signal}");
        }
        assert_eq!(table.take_signals(2), [15]);
        assert_eq!(table.send(1, 2, 9), Ok(Sent::Done));
        assert_eq!(table.killed(2), Some(9));
        assert_eq!(table.send(1, 1, 2), Ok(Sent::KillsSender));
        assert_eq!(table.send(1, 77, 2), Err(Errno::NoProcess));
    }
}
