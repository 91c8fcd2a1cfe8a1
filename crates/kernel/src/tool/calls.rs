//! The calls, one file per area.

mod clock;
mod code;
mod command;
mod console;
mod dom;
mod fetch;
mod file;
mod function;
mod input;
mod random;
mod state;
mod storage;
mod timer;
mod variable;

use cofferdam_abi::call::Call;
use cofferdam_abi::frame::Request;
use cofferdam_abi::wire::{Malformed, Reader, Result};

use crate::tool::kernel::{Crossing, Kernel, Reply};

/// Decodes a call's fields, carries it out, appends its answer.
pub(crate) fn dispatch(
    kernel: &mut Kernel,
    request: &Request<'_>,
    answer: &mut Vec<u8>,
) -> Result<Reply> {
    let mut fields = Reader::new(request.payload);
    let c = &mut Crossing { fields: &mut fields, answer };
    let reply = match request.call {
        // The cell answers it before it comes here, unless it stands where it may not.
        Call::Take => Err(Malformed::new("call inside a batch", 0)),
        Call::ConsoleWrite => console::write(kernel, c.fields),
        Call::ClockWall => clock::wall(kernel, c.answer),
        Call::ClockMonotonic => clock::monotonic(kernel, c.answer),
        Call::RandomBytes => random::bytes(kernel, c.fields, c.answer),
        Call::TimerStart => timer::start(kernel, c.fields),
        Call::TicketCancel => timer::cancel(kernel, c.fields),
        Call::StorageGet => storage::get(kernel, c),
        Call::StorageSet => storage::set(kernel, c),
        Call::StorageRemove => storage::remove(kernel, c),
        Call::StorageKeys => storage::keys(kernel, c),
        Call::StorageClear => storage::clear(kernel, c),
        Call::FileRead => file::read(kernel, c),
        Call::FileWrite => file::write(kernel, c),
        Call::FileList => file::list(kernel, c),
        Call::FileLook => file::look(kernel, c),
        Call::FolderMake => file::make_folder(kernel, c),
        Call::FileRemove => file::remove(kernel, c),
        Call::FileRename => file::rename(kernel, c),
        Call::StateGet => state::get(kernel, c),
        Call::StateSet => state::set(kernel, c),
        Call::StateDescribe => state::describe(kernel, c),
        Call::StateList => state::list(kernel, c),
        Call::VariableGet => variable::get(kernel, c),
        Call::VariableList => variable::list(kernel, c),
        Call::FunctionCall => function::call(kernel, c),
        Call::FetchStart => fetch::start(kernel, c),
        Call::FetchRead => fetch::read(kernel, c),
        Call::FetchStop => fetch::stop(kernel, c),
        Call::FetchBody => fetch::body(kernel, c),
        Call::FetchSend => fetch::send(kernel, c),
        Call::FetchDrop => fetch::drop(kernel, c),
        Call::DomCall => dom::call(kernel, c),
        Call::CommandRun => command::run(kernel, c),
        Call::InputRead => input::read(kernel),
        Call::CodeKeep => code::keep(kernel, c.fields),
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
        | Call::FifoMake
        | Call::ProcessMask
        | Call::EnvironmentKeep
        | Call::CapHit
        | Call::ToolStart
        | Call::ToolRead
        | Call::ToolFeed
        | Call::SpaceLook => Err(Malformed::new("call of a program, not of a tool", 0)),
    }?;
    fields.end()?;
    Ok(reply)
}
