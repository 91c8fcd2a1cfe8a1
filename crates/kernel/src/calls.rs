//! The calls, one file per area.

mod clock;
mod console;
pub(crate) mod program;
mod random;
mod timer;

use cofferdam_abi::call::Call;
use cofferdam_abi::wire::{Malformed, Reader, Result};

use crate::kernel::{Kernel, Reply};

/// Decodes a call's fields, carries it out, appends its answer.
pub(crate) fn dispatch(
    kernel: &mut Kernel,
    call: Call,
    payload: &[u8],
    answer: &mut Vec<u8>,
) -> Result<Reply> {
    let mut fields = Reader::new(payload);
    let reply = match call {
        // The cell answers it before it comes here, unless it stands where it may not.
        Call::Take => Err(Malformed::new("call inside a batch", 0)),
        Call::ConsoleWrite => console::write(kernel, &mut fields),
        Call::ClockWall => clock::wall(kernel, answer),
        Call::ClockMonotonic => clock::monotonic(kernel, answer),
        Call::RandomBytes => random::bytes(kernel, &mut fields, answer),
        Call::TimerStart => timer::start(kernel, &mut fields),
        Call::TicketCancel => timer::cancel(kernel, &mut fields),
        Call::ProcessSpawn
        | Call::ProcessWait
        | Call::ProcessKill
        | Call::ProcessMyself
        | Call::PipeNew
        | Call::DescriptorCopy
        | Call::DescriptorReplace
        | Call::SignalTake
        | Call::SignalSet
        | Call::FileStat
        | Call::FileMode
        | Call::ProcessMask
        | Call::EnvironmentKeep => Err(Malformed::new("call of a program, not of a tool", 0)),
    }?;
    fields.end()?;
    Ok(reply)
}
