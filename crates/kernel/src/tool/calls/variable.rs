//! Variables of the sandbox.

use cofferdam_abi::Value;
use cofferdam_abi::wire::Result;
use cofferdam_caps::Request;
use cofferdam_caps::env::EnvName;

use crate::shared::call_error::{CallError, name, packed};
use crate::shared::lock::lock;
use crate::tool::kernel::{Crossing, Kernel, Reply};

fn request(variable: &str) -> std::result::Result<Vec<Request>, CallError> {
    let name: EnvName = name(variable.parse())?;
    Ok(vec![Request::Env { name }])
}

pub(super) fn get(kernel: &mut Kernel, c: &mut Crossing<'_, '_>) -> Result<Reply> {
    let variable = c.fields.string()?;
    let resources = kernel.settings.resources.clone();
    kernel.guarded(request(&variable), c.answer, move |_| {
        let text = lock(&resources.variables).get(&variable).cloned();
        packed(&text.map_or(Value::Null, Value::String))
    })
}

/// Only names that the tool may read: the others do not exist for it.
pub(super) fn list(kernel: &mut Kernel, c: &mut Crossing<'_, '_>) -> Result<Reply> {
    let names: Vec<String> = lock(&kernel.settings.resources.variables).keys().cloned().collect();
    let readable = |name: &String| request(name).is_ok_and(|wanted| kernel.is_granted(&wanted[0]));
    let names = names.into_iter().filter(readable);
    c.give(&Value::Array(names.map(Value::String).collect()));
    Ok(Reply::Done)
}
