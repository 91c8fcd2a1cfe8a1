//! Children that run on while the shell goes on.

use cofferdam_guest_sys::{self as sys, Pid, Status, Which};

use crate::syntax::ast::Text;

/// Ended children that nobody asked about are forgotten beyond so many.
const MAX_ENDED: usize = 1024;

/// One background job.
#[derive(Debug, Clone)]
pub struct Job {
    /// `%1`
    pub number: usize,
    /// Its processes; the last one's status is the job's.
    pub pids: Vec<Pid>,
    /// Their statuses, once they ended.
    pub ended: Vec<Option<Status>>,
    /// What was typed.
    pub text: Text,
    /// Its end was told, or `disown` was said.
    pub quiet: bool,
}

impl Job {
    /// The status of its last process, once all ended.
    pub fn status(&self) -> Option<Status> {
        if self.ended.iter().any(Option::is_none) {
            return None;
        }
        self.ended.last().copied().flatten()
    }
}

/// All children.
#[derive(Debug, Default)]
pub struct Jobs {
    /// In the order they were started.
    pub list: Vec<Job>,
    /// Children that ended while another was waited for.
    stray: Vec<(Pid, Status)>,
}

impl Jobs {
    /// Notes a new job.
    pub fn add(&mut self, pids: Vec<Pid>, text: Text) -> usize {
        let number = self.list.iter().map(|job| job.number).max().unwrap_or(0) + 1;
        let ended = vec![None; pids.len()];
        self.list.push(Job { number, pids, ended, text, quiet: false });
        number
    }

    /// Notes that a child ended.
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

    /// Looks which children ended, without waiting.
    pub fn look(&mut self) {
        if self.list.iter().all(|job| job.status().is_some()) {
            return;
        }
        while let Ok(Some((pid, status))) = sys::wait(Which::Any, true) {
            self.note(pid, status);
        }
    }

    /// What a child that was already waited for ended with.
    pub fn take_stray(&mut self, pid: Pid) -> Option<Status> {
        let at = self.stray.iter().position(|(known, _)| *known == pid)?;
        Some(self.stray.swap_remove(at).1)
    }

    /// The job that a process belongs to.
    pub fn of(&self, pid: Pid) -> Option<usize> {
        self.list.iter().position(|job| job.pids.contains(&pid))
    }

    /// The job that `%spec` names.
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
