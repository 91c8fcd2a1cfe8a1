//! Starts runs, in fresh sandboxes, kept ones and sessions.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use cofferdam::{Client, ErrorKind, Outcome, Run, RunSettings, Sandbox, Tool};

use crate::exec::{self, BadParams, Exec, Plan, Runnable, SandboxRef};
use crate::lock;
use crate::native;

/// Most sessions at once; each holds the memory of a cell.
const MAX_SESSIONS: usize = 64;

/// The sandboxes of a front: kept ones by their ids, and the means to build one.
pub trait Sandboxes {
    /// Returns a kept sandbox.
    fn get(&self, id: &str) -> Result<Sandbox, BadParams>;

    /// Builds a sandbox for one run or session.
    fn build(&self, plan: Plan) -> Result<Sandbox, cofferdam::Error>;

    /// Returns the network client of native programs; `None` for the shared one.
    fn client(&self) -> Option<&Client> {
        None
    }
}

/// The party that a session belongs to, the kept sandbox it is in, and its name.
type SessionKey = (Arc<str>, Option<String>, String);

/// Starts runs and keeps the sandboxes of sessions.
#[derive(Default)]
pub struct Runner {
    sessions: Mutex<HashMap<SessionKey, Sandbox>>,
}

/// A run that was started, and its sandbox.
pub struct Started {
    /// The run, to be polled.
    pub run: Run,
    /// The sandbox of the run.
    pub sandbox: Sandbox,
    /// True if the answer includes the page of the sandbox.
    pub has_page: bool,
}

/// Reason why a run was not started.
pub enum NotStarted {
    /// A parameter is wrong.
    Params(String),
    /// The front is full; a later attempt may succeed.
    Busy(String),
    /// The sandbox could not do its work.
    Internal(String),
    /// The run ended before it began: filling its sandbox reached a limit.
    Outcome(Box<Outcome>),
}

impl From<BadParams> for NotStarted {
    fn from(bad: BadParams) -> Self {
        NotStarted::Params(bad.0)
    }
}

impl From<cofferdam::Error> for NotStarted {
    fn from(error: cofferdam::Error) -> Self {
        if let Some(outcome) = error.to_outcome() {
            return NotStarted::Outcome(Box::new(outcome));
        }
        let text = error.to_string();
        match fault(error.kind()) {
            Fault::Busy => NotStarted::Busy(text),
            Fault::Caller => NotStarted::Params(text),
            Fault::Host => NotStarted::Internal(text),
        }
    }
}

/// The party whose fault an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nobody's: the pool or the sandbox is busy.
    Busy,
    /// The caller's.
    Caller,
    /// This program's or the machine's.
    Host,
}

/// Returns the party whose fault an error is.
pub fn fault(kind: ErrorKind) -> Fault {
    match kind {
        ErrorKind::PoolFull | ErrorKind::SandboxBusy => Fault::Busy,
        ErrorKind::BadOption
        | ErrorKind::NotFound
        | ErrorKind::File
        | ErrorKind::Mount
        | ErrorKind::Archive
        | ErrorKind::Limit
        | ErrorKind::Destroyed => Fault::Caller,
        _ => Fault::Host,
    }
}

impl Runner {
    /// Starts a run for `owner`. Sessions of different owners never meet.
    pub fn start(
        &self,
        owner: &Arc<str>,
        exec: Exec,
        mut settings: RunSettings,
        sandboxes: &dyn Sandboxes,
    ) -> Result<Started, NotStarted> {
        let (sandbox, kept) = match exec.sandbox {
            SandboxRef::Kept(name) => {
                let sandbox = sandboxes.get(&name)?;
                if !exec.limits.is_empty() {
                    settings = settings.limits(exec::limits(sandbox.limits(), &exec.limits)?);
                }
                (Source::Made(sandbox), Some(name))
            }
            SandboxRef::Fresh(plan) => (Source::Planned(plan), None),
        };
        let (run, sandbox) = match (exec.session, exec.runnable) {
            (None, Runnable::Tool(tool)) => {
                let sandbox = sandbox.made(sandboxes)?;
                (sandbox.start_with(tool, settings)?, sandbox)
            }
            (None, Runnable::Program(command)) => {
                let sandbox = sandbox.made(sandboxes)?;
                (sandbox.start_program_with(command, settings)?, sandbox)
            }
            (Some(name), Runnable::Tool(tool)) => {
                let key = (owner.clone(), kept, name);
                self.in_session(key, sandbox, (tool, settings), sandboxes)?
            }
            (None, Runnable::Native(words)) => {
                let sandbox = sandbox.made(sandboxes)?;
                (native::start((&sandbox, sandboxes.client()), words, settings)?, sandbox)
            }
            (Some(_), Runnable::Program(_) | Runnable::Native(_)) => {
                let text = "session: only for kinds \"js\" and \"ts\"".into();
                return Err(NotStarted::Params(text));
            }
        };
        Ok(Started { run, sandbox, has_page: exec.has_page })
    }

    /// Starts a tool in a session. The first run of a session makes its sandbox.
    ///
    /// Not inlined: a browser compiles a function whole when it is first called.
    #[inline(never)]
    fn in_session(
        &self,
        key: SessionKey,
        sandbox: Source,
        (tool, settings): (Tool, RunSettings),
        sandboxes: &dyn Sandboxes,
    ) -> Result<(Run, Sandbox), NotStarted> {
        let mut sessions = lock(&self.sessions);
        // Sessions end with their sandbox.
        sessions.retain(|_, sandbox| sandbox.is_running().is_ok());
        let sandbox = match sessions.get(&key) {
            Some(sandbox) => sandbox.clone(),
            None if sessions.len() >= MAX_SESSIONS => {
                let text = format!("{MAX_SESSIONS} sessions are open already; close one first");
                return Err(NotStarted::Busy(text));
            }
            None => sandbox.made(sandboxes)?,
        };
        let run = sandbox.session(&key.2)?.start_with(tool, settings)?;
        sessions.insert(key, sandbox.clone());
        Ok((run, sandbox))
    }

    /// Closes a session. Returns false if there is no such session.
    pub fn close_session(&self, owner: &Arc<str>, kept: Option<String>, name: &str) -> bool {
        let is_kept = kept.is_some();
        let found = lock(&self.sessions).remove(&(owner.clone(), kept, name.to_owned()));
        match &found {
            Some(sandbox) if is_kept => {
                sandbox.close_session(name);
            }
            // A sandbox that is destroyed already needs nothing.
            Some(sandbox) => drop(sandbox.destroy()),
            None => {}
        }
        found.is_some()
    }
}

/// The sandbox of a run before it starts.
enum Source {
    Made(Sandbox),
    Planned(Box<Plan>),
}

impl Source {
    fn made(self, sandboxes: &dyn Sandboxes) -> Result<Sandbox, cofferdam::Error> {
        match self {
            Source::Made(sandbox) => Ok(sandbox),
            Source::Planned(plan) => sandboxes.build(*plan),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_of_ours_is_not_the_callers() {
        let kinds = [
            (ErrorKind::PoolFull, Fault::Busy),
            (ErrorKind::SandboxBusy, Fault::Busy),
            (ErrorKind::BadOption, Fault::Caller),
            (ErrorKind::NotFound, Fault::Caller),
            (ErrorKind::File, Fault::Caller),
            (ErrorKind::Archive, Fault::Caller),
            (ErrorKind::Limit, Fault::Caller),
            (ErrorKind::Destroyed, Fault::Caller),
            (ErrorKind::Engine, Fault::Host),
        ];
        for (kind, party) in kinds {
            assert_eq!(fault(kind), party);
        }
    }
}
