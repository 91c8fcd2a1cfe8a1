//! HTTP for tools, each request under a permit.

use cofferdam_abi::Value;
use cofferdam_net::{FetchError, FetchErrorKind};

use crate::permitted::{Outbound, SendRequest, parse_request};
use crate::shared::call_error::{CallError, packed, read_value};
use crate::shared::crossing::{CallIo, Reply};
use crate::tool::kernel::{Kernel, Served};

/// Most responses that are read at once.
const MAX_STREAMS: usize = 256;

pub(super) fn start(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let head = read_value(io.fields)?;
    let body = io.fields.take(io.fields.remaining())?.to_vec();
    let request =
        with_upload(kernel, &head, parse_request(&head, body, kernel.settings.fetch_bytes)?)?;
    kernel.settings.network.check_destination(&request).map_err(|error| failed(&error))?;
    if kernel.streams.open() >= MAX_STREAMS {
        let message = format!("more than {MAX_STREAMS} responses are read at once");
        return Err(CallError::new("RangeError", message).into());
    }
    let outbound = Outbound {
        network: kernel.settings.network.clone(),
        streams: kernel.streams.clone(),
        desk: kernel.settings.desk.clone(),
        denials: kernel.denials.clone(),
        clock: kernel.settings.run_clock.clone(),
    };
    kernel.start_with_permit(request, move |_resources, permit| {
        Box::pin(
            async move { packed(&outbound.send(permit).await.map_err(|error| failed(&error))?) },
        )
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

/// Creates a body for the next request, to be sent in pieces.
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

/// Gives a request the body that its head names, if it names one.
fn with_upload(
    kernel: &Kernel,
    head: &Value,
    mut request: SendRequest,
) -> Result<SendRequest, CallError> {
    let Value::Object(members) = head else { return Ok(request) };
    if let Some((_, Value::Number(number))) = members.iter().find(|(key, _)| key == "upload") {
        // The number of a body fits; any other number names no body.
        let body = kernel.uploads.body(*number as u32);
        request.set_body(body.ok_or_else(|| CallError::new("TypeError", "fetch: no such body"))?);
    }
    Ok(request)
}

/// Converts an error as a browser's fetch does: a TypeError with the reason. A redirect that was
/// denied is the denial itself.
fn failed(error: &FetchError) -> CallError {
    match error.not_authorised().and_then(|refused| refused.cause::<CallError>()) {
        Some(denial) => denial.clone(),
        None => {
            let limit = match error.kind() {
                FetchErrorKind::BodyLimit => " (the limit fetchBytes)",
                _ => "",
            };
            CallError::new("TypeError", format!("fetch failed: {error}{limit}"))
        }
    }
}
