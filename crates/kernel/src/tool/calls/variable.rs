//! Variables of the sandbox.

use cofferdam_abi::Value;

use crate::permitted::ReadVariable;
use crate::shared::call_error::{name, packed};
use crate::shared::crossing::{CallIo, Reply};
use crate::tool::kernel::{Kernel, Served};

pub(super) fn get(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let name = name(io.fields.str()?.parse())?;
    if !kernel.settings.resources.variables().is_set(&name) {
        // Packages look for variables that change their behaviour, and nothing would be read.
        io.give(&Value::Null);
        return Ok(Reply::Done);
    }
    kernel.with_permit(ReadVariable::new(name), io.answer, |resources, permit| {
        packed(&resources.variables().get(permit).map_or(Value::Null, Value::String))
    })
}

/// Lists only names that the tool may read: the others do not exist for it.
pub(super) fn list(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let names = kernel.settings.resources.variables().readable(&kernel.settings.desk);
    io.give(&Value::Array(names.into_iter().map(Value::String).collect()));
    Ok(Reply::Done)
}
