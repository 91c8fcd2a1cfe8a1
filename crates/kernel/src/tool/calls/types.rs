//! TypeScript files that a tool imports.

use cofferdam_abi::wire::Malformed;

use crate::shared::call_error::CallError;
use crate::shared::crossing::CallIo;
use crate::tool::kernel::{Kernel, Served};

pub(super) fn strip(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let name = io.fields.string()?;
    let source = io.fields.take(io.fields.remaining())?;
    let Ok(source) = String::from_utf8(source.to_vec()) else {
        return Err(Malformed::new("source that is not UTF-8", 0).into());
    };
    let Some(types) = kernel.settings.types.clone() else {
        let message = "this sandbox cannot load TypeScript";
        return Err(CallError::new("NotSupportedError", message).into());
    };
    kernel.pend(Box::pin(async move {
        match types.strip(name, source).await {
            Ok(text) => Ok(text.into_bytes()),
            Err(failed) => Err(CallError::new(failed.name, failed.message)),
        }
    }))
}
