//! Variables of the sandbox.

use cofferdam_abi::Value;
use cofferdam_caps::Request;
use cofferdam_caps::env::EnvName;

use crate::shared::call_error::{CallError, name, packed};
use crate::shared::crossing::{CallIo, Reply};
use crate::shared::lock::lock;
use crate::tool::kernel::{Kernel, Served};

fn request(variable: &str) -> Result<Vec<Request>, CallError> {
    let name: EnvName = name(variable.parse())?;
    Ok(vec![Request::Env { name }])
}

pub(super) fn get(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let variable = io.fields.string()?;
    let resources = kernel.settings.resources.clone();
    kernel.guarded(request(&variable)?, io.answer, move |_| {
        let text = lock(&resources.variables).get(&variable).cloned();
        packed(&text.map_or(Value::Null, Value::String))
    })
}

/// Only names that the tool may read: the others do not exist for it.
pub(super) fn list(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let names: Vec<String> = lock(&kernel.settings.resources.variables).keys().cloned().collect();
    let readable = |name: &String| request(name).is_ok_and(|wanted| kernel.is_granted(&wanted[0]));
    let names = names.into_iter().filter(readable);
    io.give(&Value::Array(names.map(Value::String).collect()));
    Ok(Reply::Done)
}
