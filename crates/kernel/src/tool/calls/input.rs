//! Standard input of a tool.

use crate::shared::crossing::Reply;
use crate::tool::kernel::{Kernel, Served};

pub(super) fn read(kernel: &mut Kernel) -> Served {
    // A tool without standard input finds it empty.
    let Some(console) = kernel.settings.console.clone() else { return Ok(Reply::Done) };
    kernel.pend(Box::pin(async move { Ok(console.input().await) }))
}
