//! Standard input of a tool that a program started.

use cofferdam_abi::wire::Result;

use crate::shared::call_error::CallError;
use crate::tool::kernel::{Kernel, Reply};

pub(super) fn read(kernel: &mut Kernel) -> Result<Reply> {
    let Some(console) = kernel.settings.console.clone() else {
        let message = "this tool was not started by a program, and has no standard input";
        return Ok(Reply::Refused(CallError::new("NotSupportedError", message)));
    };
    kernel.pend(Box::pin(async move { Ok(console.input().await) }))
}
