//! Standard input of a tool.

use cofferdam_abi::wire::Result;

use crate::kernel::{Kernel, Reply};

pub(super) fn read(kernel: &mut Kernel) -> Result<Reply> {
    // A tool without standard input finds it empty.
    let Some(console) = kernel.settings.console.clone() else { return Ok(Reply::Done) };
    kernel.pend(Box::pin(async move { Ok(console.input().await) }))
}
