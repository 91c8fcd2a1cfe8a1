//! Host calls of programs beyond WASI, one file per area.
//!
//! A call that has to wait stops the crossing with [`CallFailure::Waits`] and is served again with
//! the same fields when the process is woken; its state meanwhile is in the [`Process`].
//!
//! Meets T-PROC-004.

mod descriptor;
#[cfg(feature = "net")]
mod fetch;
mod file;
mod process;
mod spawn;
mod tool;

use std::task::{Context, Poll};

use cofferdam_abi::call::ProgramCall;
use cofferdam_abi::wire::Malformed;
use cofferdam_cell::Leave;

use crate::program::errno::Errno;
use crate::program::process::Process;
use crate::program::spawn::NotStarted;
use crate::program::system::System;
use crate::shared::call_error::CallError;
use crate::shared::crossing::{Breach, CALL_BYTES, CallIo, Failure, Reply, cross};
#[cfg(not(feature = "net"))]
use crate::without::net::program_calls as fetch;

pub(crate) use spawn::Spawning;

/// Result of serving one call.
pub(crate) type Served = Result<(), CallFailure>;

/// Reason why a call of a program has no answer, or none yet.
pub(crate) enum CallFailure {
    /// The fields break the rules of the gate: the program is stopped.
    Malformed(Malformed),
    /// The program receives an errno with a message.
    Errno(NotStarted),
    /// The program receives an error.
    Refused(CallError),
    /// The call is served again when the process is woken.
    Waits,
    /// The process ends.
    Leave(Leave),
}

/// Reason why a crossing stopped in the middle.
enum Halted {
    Waits,
    Leave(Leave),
}

/// Serves the calls of one crossing, continuing where it had to wait.
pub(crate) fn poll_cross(
    process: &mut Process,
    requests: &[u8],
    answer: &mut Vec<u8>,
    cx: &mut Context<'_>,
) -> Poll<Result<(), Leave>> {
    let mut progress = process.crossing;
    let crossed = cross(requests, CALL_BYTES, answer, &mut progress, |call, mut io| {
        match serve(process, call, &mut io, cx) {
            Ok(()) => Ok(Reply::Done),
            Err(failure) => Err(failure.told(&process.system)),
        }
    });
    process.crossing = progress;
    match crossed {
        Ok(()) => Poll::Ready(Ok(())),
        Err(Halted::Waits) => Poll::Pending,
        Err(Halted::Leave(leave)) => Poll::Ready(Err(leave)),
    }
}

/// Functions that only this one calls are not inlined in a browser; see `dispatch` of WASI.
fn serve(
    process: &mut Process,
    call: ProgramCall,
    io: &mut CallIo<'_, '_>,
    cx: &mut Context<'_>,
) -> Served {
    match call {
        ProgramCall::ProcessSpawn => spawn::poll_spawn(process, io, cx),
        ProgramCall::ProcessWait => process::poll_wait(process, io),
        ProgramCall::ProcessKill => process::kill(process, io),
        ProgramCall::ProcessMyself => process::myself(process, io),
        ProgramCall::ProcessMask => process::mask(process, io),
        ProgramCall::SignalTake => process::take_signals(process, io),
        ProgramCall::SignalSet => process::set_signals(process, io),
        ProgramCall::EnvironmentKeep => process::keep_environment(process, io),
        ProgramCall::CapHit => process::cap_hit(process, io),
        ProgramCall::PipeNew => descriptor::new_pipe(process, io),
        ProgramCall::DescriptorCopy => descriptor::copy(process, io),
        ProgramCall::DescriptorReplace => descriptor::replace(process, io),
        ProgramCall::FileStat => file::stat(process, io),
        ProgramCall::FileMode => file::set_mode(process, io),
        ProgramCall::FifoMake => file::make_fifo(process, io),
        ProgramCall::SpaceLook => file::space(process, io),
        ProgramCall::FetchStart => fetch::poll_start(process, io, cx),
        ProgramCall::FetchRead => fetch::poll_read(process, io, cx),
        ProgramCall::FetchStop => fetch::stop(process, io),
        ProgramCall::ToolStart => tool::start(process, io),
        ProgramCall::ToolRead => tool::poll_read(process, io, cx),
        ProgramCall::ToolFeed => tool::feed(process, io),
    }
}

/// Returns the value of a future that is ready; otherwise the call waits.
fn ready<T>(poll: Poll<T>) -> Result<T, CallFailure> {
    match poll {
        Poll::Ready(value) => Ok(value),
        Poll::Pending => Err(CallFailure::Waits),
    }
}

/// Skips the fields of a call that was decoded when it was first served.
fn skip_fields(io: &mut CallIo<'_, '_>) -> Result<(), Malformed> {
    io.fields.take(io.fields.remaining()).map(drop)
}

impl CallFailure {
    /// Converts the failure into what the crossing answers with; notes limits that were hit.
    fn told(self, system: &System) -> Failure<Halted> {
        match self {
            CallFailure::Malformed(malformed) => Failure::Malformed(malformed),
            CallFailure::Errno(NotStarted { errno, message }) => {
                system.note(errno);
                Failure::Refused(CallError::new(errno.name(), message))
            }
            CallFailure::Refused(error) => Failure::Refused(error),
            CallFailure::Waits => Failure::Stopped(Halted::Waits),
            CallFailure::Leave(leave) => Failure::Stopped(Halted::Leave(leave)),
        }
    }
}

impl From<Malformed> for CallFailure {
    fn from(malformed: Malformed) -> Self {
        CallFailure::Malformed(malformed)
    }
}

impl From<Errno> for CallFailure {
    fn from(errno: Errno) -> Self {
        CallFailure::Errno(NotStarted::new(errno, errno.to_string()))
    }
}

impl From<NotStarted> for CallFailure {
    fn from(not_started: NotStarted) -> Self {
        CallFailure::Errno(not_started)
    }
}

impl From<CallError> for CallFailure {
    fn from(error: CallError) -> Self {
        CallFailure::Refused(error)
    }
}

impl From<Breach> for Halted {
    fn from(breach: Breach) -> Self {
        Halted::Leave(Leave::Breach(breach.0))
    }
}
