//! Limits the commands of a run to those that its grants name. The kernel consults this policy
//! wherever it makes a process.

use std::sync::{Arc, Mutex};

use cofferdam_broker::{Denial, Desk, PermissionError, Verdict};
use cofferdam_caps::Request;
use cofferdam_caps::process::CommandName;
use cofferdam_kernel::{Denied, Exec, Policy};

use crate::files::PROGRAMS_AT;
use crate::sandbox::lock;

/// Names of the shell. Starting it needs no grant: it only interprets, and each command that it
/// starts is checked.
const SHELLS: [&str; 2] = ["bash", "sh"];

/// A [`Policy`] that allows the commands that grants name.
pub(crate) struct Allowlist {
    desk: Desk,
    /// Command that was permitted before the run began; allowed once without another check.
    permitted: Mutex<Option<String>>,
    denied: Arc<Mutex<Option<PermissionError>>>,
}

impl Allowlist {
    pub(crate) fn new(desk: Desk, permitted: Option<String>) -> Self {
        Allowlist { desk, permitted: Mutex::new(permitted), denied: Arc::default() }
    }

    /// Returns the most recent denial.
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
        // A program of the embedder is granted by its name alone. That is safe because guests
        // cannot write to its folder.
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
