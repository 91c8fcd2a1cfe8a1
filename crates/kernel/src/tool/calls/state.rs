//! State that the embedding program publishes.

use cofferdam_abi::Value;

use crate::permitted::{ReadState, WriteState};
use crate::shared::call_error::{CallError, name, packed, read_value};
use crate::shared::crossing::{CallIo, Reply};
use crate::shared::resources::StateError;
use crate::tool::kernel::{Kernel, Served};

pub(super) fn get(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let state = ReadState::new(name(io.fields.str()?.parse())?);
    kernel.with_permit(state, io.answer, |resources, permit| {
        packed(&resources.state().content(permit).unwrap_or(Value::Undefined))
    })
}

pub(super) fn describe(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let state = ReadState::new(name(io.fields.str()?.parse())?);
    kernel.with_permit(state, io.answer, |resources, permit| {
        packed(&resources.state().metadata(permit).unwrap_or(Value::Undefined))
    })
}

pub(super) fn set(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let state = io.fields.str()?;
    let content = read_value(io.fields)?;
    let state = WriteState::new(name(state.parse())?);
    kernel.with_permit(state, io.answer, move |resources, permit| {
        match resources.state().set(permit, content) {
            Ok(()) => Ok(Vec::new()),
            Err(StateError::Full) => Err(CallError::new(
                "QuotaExceededError",
                "published state is full (10,000 entries)",
            )),
        }
    })
}

/// Lists only names that the tool may read: the others do not exist for it.
pub(super) fn list(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let names = kernel.settings.resources.state().readable(&kernel.settings.desk);
    io.give(&Value::Array(names.into_iter().map(Value::String).collect()));
    Ok(Reply::Done)
}
