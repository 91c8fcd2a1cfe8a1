//! What the embedding program publishes.

use cofferdam_abi::Value;
use cofferdam_abi::wire::Result;
use cofferdam_caps::state::StateName;
use cofferdam_caps::{Access, Request};

use crate::shared::call_error::{CallError, name, nothing, packed, read_value};
use crate::shared::resources::{Artifact, StateError};
use crate::tool::kernel::{Crossing, Kernel, Reply};

fn request(access: Access, state: &str) -> std::result::Result<Vec<Request>, CallError> {
    let name: StateName = name(state.parse())?;
    Ok(vec![Request::State { access, name }])
}

/// One part of what was published under a name.
fn part(
    kernel: &mut Kernel,
    c: &mut Crossing<'_, '_>,
    part: fn(Artifact) -> Value,
) -> Result<Reply> {
    let state = c.fields.string()?;
    let resources = kernel.settings.resources.clone();
    kernel.guarded(request(Access::Read, &state), c.answer, move |_| {
        match resources.published.get(&state) {
            Some(artifact) => packed(&part(artifact)),
            None => packed(&Value::Undefined),
        }
    })
}

pub(super) fn get(kernel: &mut Kernel, c: &mut Crossing<'_, '_>) -> Result<Reply> {
    part(kernel, c, |artifact| artifact.content)
}

pub(super) fn describe(kernel: &mut Kernel, c: &mut Crossing<'_, '_>) -> Result<Reply> {
    part(kernel, c, |artifact| artifact.metadata)
}

pub(super) fn set(kernel: &mut Kernel, c: &mut Crossing<'_, '_>) -> Result<Reply> {
    let state = c.fields.string()?;
    let content = read_value(c.fields)?;
    let resources = kernel.settings.resources.clone();
    kernel.guarded(request(Access::Write, &state), c.answer, move |_| {
        match resources.published.set_content(&state, content) {
            Ok(()) => nothing(),
            Err(StateError::Full) => {
                Err(CallError::new("QuotaExceededError", "as much is published as there may be"))
            }
        }
    })
}

/// Only names that the tool may read: the others do not exist for it.
pub(super) fn list(kernel: &mut Kernel, c: &mut Crossing<'_, '_>) -> Result<Reply> {
    let readable = |state: &String| {
        request(Access::Read, state).is_ok_and(|wanted| kernel.is_granted(&wanted[0]))
    };
    let names = kernel.settings.resources.published.names().into_iter().filter(readable);
    c.give(&Value::Array(names.map(Value::String).collect()));
    Ok(Reply::Done)
}
