//! Functions that the embedding program registered.

use cofferdam_abi::wire::Result;
use cofferdam_caps::Request;
use cofferdam_caps::function::FunctionName;

use crate::shared::call_error::{CallError, name, packed, read_value};
use crate::tool::kernel::{Crossing, Kernel, Reply};

pub(super) fn call(kernel: &mut Kernel, c: &mut Crossing<'_, '_>) -> Result<Reply> {
    let function = c.fields.string()?;
    let args = read_value(c.fields)?;
    let parsed: std::result::Result<FunctionName, _> = name(function.parse());
    let request = parsed.map(|name| Request::Function { name });
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
