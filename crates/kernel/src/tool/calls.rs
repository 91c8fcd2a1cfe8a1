//! Host calls of tools, one file per area.

mod clock;
mod code;
mod command;
mod console;
#[cfg(feature = "dom")]
pub(crate) mod dom;
#[cfg(feature = "net")]
mod fetch;
mod file;
mod function;
mod input;
mod place;
mod random;
mod state;
mod storage;
mod timer;
mod types;
mod variable;

use cofferdam_abi::call::ToolCall;

use crate::shared::crossing::CallIo;
use crate::tool::kernel::{Kernel, Served};
#[cfg(not(feature = "dom"))]
pub(crate) use crate::without::dom::tool_calls as dom;
#[cfg(not(feature = "net"))]
use crate::without::net::tool_calls as fetch;

/// Serves one call: decodes its fields, carries it out, appends its answer.
pub(crate) fn serve(kernel: &mut Kernel, call: ToolCall, io: &mut CallIo<'_, '_>) -> Served {
    match call {
        ToolCall::ConsoleWrite => console::write(kernel, io.fields),
        ToolCall::ClockWall => clock::wall(kernel, io.answer),
        ToolCall::ClockMonotonic => clock::monotonic(kernel, io.answer),
        ToolCall::RandomBytes => random::bytes(kernel, io.fields, io.answer),
        ToolCall::TimerStart => timer::start(kernel, io.fields),
        ToolCall::TicketCancel => timer::cancel(kernel, io.fields),
        ToolCall::StorageGet => storage::get(kernel, io),
        ToolCall::StorageSet => storage::set(kernel, io),
        ToolCall::StorageRemove => storage::remove(kernel, io),
        ToolCall::StorageKeys => storage::keys(kernel, io),
        ToolCall::StorageClear => storage::clear(kernel, io),
        ToolCall::FileRead => file::read(kernel, io),
        ToolCall::FileWrite => file::write(kernel, io),
        ToolCall::FileList => file::list(kernel, io),
        ToolCall::FileLook => file::look(kernel, io),
        ToolCall::FolderMake => file::make_folder(kernel, io),
        ToolCall::FileRemove => file::remove(kernel, io),
        ToolCall::FileRename => file::rename(kernel, io),
        ToolCall::FileMode => file::set_mode(kernel, io),
        ToolCall::ModuleRead => file::read_module(kernel, io),
        ToolCall::StateGet => state::get(kernel, io),
        ToolCall::StateSet => state::set(kernel, io),
        ToolCall::StateDescribe => state::describe(kernel, io),
        ToolCall::StateList => state::list(kernel, io),
        ToolCall::VariableGet => variable::get(kernel, io),
        ToolCall::VariableList => variable::list(kernel, io),
        ToolCall::FunctionCall => function::call(kernel, io),
        ToolCall::FetchStart => fetch::start(kernel, io),
        ToolCall::FetchRead => fetch::read(kernel, io),
        ToolCall::FetchStop => fetch::stop(kernel, io),
        ToolCall::FetchBody => fetch::body(kernel, io),
        ToolCall::FetchSend => fetch::send(kernel, io),
        ToolCall::FetchDrop => fetch::drop(kernel, io),
        ToolCall::DomCall => dom::call(kernel, io),
        ToolCall::CommandRun => command::run(kernel, io),
        ToolCall::CommandStart => command::start(kernel, io),
        ToolCall::CommandNext => command::next(kernel, io),
        ToolCall::CommandFeed => command::feed(kernel, io),
        ToolCall::CommandStop => command::stop(kernel, io),
        ToolCall::InputRead => input::read(kernel),
        ToolCall::PlaceTell => place::tell(kernel, io),
        ToolCall::CodeKeep => code::keep(kernel, io.fields),
        ToolCall::TypesStrip => types::strip(kernel, io),
    }
}
