//! Which commands a run may start, as its grants say. Asked where processes are made.

use std::sync::{Arc, Mutex};

use cofferdam_broker::{Denial, Desk, PermissionError, Verdict};
use cofferdam_caps::Request;
use cofferdam_caps::process::CommandName;
use cofferdam_kernel::{Denied, Exec, Policy};

use crate::files::PROGRAMS_AT;
use crate::sandbox::lock;

/// The shell itself: it only interprets, and what it starts is asked about.
const SHELLS: [&str; 2] = ["bash", "sh"];

/// The commands that grants allow.
pub(crate) struct Allowlist {
    desk: Desk,
    /// What was permitted before it was started, once.
    permitted: Mutex<Option<String>>,
    denied: Arc<Mutex<Option<PermissionError>>>,
}

impl Allowlist {
    pub(crate) fn new(desk: Desk, permitted: Option<String>) -> Self {
        Allowlist { desk, permitted: Mutex::new(permitted), denied: Arc::default() }
    }

    /// What was last denied.
    pub(crate) fn denied(&self) -> Option<PermissionError> {
        lock(&self.denied).clone()
    }
}

fn refused(denied: &Mutex<Option<PermissionError>>, denial: &Denial) -> Denied {
    let error = denial.error();
    *lock(denied) = Some(error.clone());
    Denied { message: error.to_json() }
}

impl Policy for Allowlist {
    fn may_exec(&self, program: &str, _argv: &[&[u8]]) -> Result<Exec, Denied> {
        if SHELLS.contains(&program) {
            return Ok(Exec::Granted);
        }
        // What the embedding program brought goes by its name; guests can put nothing there.
        let name = program.strip_prefix(PROGRAMS_AT).and_then(|rest| rest.strip_prefix('/'));
        let Ok(command) = name.unwrap_or(program).parse::<CommandName>() else {
            let message = format!("{program}: not a name that can be granted");
            return Err(Denied { message });
        };
        if lock(&self.permitted).take_if(|permitted| permitted == command.as_str()).is_some() {
            return Ok(Exec::Granted);
        }
        match self.desk.check(&Request::Process { command }) {
            Verdict::Permit(_) => Ok(Exec::Granted),
            Verdict::Denied(denial) => Err(refused(&self.denied, &denial)),
            Verdict::Ask(question) => {
                let denied = self.denied.clone();
                Ok(Exec::Asked(Box::pin(async move {
                    question.await.map(drop).map_err(|denial| refused(&denied, &denial))
                })))
            }
        }
    }
}
