//! What the embedding program publishes.

use cofferdam_abi::Value;
use cofferdam_caps::state::StateName;
use cofferdam_caps::{Access, Request};

use crate::shared::call_error::{CallError, name, nothing, packed, read_value};
use crate::shared::crossing::{CallIo, Reply};
use crate::shared::resources::{Artifact, StateError};
use crate::tool::kernel::{Kernel, Served};

fn request(access: Access, state: &str) -> Result<Vec<Request>, CallError> {
    let name: StateName = name(state.parse())?;
    Ok(vec![Request::State { access, name }])
}

/// One part of what was published under a name.
fn part(kernel: &mut Kernel, io: &mut CallIo<'_, '_>, part: fn(Artifact) -> Value) -> Served {
    let state = io.fields.string()?;
    let resources = kernel.settings.resources.clone();
    kernel.guarded(request(Access::Read, &state)?, io.answer, move |_| {
        match resources.published.get(&state) {
            Some(artifact) => packed(&part(artifact)),
            None => packed(&Value::Undefined),
        }
    })
}

pub(super) fn get(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    part(kernel, io, |artifact| artifact.content)
}

pub(super) fn describe(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    part(kernel, io, |artifact| artifact.metadata)
}

pub(super) fn set(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let state = io.fields.string()?;
    let content = read_value(io.fields)?;
    let resources = kernel.settings.resources.clone();
    kernel.guarded(request(Access::Write, &state)?, io.answer, move |_| {
        match resources.published.set_content(&state, content) {
            Ok(()) => nothing(),
            Err(StateError::Full) => {
                Err(CallError::new("QuotaExceededError", "as much is published as there may be"))
            }
        }
    })
}

/// Only names that the tool may read: the others do not exist for it.
pub(super) fn list(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let readable = |state: &String| {
        request(Access::Read, state).is_ok_and(|wanted| kernel.is_granted(&wanted[0]))
    };
    let names = kernel.settings.resources.published.names().into_iter().filter(readable);
    io.give(&Value::Array(names.map(Value::String).collect()));
    Ok(Reply::Done)
}
