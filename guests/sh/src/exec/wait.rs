//! Waiting for children.

use cofferdam_guest_sys::{self as sys, Pid, Status, Which};

use crate::shell::{Flow, Shell};

impl Shell {
    /// Waits until a child has ended, running traps of signals that come meanwhile.
    pub fn wait_for(&mut self, pid: Pid) -> Result<Status, Flow> {
        loop {
            if let Some(status) = self.jobs.take_stray(pid) {
                return Ok(status);
            }
            match sys::wait(Which::One(pid), false) {
                Ok(Some((_, status))) => return Ok(status),
                Ok(None) => {}
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {
                    // A command in the foreground is waited for to its end; traps come after.
                }
                Err(_) => return Ok(Status::Exited(127)),
            }
        }
    }
}
