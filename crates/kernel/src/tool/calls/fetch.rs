//! HTTP for tools, each request under a permit.

use cofferdam_abi::Value;
use cofferdam_abi::wire::Result;
use cofferdam_caps::Request;
use cofferdam_net::{Fetch, FetchError};

use crate::shared::call_error::{CallError, packed, read_value};
use crate::shared::outbound::{Outbound, request};
use crate::tool::kernel::{Crossing, Kernel, Reply};

/// Most responses that are read at once.
const MAX_STREAMS: usize = 256;

pub(super) fn start(kernel: &mut Kernel, c: &mut Crossing<'_, '_>) -> Result<Reply> {
    let head = read_value(c.fields)?;
    let body = c.fields.take(c.fields.remaining())?.to_vec();
    let fetch = match request(&head, body).and_then(|fetch| with_upload(kernel, &head, fetch)) {
        Ok(fetch) => fetch,
        Err(refused) => return Ok(Reply::Refused(refused)),
    };
    if kernel.streams.open() >= MAX_STREAMS {
        let message = format!("more than {MAX_STREAMS} responses are read at once");
        return Ok(Reply::Refused(CallError::new("RangeError", message)));
    }
    let wanted = Request::Network { method: fetch.method.clone(), url: fetch.url.clone() };
    let outbound = Outbound {
        client: kernel.settings.client.clone(),
        streams: kernel.streams.clone(),
        desk: kernel.settings.desk.clone(),
        denials: kernel.denials.clone(),
        asking: kernel.asking.clone(),
    };
    kernel.guarded_work(Ok(wanted), move |permit| {
        Box::pin(async move {
            let response = outbound.send(fetch, permit).await.map_err(|error| failed(&error))?;
            packed(&response)
        })
    })
}

pub(super) fn read(kernel: &mut Kernel, c: &mut Crossing<'_, '_>) -> Result<Reply> {
    match kernel.streams.read(c.fields.u32()?, failed) {
        Ok(work) => kernel.pend(work),
        Err(refused) => Ok(Reply::Refused(refused)),
    }
}

pub(super) fn stop(kernel: &mut Kernel, c: &mut Crossing<'_, '_>) -> Result<Reply> {
    kernel.streams.remove(c.fields.u32()?);
    Ok(Reply::Done)
}

/// A body for the next request, to be sent in pieces.
pub(super) fn body(kernel: &mut Kernel, c: &mut Crossing<'_, '_>) -> Result<Reply> {
    let known = c.fields.u8()? != 0;
    let length = usize::try_from(c.fields.u32()?).unwrap_or(usize::MAX);
    Ok(match kernel.uploads.open(known.then_some(length)) {
        Ok(number) => {
            c.give(&Value::Number(f64::from(number)));
            Reply::Done
        }
        Err(refused) => Reply::Refused(refused),
    })
}

pub(super) fn send(kernel: &mut Kernel, c: &mut Crossing<'_, '_>) -> Result<Reply> {
    let (number, last) = (c.fields.u32()?, c.fields.u8()? != 0);
    let piece = c.fields.take(c.fields.remaining())?;
    match kernel.uploads.send(number, piece, last) {
        Ok(work) => kernel.pend(work),
        Err(refused) => Ok(Reply::Refused(refused)),
    }
}

pub(super) fn drop(kernel: &mut Kernel, c: &mut Crossing<'_, '_>) -> Result<Reply> {
    kernel.uploads.remove(c.fields.u32()?);
    Ok(Reply::Done)
}

/// The request with the body that its head names, if it names one.
fn with_upload(
    kernel: &Kernel,
    head: &Value,
    mut fetch: Fetch,
) -> std::result::Result<Fetch, CallError> {
    let Value::Object(members) = head else { return Ok(fetch) };
    if let Some((_, Value::Number(number))) = members.iter().find(|(key, _)| key == "upload") {
        // No number of ours is lost in the conversion; another one names no body.
        let body = kernel.uploads.body(*number as u32);
        fetch.body = body.ok_or_else(|| CallError::new("TypeError", "fetch: no such body"))?;
    }
    Ok(fetch)
}

/// As a browser's fetch fails: a TypeError, with the reason. A redirect to where the tool may
/// not go is the denial itself.
fn failed(error: &FetchError) -> CallError {
    match error.not_authorised().and_then(|refused| refused.cause::<CallError>()) {
        Some(denial) => denial.clone(),
        None => CallError::new("TypeError", format!("fetch failed: {error}")),
    }
}
