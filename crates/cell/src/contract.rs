//! The contract between guests and their host, which every engine keeps: the traits that handle
//! the calls of a guest, and the ways a program ends.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Instant;

use crate::GuestMemory;
use crate::stop::Stop;
use crate::wasi::Import;

/// `pace() -> i32`: returns nonzero if the guest should call [`rest`](IMPORT_REST). Called often,
/// so it only compares two numbers.
#[cfg(any(not(target_family = "wasm"), feature = "pacing"))]
pub(crate) const IMPORT_PACE: &str = "pace";

/// `rest()`: hands control to the host, which yields the thread, asks the guest to stop, or stops
/// it.
#[cfg(any(not(target_family = "wasm"), feature = "pacing"))]
pub(crate) const IMPORT_REST: &str = "rest";

/// `grow(pages) -> i32`: grows the memory of a guest in a browser, as `memory.grow` does.
#[cfg(any(feature = "imaging", feature = "pacing"))]
pub(crate) const IMPORT_GROW: &str = "grow";

/// Name of an exported mutable global of a guest in a browser, before its number.
#[cfg(any(feature = "imaging", feature = "pacing"))]
pub(crate) const EXPORT_GLOBAL: &str = "cofferdam_global_";

/// Handles the calls of a cell.
pub trait Host: Send + 'static {
    /// Handles one crossing: `requests` holds one or more frames, and the same number is appended to
    /// `answer`. A protocol violation is a [`Stop::Breach`] that names the call and the field.
    fn cross(&mut self, requests: &[u8], answer: &mut Vec<u8>) -> Result<(), Stop>;

    /// Waits for the answer to a pending call, appends its frame to `answer` and returns the
    /// deadline of the run, which may have moved; or returns the reason to stop the run. The default
    /// is for hosts without pending calls.
    fn wait<'a>(
        &'a mut self,
        ticket: u32,
        answer: &'a mut Vec<u8>,
    ) -> Pin<Box<dyn Future<Output = Result<Instant, Stop>> + Send + 'a>> {
        let _ = answer;
        Box::pin(async move { Err(Stop::Breach(format!("wait for {ticket}: nothing is pending"))) })
    }
}

/// Handles the imports of a program.
///
/// `Pending` suspends the program. The call is repeated with the same arguments after the waker of
/// the context has been woken.
pub trait Program: Send + 'static {
    /// Handles a function of WASI preview 1 and returns its errno. `args` has one value per
    /// parameter of the function.
    fn poll_import(
        &mut self,
        import: Import,
        args: &[u64],
        memory: GuestMemory<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<u32, Leave>>;

    /// Handles one crossing of the gate: appends as many frames to `answer` as `request` holds.
    /// Frames appended before `Pending` are still present when the call is repeated.
    fn poll_cross(
        &mut self,
        request: &[u8],
        answer: &mut Vec<u8>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<(), Leave>>;
}

/// A way to leave a program in the middle of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Leave {
    /// The program exits with this code.
    Exit(u32),
    /// The program is killed by this signal.
    Signal(u8),
    /// The program violated the protocol of the gate; the text gives the details.
    Breach(String),
}

/// The end of a program that was not stopped from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finish {
    /// The program exited with this code.
    Exited(u32),
    /// The program was killed by this signal, which it sent itself.
    Signalled(u8),
    /// The program trapped.
    Trapped(TrapKind),
}

/// Category of a trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrapKind {
    /// The program aborted or panicked.
    Abort,
    /// The program accessed memory or a function out of bounds.
    Memory,
    /// The program divided by zero, or converted a number that does not fit.
    Arithmetic,
    /// The program exhausted its call stack.
    Stack,
    /// The program was refused memory and could not continue.
    OutOfMemory,
}

impl TrapKind {
    /// Returns a description for a person.
    pub fn text(self) -> &'static str {
        match self {
            TrapKind::Abort => "aborted",
            TrapKind::Memory => "memory access out of bounds",
            TrapKind::Arithmetic => "arithmetic error",
            TrapKind::Stack => "call stack exhausted",
            TrapKind::OutOfMemory => "memory limit reached",
        }
    }
}
