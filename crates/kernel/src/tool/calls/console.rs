//! Output of a tool.

use std::future::poll_fn;
use std::task::{Context, Waker};

use cofferdam_abi::wire::Reader;

use crate::shared::call_error::{CallError, nothing};
use crate::shared::crossing::Reply;
use crate::shared::output::Stream;
use crate::tool::kernel::{Kernel, Served};

pub(super) fn write(kernel: &mut Kernel, fields: &mut Reader<'_>) -> Served {
    let stream = match fields.u8()? {
        1 => Stream::Out,
        2 => Stream::Err,
        _ => return Err(fields.malformed("unknown stream").into()),
    };
    let text = fields.take(fields.remaining())?;
    // T-CELL-029: the guest ends the tool as a closed pipe does.
    if kernel.settings.watcher.as_ref().is_some_and(|watcher| !watcher.is_read(stream)) {
        return Err(CallError::new("Error", "nobody reads the output").into());
    }
    kernel.print(stream, text);
    // T-CELL-015: a tool that prints faster than its reader reads waits at this call.
    let watcher = kernel.settings.watcher.as_ref().filter(|watcher| watcher.passes_on(stream));
    let Some(watcher) = watcher.cloned() else { return Ok(Reply::Done) };
    if watcher.poll_room(stream, &mut Context::from_waker(Waker::noop())).is_ready() {
        return Ok(Reply::Done);
    }
    kernel.pend(Box::pin(async move {
        poll_fn(|cx| watcher.poll_room(stream, cx)).await;
        nothing()
    }))
}
