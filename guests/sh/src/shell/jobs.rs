//! Background jobs.

use cofferdam_guest_sys::{self as sys, Pid, Status, Which};

use crate::syntax::ast::Text;

/// Most ended children kept until a script asks for their status.
const MAX_ENDED: usize = 1024;

/// A background job.
#[derive(Debug, Clone)]
pub struct Job {
    /// Job number, as in `%1`.
    pub number: usize,
    /// Process numbers; the last process gives the job's status.
    pub pids: Vec<Pid>,
    /// Statuses of the processes that have ended, in the order of `pids`.
    pub ended: Vec<Option<Status>>,
    /// Source text of the command.
    pub text: Text,
    /// The end was already reported, or `disown` was called.
    pub quiet: bool,
}

impl Job {
    /// Returns the status of the last process once all have ended.
    pub fn status(&self) -> Option<Status> {
        if self.ended.iter().any(Option::is_none) {
            return None;
        }
        self.ended.last().copied().flatten()
    }
}

/// All background children.
#[derive(Debug, Default)]
pub struct Jobs {
    /// Jobs in the order they were started.
    pub list: Vec<Job>,
    /// Number of jobs of the parent shell.
    pub outer: usize,
    /// True while a subshell starts that lists the jobs of this shell.
    pub lent: bool,
    /// Children that ended while another one was waited for.
    stray: Vec<(Pid, Status)>,
    /// Background children that were waited for, oldest first.
    waited: Vec<(Pid, Status)>,
}

impl Jobs {
    /// Returns the jobs that a subshell lists: number, process numbers and text of those running.
    pub fn lend(&self) -> Vec<(usize, Vec<Pid>, Text)> {
        let running = self.list.iter().filter(|job| self.lent && job.status().is_none());
        running.map(|job| (job.number, job.pids.clone(), job.text.clone())).collect()
    }

    /// Restores the jobs that a parent shell lent.
    pub fn borrowed(jobs: Vec<(usize, Vec<Pid>, Text)>, outer: usize) -> Jobs {
        let list = jobs.into_iter().map(|(number, pids, text)| {
            let ended = vec![None; pids.len()];
            Job { number, pids, ended, text, quiet: true }
        });
        Jobs { list: list.collect(), outer, ..Jobs::default() }
    }

    /// Adds a job and returns its number.
    pub fn add(&mut self, pids: Vec<Pid>, text: Text) -> usize {
        let number = self.list.iter().map(|job| job.number).max().unwrap_or(0) + 1;
        let ended = vec![None; pids.len()];
        self.list.push(Job { number, pids, ended, text, quiet: false });
        number
    }

    /// Returns the number of jobs, of this shell or of the one that started it.
    pub fn count(&self) -> usize {
        if self.list.is_empty() { self.outer } else { self.list.len() }
    }

    /// Records that a child ended.
    pub fn note(&mut self, pid: Pid, status: Status) {
        for job in &mut self.list {
            if let Some(at) = job.pids.iter().position(|known| *known == pid) {
                job.ended[at] = Some(status);
                return;
            }
        }
        if self.stray.len() < MAX_ENDED {
            self.stray.push((pid, status));
        }
    }

    /// Keeps the status of a child that was waited for, because scripts may wait for it again.
    pub fn remember(&mut self, pid: Pid, status: Status) {
        self.waited.retain(|(known, _)| *known != pid);
        if self.waited.len() == MAX_ENDED {
            self.waited.remove(0);
        }
        self.waited.push((pid, status));
    }

    /// Collects ended children without waiting.
    pub fn look(&mut self) {
        if self.list.iter().all(|job| job.status().is_some()) {
            return;
        }
        while let Ok(Some((pid, status))) = sys::wait(Which::Any, true) {
            self.note(pid, status);
        }
    }

    /// Removes ended jobs; `wait` still finds their processes. As in bash, the text of `-c` loses
    /// them with its next foreground command.
    pub fn forget_ended(&mut self) {
        self.look();
        let mut at = 0;
        while let Some(job) = self.list.get(at) {
            match job.status() {
                Some(status) if !job.quiet => {
                    let job = self.list.remove(at);
                    if let Some(pid) = job.pids.last()
                        && self.stray.len() < MAX_ENDED
                    {
                        self.stray.push((*pid, status));
                    }
                }
                _ => at += 1,
            }
        }
    }

    /// Takes the status of a child that ended while another one was waited for.
    pub fn take_stray(&mut self, pid: Pid) -> Option<Status> {
        let at = self.stray.iter().position(|(known, _)| *known == pid)?;
        Some(self.stray.swap_remove(at).1)
    }

    /// Returns the status of a child that was waited for before.
    pub fn remembered(&self, pid: Pid) -> Option<Status> {
        self.waited.iter().find(|(known, _)| *known == pid).map(|(_, status)| *status)
    }

    /// Returns the index of the job that a process belongs to.
    pub fn of(&self, pid: Pid) -> Option<usize> {
        self.list.iter().position(|job| job.pids.contains(&pid))
    }

    /// Returns the index of the job that `%spec` names.
    pub fn find(&self, spec: &[u8]) -> Option<usize> {
        let name = spec.strip_prefix(b"%")?;
        let running: Vec<usize> =
            (0..self.list.len()).filter(|at| self.list[*at].status().is_none()).collect();
        let current = running.last().copied().or(self.list.len().checked_sub(1));
        match name {
            b"" | b"%" | b"+" => current,
            b"-" => running.len().checked_sub(2).map(|at| running[at]).or(current),
            _ => {
                let text = std::str::from_utf8(name).ok();
                if let Some(number) = text.and_then(|text| text.parse::<usize>().ok()) {
                    return self.list.iter().position(|job| job.number == number);
                }
                match name.strip_prefix(b"?") {
                    Some(part) => self.list.iter().position(|job| {
                        job.text.windows(part.len().max(1)).any(|piece| piece == part)
                    }),
                    None => self.list.iter().position(|job| job.text.starts_with(name)),
                }
            }
        }
    }
}
