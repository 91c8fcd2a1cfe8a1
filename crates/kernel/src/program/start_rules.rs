//! Rules on which programs a run may start: the embedder's policy and the grants, both asked.
//!
//! Starting a program takes a [`Cleared`], which only these rules make, and its name from it.

use std::sync::{Arc, Mutex};

use cofferdam_broker::{Denial, Desk, PermissionError, Permit, Verdict};
use cofferdam_caps::process::CommandName;

use crate::permitted::StartProgram;
use crate::program::errno::Errno;
use crate::program::furniture::PROGRAMS_AT;
use crate::program::policy::{Denied, Exec, Policy};
use crate::program::spawn::NotStarted;
use crate::shared::lock::lock;
use crate::shared::run_clock::RunClock;

/// Names of the shell. Starting it needs no grant: it only interprets, and each program that it
/// starts is checked.
const SHELLS: [&str; 2] = ["bash", "sh"];

/// Decides which programs the processes of one run may start. A denial by the policy or by the
/// grants wins.
pub struct StartRules {
    policy: Arc<dyn Policy>,
    grants: Option<Grants>,
}

/// Grants of the run, for a run that may start only what is granted.
struct Grants {
    desk: Desk,
    /// Permit that was given before the run began; used by the program that it names.
    first: Mutex<Option<Permit<StartProgram>>>,
    denied: Mutex<Option<PermissionError>>,
}

/// A program that may be started once: the bare name of a command, or the physical path of a file.
pub(crate) struct Cleared {
    program: String,
    /// Used up when the program is started; none for the shell and for unrestricted runs.
    _permit: Option<Permit<StartProgram>>,
}

impl Cleared {
    pub(crate) fn program(&self) -> &str {
        &self.program
    }
}

impl StartRules {
    /// Creates the rules of a run that may start everything that the policy allows.
    pub fn unrestricted(policy: Arc<dyn Policy>) -> Self {
        StartRules { policy, grants: None }
    }

    /// Creates the rules of a run that may start what is granted and the policy allows. `first`
    /// is a permit that the run was given already.
    pub fn granted(
        policy: Arc<dyn Policy>,
        desk: Desk,
        first: Option<Permit<StartProgram>>,
    ) -> Self {
        let grants = Grants { desk, first: Mutex::new(first), denied: Mutex::default() };
        StartRules { policy, grants: Some(grants) }
    }

    /// Returns the most recent denial by the grants.
    pub(crate) fn denied(&self) -> Option<PermissionError> {
        self.grants.as_ref().and_then(|grants| lock(&grants.denied).clone())
    }

    /// Asks whether a program may be started. The run's time stands still while a person decides.
    // T-PROC-010: a command outside the allowlist.
    pub(crate) async fn clear(
        &self,
        program: String,
        argv: &[Vec<u8>],
        clock: &RunClock,
    ) -> Result<Cleared, NotStarted> {
        // The policy comes first: nobody is asked, and no grant is used up, for what it denies.
        let allowed = {
            let argv: Vec<&[u8]> = argv.iter().map(Vec::as_slice).collect();
            self.policy.may_exec(&program, &argv).map_err(refused)?
        };
        match allowed {
            Exec::Granted => {}
            Exec::Asked(answer) => {
                let _question = clock.question();
                answer.await.map_err(refused)?;
            }
        }
        let permit = match &self.grants {
            Some(grants) if !SHELLS.contains(&program.as_str()) => {
                Some(grants.permit(&program, clock).await?)
            }
            Some(_) | None => None,
        };
        Ok(Cleared { program, _permit: permit })
    }
}

impl Grants {
    /// Returns a permit for a program.
    async fn permit(
        &self,
        program: &str,
        clock: &RunClock,
    ) -> Result<Permit<StartProgram>, NotStarted> {
        // Programs of the embedder go by their name; guests can put nothing into their folder.
        let name = program.strip_prefix(PROGRAMS_AT).and_then(|rest| rest.strip_prefix('/'));
        let Ok(command) = name.unwrap_or(program).parse::<CommandName>() else {
            let message = format!("{program}: not a name that can be granted");
            return Err(refused(Denied { message }));
        };
        let action = StartProgram::new(command);
        if let Some(permit) = lock(&self.first).take_if(|permit| *permit.action() == action) {
            return Ok(permit);
        }
        match self.desk.check(action) {
            Verdict::Permit(permit) => Ok(permit),
            Verdict::Denied(denial) => Err(self.note(&denial)),
            Verdict::Ask(question) => {
                let _question = clock.question();
                question.await.map_err(|denial| self.note(&denial))
            }
        }
    }

    fn note(&self, denial: &Denial) -> NotStarted {
        let error = denial.error();
        *lock(&self.denied) = Some(error.clone());
        refused(Denied { message: error.to_json() })
    }
}

fn refused(denied: Denied) -> NotStarted {
    NotStarted::new(Errno::Access, denied.message)
}
