//! Which commands a run may start, as its grants say. Asked where processes are made.

use std::sync::Mutex;

use cofferdam_broker::{Denial, Desk, PermissionError, Verdict};
use cofferdam_caps::Request;
use cofferdam_caps::process::CommandName;
use cofferdam_kernel::{Denied, Policy};

use crate::files::PROGRAMS_AT;
use crate::sandbox::lock;

/// The shell itself: it only interprets, and what it starts is asked about.
const SHELLS: [&str; 2] = ["bash", "sh"];

/// The commands that grants allow.
pub(crate) struct Allowlist {
    desk: Desk,
    denied: Mutex<Option<PermissionError>>,
}

impl Allowlist {
    pub(crate) fn new(desk: Desk) -> Self {
        Allowlist { desk, denied: Mutex::default() }
    }

    /// What was last denied.
    pub(crate) fn denied(&self) -> Option<PermissionError> {
        lock(&self.denied).clone()
    }

    fn refuse(&self, denial: &Denial) -> Denied {
        let error = denial.error();
        *lock(&self.denied) = Some(error.clone());
        Denied { message: error.to_json() }
    }
}

impl Policy for Allowlist {
    fn may_exec(&self, program: &str, _argv: &[&[u8]]) -> Result<(), Denied> {
        if SHELLS.contains(&program) {
            return Ok(());
        }
        // What the embedding program brought goes by its name; guests can put nothing there.
        let name = program.strip_prefix(PROGRAMS_AT).and_then(|rest| rest.strip_prefix('/'));
        let Ok(command) = name.unwrap_or(program).parse::<CommandName>() else {
            let message = format!("{program}: not a name that can be granted");
            return Err(Denied { message });
        };
        match self.desk.check(&Request::Process { command }) {
            Verdict::Permit(_) => Ok(()),
            Verdict::Denied(denial) => Err(self.refuse(&denial)),
            // A process that is being made cannot wait for a person.
            Verdict::Ask(question) => Err(self.refuse(&question.give_up())),
        }
    }
}
