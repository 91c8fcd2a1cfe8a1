//! `coproc`: a child with a pipe in each direction.

use std::rc::Rc;

use cofferdam_guest_sys::Pid;

use crate::shell::{Exec, Flow, Shell};
use crate::syntax::ast::{Command, Text};

/// Script numbers that bash gives the read end and the write end; if taken, the next lower one.
const READ_AT: u32 = 63;
const WRITE_AT: u32 = 60;

/// A coprocess that has not been waited for.
#[derive(Debug, Clone)]
pub struct Coproc {
    name: Text,
    pid: Pid,
    /// Script numbers of the shell's read end and write end.
    ends: [u32; 2],
}

impl Shell {
    pub(super) fn exec_coproc(&mut self, name: &[u8], command: &Rc<Command>) -> Exec {
        self.check_writable(name)?;
        if let Some(Coproc { pid, name, .. }) = self.running_coproc() {
            let name = String::from_utf8_lossy(&name).into_owned();
            self.warn(&format!("warning: execute_coproc: coproc [{pid}:{name}] still exists"));
        }
        let (theirs, write) = self.new_pipe()?;
        let (read, out) = self.new_pipe()?;
        let saved = self.fds.clone();
        self.fds.set(0, theirs);
        self.fds.set(1, out);
        let pid = self.spawn_stage(command);
        self.fds = saved;
        let pid = match pid? {
            Ok(pid) => pid,
            Err(status) => return Ok(status),
        };
        let free = |shell: &Shell, from: u32| {
            (0..=from).rev().find(|number| shell.fds.get(*number).is_none()).unwrap_or(from)
        };
        let read_at = free(self, READ_AT);
        self.fds.set_private(read_at, read);
        let write_at = free(self, WRITE_AT);
        self.fds.set_private(write_at, write);
        let ends = [read_at, write_at];
        let numbers = ends.map(|number| number.to_string().into_bytes());
        self.set_array(name, numbers.to_vec())?;
        self.set(&pid_name(name), pid.to_string().into_bytes())?;
        self.last_background = Some(pid);
        let text = [b"coproc ", name, b" ", &crate::syntax::command_text(command)].concat();
        let number = self.jobs.add(vec![pid], text);
        if self.interactive {
            self.print_error(format!("[{number}] {pid}\n").as_bytes());
        }
        self.coprocs.push(Coproc { name: name.to_vec(), pid, ends });
        Ok(0)
    }

    fn running_coproc(&mut self) -> Option<Coproc> {
        self.jobs.look();
        let runs = |pid| self.jobs.of(pid).is_some_and(|at| self.jobs.list[at].status().is_none());
        self.coprocs.iter().find(|coproc| runs(coproc.pid)).cloned()
    }

    /// Removes coprocesses that have ended: closes their ends and unsets their variables.
    pub fn forget_coprocs(&mut self) -> Result<(), Flow> {
        let is_gone = |shell: &Shell, pid| {
            shell.jobs.of(pid).is_none_or(|at| shell.jobs.list[at].status().is_some())
        };
        let coprocs = std::mem::take(&mut self.coprocs);
        for coproc in coprocs {
            if !is_gone(self, coproc.pid) {
                self.coprocs.push(coproc);
                continue;
            }
            for number in coproc.ends {
                if self.fds.is_private(number) {
                    self.fds.remove(number);
                }
            }
            self.unset(&coproc.name)?;
            self.unset(&pid_name(&coproc.name))?;
        }
        Ok(())
    }

    /// Sets an end to -1 in the coprocess's variable after a script closed it.
    pub(super) fn coproc_end_closed(&mut self, number: u32) -> Result<(), Flow> {
        let Some(coproc) = self.coprocs.iter().find(|coproc| coproc.ends.contains(&number)) else {
            return Ok(());
        };
        let index: &[u8] = if coproc.ends[0] == number { b"0" } else { b"1" };
        let name = coproc.name.clone();
        self.assign(&name, Some(index), b"-1".to_vec(), false)
    }
}

fn pid_name(name: &[u8]) -> Text {
    [name, b"_PID"].concat()
}
