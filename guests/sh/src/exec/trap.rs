//! Execution of traps.

use cofferdam_guest_sys as sys;

use crate::shell::traps::Event;
use crate::shell::{Flow, Shell};
use crate::syntax::ast::{Command, Text};

/// Status of a DEBUG trap that, under `extdebug`, returns from the running function.
const RETURN_FROM_CALL: i32 = 2;

/// Decision of a DEBUG trap on the command that follows it.
pub(super) enum Debugged {
    /// The command runs.
    Run,
    /// The command is skipped.
    Skip,
}

impl Shell {
    /// Runs an event's command, if it has one, and restores `$?`.
    pub fn run_trap(&mut self, event: Event) -> Result<(), Flow> {
        self.run_trap_for_status(event).map(drop)
    }

    /// Runs like [`Shell::run_trap`], and returns the status of the trap's command.
    fn run_trap_for_status(&mut self, event: Event) -> Result<i32, Flow> {
        let Some(command) = self.traps.get(event) else { return Ok(0) };
        let is_blocked = match event {
            Event::Debug => self.traps.debugging,
            Event::Exit | Event::Signal(_) => false,
            Event::Err | Event::Return => self.traps.running,
        };
        if is_blocked {
            return Ok(0);
        }
        let debugging = self.traps.debugging;
        // A RETURN trap belongs to its function, whose commands have a DEBUG trap under `functrace`.
        self.traps.debugging |= match event {
            Event::Debug => true,
            Event::Return => !self.options.functrace(),
            Event::Err | Event::Exit | Event::Signal(_) => false,
        };
        let before = (self.status, self.line, self.traps.running, self.pipe_status.clone());
        // Commands of a signal's trap have DEBUG and ERR traps like any other.
        self.traps.running |= !matches!(event, Event::Signal(_));
        let line = match event {
            Event::Debug | Event::Err | Event::Return => self.line,
            Event::Exit | Event::Signal(_) => 1,
        };
        let outer = self.traps.status_before;
        if matches!(event, Event::Signal(_)) {
            self.traps.status_before = Some(self.status);
        }
        let answer = self.exec_text(&command, line, "trap");
        self.traps.status_before = outer;
        self.traps.running = before.2;
        self.traps.debugging = debugging;
        self.status = before.0;
        self.line = before.1;
        self.pipe_status = before.3;
        match answer {
            Ok(status) => Ok(status),
            // An error abandons the trap, not the command that it interrupted.
            Err(Flow::Discard(status)) => Ok(status),
            Err(Flow::Return(status)) if event == Event::Debug => Ok(status),
            Err(flow) => Err(flow),
        }
    }

    /// Keeps the text of a command for `$BASH_COMMAND`, which in traps is the command that they
    /// interrupted.
    pub(super) fn note_command(&mut self, command: &Command) {
        if !self.traps.running && self.traps.status_before.is_none() {
            self.command_text = crate::syntax::command_text(command);
        }
    }

    /// Returns true if a DEBUG trap runs before the next command.
    pub(super) fn traces_commands(&self) -> bool {
        !self.traps.debugging && self.traps.list.contains_key(&Event::Debug)
    }

    /// Runs the DEBUG trap before a command with this text. With `extdebug`, the status of the trap
    /// decides if the command runs.
    pub(super) fn run_debug_trap(&mut self, text: Text) -> Result<Debugged, Flow> {
        // Commands of other traps have a DEBUG trap, which sees the command that they interrupted.
        if !self.traps.running && self.traps.status_before.is_none() {
            self.command_text = text;
        }
        let status = self.run_trap_for_status(Event::Debug)?;
        if status == 0 || !self.options.extdebug() {
            return Ok(Debugged::Run);
        }
        if status == RETURN_FROM_CALL && !self.frames.is_empty() {
            return Err(Flow::Return(RETURN_FROM_CALL));
        }
        Ok(Debugged::Skip)
    }

    /// Runs the DEBUG trap before a part of a compound command.
    pub(super) fn debug_part(&mut self, text: impl FnOnce() -> Text) -> Result<Debugged, Flow> {
        if self.traces_commands() { self.run_debug_trap(text()) } else { Ok(Debugged::Run) }
    }

    /// Runs the traps of received signals.
    pub fn run_signal_traps(&mut self) -> Result<(), Flow> {
        let mut signals = std::mem::take(&mut self.traps.pending);
        signals.append(&mut sys::signals_take());
        for signal in signals {
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
        self.traps.status_before = Some(status);
        self.traps.is_exiting = true;
        self.traps.exiting = Some(command.clone());
        match self.exec_text(&command, 1, "exit trap") {
            Ok(_)
            | Err(Flow::Discard(_) | Flow::Abandon(_) | Flow::Break(_) | Flow::Continue(_)) => {
                status
            }
            Err(Flow::Fatal(_)) => status,
            Err(Flow::Exit(status) | Flow::Return(status)) => status,
        }
    }
}
