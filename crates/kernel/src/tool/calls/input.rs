//! Standard input of a tool that a program started.

use crate::shared::call_error::CallError;
use crate::tool::kernel::{Kernel, Served};

pub(super) fn read(kernel: &mut Kernel) -> Served {
    let Some(console) = kernel.settings.console.clone() else {
        let message = "this tool was not started by a program, and has no standard input";
        return Err(CallError::new("NotSupportedError", message).into());
    };
    kernel.pend(Box::pin(async move { Ok(console.input().await) }))
}
