//! Functions that the embedding program registered.

use cofferdam_caps::Request;
use cofferdam_caps::function::FunctionName;

use crate::shared::call_error::{CallError, name, packed, read_value};
use crate::shared::crossing::CallIo;
use crate::tool::kernel::{Kernel, Served};

pub(super) fn call(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let function = io.fields.string()?;
    let args = read_value(io.fields)?;
    let parsed: FunctionName = name(function.parse())?;
    let request = Request::Function { name: parsed };
    let resources = kernel.settings.resources.clone();
    kernel.guarded_work(request, move |_| {
        Box::pin(async move {
            let Some(found) = resources.functions.get(&function) else {
                let message = format!("no function is registered as '{function}'");
                return Err(CallError::new("ReferenceError", message));
            };
            match found.call(args).await {
                Ok(value) => packed(&value),
                Err(failed) => Err(CallError::new(failed.name, failed.message)),
            }
        })
    })
}
