//! Functions that the embedding program registered.

use crate::permitted::CallFunction;
use crate::shared::call_error::{CallError, name, packed, read_value};
use crate::shared::crossing::CallIo;
use crate::tool::kernel::{Kernel, Served};

pub(super) fn call(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let function = io.fields.str()?;
    let args = read_value(io.fields)?;
    let function = CallFunction::new(name(function.parse())?);
    kernel.start_with_permit(function, move |resources, permit| {
        let call = resources.functions().call(permit, args);
        Box::pin(async move {
            match call.await {
                Ok(value) => packed(&value),
                Err(failed) => Err(CallError::new(failed.name, failed.message)),
            }
        })
    })
}
