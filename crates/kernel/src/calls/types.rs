//! TypeScript files that a tool imports.

use cofferdam_abi::wire::{Malformed, Result};

use crate::guard::Refused;
use crate::kernel::{Crossing, Kernel, Reply};

pub(super) fn strip(kernel: &mut Kernel, c: &mut Crossing<'_, '_>) -> Result<Reply> {
    let name = c.fields.string()?;
    let source = c.fields.take(c.fields.remaining())?;
    let Ok(source) = String::from_utf8(source.to_vec()) else {
        return Err(Malformed::new("source that is not UTF-8", 0));
    };
    let Some(types) = kernel.settings.types.clone() else {
        let message = "this sandbox cannot load TypeScript";
        return Ok(Reply::Refused(Refused::new("NotSupportedError", message)));
    };
    kernel.pend(Box::pin(async move {
        match types.strip(name, source).await {
            Ok(text) => Ok(text.into_bytes()),
            Err(failed) => Err(Refused::new(failed.name, failed.message)),
        }
    }))
}
