//! The embedder's policy on starting programs. Asked wherever a process is made.

use std::pin::Pin;

/// Decides which programs may be started in a run. Grants are asked as well, and a denial by either
/// wins.
pub trait Policy: Send + Sync {
    /// Decides on a program: the bare name of a command, or the physical path of a file. The
    /// arguments are hostile bytes.
    fn may_exec(&self, program: &str, argv: &[&[u8]]) -> Result<Exec, Denied>;
}

/// Decision on a program that is not denied.
pub enum Exec {
    /// The program may be started.
    Granted,
    /// A person is asked; the future resolves to the decision. The process that starts the program
    /// waits, and the run's time stands still.
    Asked(Pin<Box<dyn Future<Output = Result<(), Denied>> + Send>>),
}

/// A denial. The process that wanted to start the program receives `EACCES` and the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    /// Message for the parent process.
    pub message: String,
}

/// Allows every program to start. What programs do is confined all the same.
#[derive(Debug, Clone, Copy, Default)]
pub struct AllowAll;

impl Policy for AllowAll {
    fn may_exec(&self, _program: &str, _argv: &[&[u8]]) -> Result<Exec, Denied> {
        Ok(Exec::Granted)
    }
}
