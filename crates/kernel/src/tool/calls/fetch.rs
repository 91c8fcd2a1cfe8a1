//! HTTP for tools, each request under a permit.

use cofferdam_abi::Value;
use cofferdam_caps::Request;
use cofferdam_net::{Fetch, FetchError};

use crate::shared::call_error::{CallError, packed, read_value};
use crate::shared::crossing::{CallIo, Reply};
use crate::shared::outbound::{Outbound, request};
use crate::tool::kernel::{Kernel, Served};

/// Most responses that are read at once.
const MAX_STREAMS: usize = 256;

pub(super) fn start(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let head = read_value(io.fields)?;
    let body = io.fields.take(io.fields.remaining())?.to_vec();
    let fetch = with_upload(kernel, &head, request(&head, body)?)?;
    if kernel.streams.open() >= MAX_STREAMS {
        let message = format!("more than {MAX_STREAMS} responses are read at once");
        return Err(CallError::new("RangeError", message).into());
    }
    let wanted = Request::Network { method: fetch.method.clone(), url: fetch.url.clone() };
    let outbound = Outbound {
        client: kernel.settings.client.clone(),
        streams: kernel.streams.clone(),
        desk: kernel.settings.desk.clone(),
        denials: kernel.denials.clone(),
        clock: kernel.settings.run_clock.clone(),
    };
    kernel.guarded_work(wanted, move |permit| {
        Box::pin(async move {
            let response = outbound.send(fetch, permit).await.map_err(|error| failed(&error))?;
            packed(&response)
        })
    })
}

pub(super) fn read(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let work = kernel.streams.read(io.fields.u32()?, failed)?;
    kernel.pend(work)
}

pub(super) fn stop(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    kernel.streams.remove(io.fields.u32()?);
    Ok(Reply::Done)
}

/// A body for the next request, to be sent in pieces.
pub(super) fn body(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let known = io.fields.u8()? != 0;
    let length = usize::try_from(io.fields.u32()?).unwrap_or(usize::MAX);
    let number = kernel.uploads.open(known.then_some(length))?;
    io.give(&Value::Number(f64::from(number)));
    Ok(Reply::Done)
}

pub(super) fn send(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let (number, last) = (io.fields.u32()?, io.fields.u8()? != 0);
    let piece = io.fields.take(io.fields.remaining())?;
    let work = kernel.uploads.send(number, piece, last)?;
    kernel.pend(work)
}

pub(super) fn drop(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    kernel.uploads.remove(io.fields.u32()?);
    Ok(Reply::Done)
}

/// The request with the body that its head names, if it names one.
fn with_upload(kernel: &Kernel, head: &Value, mut fetch: Fetch) -> Result<Fetch, CallError> {
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
