//! Who may start what. Asked where processes are made, so nothing goes around it.

use std::pin::Pin;

/// Decides which programs may be started in a run.
pub trait Policy: Send + Sync {
    /// Whether this program may be started: the bare name of a command, or the physical path of a
    /// file. The arguments are hostile bytes.
    fn may_exec(&self, program: &str, argv: &[&[u8]]) -> Result<Exec, Denied>;
}

/// How far a program that is not refused may be started.
pub enum Exec {
    /// Now.
    Granted,
    /// When this says so: somebody is asked. Whoever starts it waits, and the run's time stands
    /// still.
    Asked(Pin<Box<dyn Future<Output = Result<(), Denied>> + Send>>),
}

/// A refusal; the process that asked gets `EACCES` and these words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    /// What its parent is told.
    pub message: String,
}

/// Lets everything be started; what it does is confined all the same.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowAll;

impl Policy for AllowAll {
    fn may_exec(&self, _program: &str, _argv: &[&[u8]]) -> Result<Exec, Denied> {
        Ok(Exec::Granted)
    }
}
