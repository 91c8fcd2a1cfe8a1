//! Waiting for foreground children.

use cofferdam_guest_sys::{self as sys, Pid, Status, Which};

use crate::shell::{Flow, Shell};

impl Shell {
    /// Waits until a child has ended. Signals do not end the wait; their traps run afterwards.
    pub fn wait_for(&mut self, pid: Pid) -> Result<Status, Flow> {
        loop {
            if let Some(status) = self.jobs.take_stray(pid) {
                return Ok(status);
            }
            match sys::wait(Which::One(pid), false) {
                Ok(Some((_, status))) => {
                    if self.command_string.is_some() && !self.jobs.list.is_empty() {
                        self.jobs.forget_ended();
                    }
                    return Ok(status);
                }
                Ok(None) => {}
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {
                    // Foreground commands run to their end before traps do. Taking the signals
                    // lets the next wait block.
                    self.traps.pending.append(&mut sys::signals_take());
                }
                Err(_) => return Ok(Status::Exited(127)),
            }
        }
    }
}
