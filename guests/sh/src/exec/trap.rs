//! Execution of traps.

use cofferdam_guest_sys as sys;

use crate::shell::traps::Event;
use crate::shell::{Flow, Shell};

impl Shell {
    /// Runs an event's command, if it has one, and restores `$?`.
    pub fn run_trap(&mut self, event: Event) -> Result<(), Flow> {
        let Some(command) = self.traps.get(event) else { return Ok(()) };
        if self.traps.running && !matches!(event, Event::Exit | Event::Signal(_)) {
            return Ok(());
        }
        let before = (self.status, self.line, self.traps.running, self.pipe_status.clone());
        self.traps.running = true;
        let answer = self.exec_text(&command, self.line, "trap");
        self.traps.running = before.2;
        self.status = before.0;
        self.line = before.1;
        self.pipe_status = before.3;
        match answer {
            Ok(_) => Ok(()),
            // An error abandons the trap, not the command that it interrupted.
            Err(Flow::Discard(_)) => Ok(()),
            Err(flow) => Err(flow),
        }
    }

    pub(super) fn run_debug_trap(&mut self) -> Result<(), Flow> {
        if self.traps.running {
            return Ok(());
        }
        self.run_trap(Event::Debug)
    }

    pub(super) fn run_return_trap(&mut self) -> Result<(), Flow> {
        let in_function = self.frames.last().is_some_and(|frame| frame.is_function);
        if in_function && !self.options.functrace() && !self.return_trap_here() {
            return Ok(());
        }
        self.run_trap(Event::Return)
    }

    /// Returns true if the running function set the RETURN trap itself.
    fn return_trap_here(&self) -> bool {
        self.return_trap_depth == self.frames.len()
    }

    /// Runs the traps of received signals.
    pub fn run_signal_traps(&mut self) -> Result<(), Flow> {
        for signal in sys::signals_take() {
            self.run_trap(Event::Signal(signal))?;
        }
        Ok(())
    }

    /// Runs the EXIT trap, at most once. Returns the status to exit with.
    pub fn run_exit_trap(&mut self, status: i32) -> i32 {
        self.status = status;
        let Some(command) = self.traps.list.remove(&Event::Exit).filter(|c| !c.is_empty()) else {
            return status;
        };
        self.traps.running = false;
        match self.exec_text(&command, self.line, "exit trap") {
            Ok(_) | Err(Flow::Discard(_) | Flow::Break(_) | Flow::Continue(_)) => status,
            Err(Flow::Exit(status) | Flow::Return(status) | Flow::Fatal(status)) => status,
        }
    }
}
