//! HTTP for programs: as a tool's, but the answer is waited for in the call.

use std::task::Context;

use cofferdam_abi::Value;
use cofferdam_broker::{Permit, Verdict};
use cofferdam_net::{FetchError, FetchErrorKind};

use super::{CallFailure, Served, ready, skip_fields};
use crate::permitted::{Outbound, SendRequest, parse_request};
use crate::program::process::Process;
use crate::program::rights::Rights;
use crate::program::upload::Upload;
use crate::shared::call_error::{CallError, Done, Working, packed, read_value};
use crate::shared::crossing::CallIo;

/// Most responses that one program reads at once.
const MAX_STREAMS: usize = 64;

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn poll_start(
    process: &mut Process,
    io: &mut CallIo<'_, '_>,
    cx: &mut Context<'_>,
) -> Served {
    poll_work(process, io, cx, start)
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn poll_read(
    process: &mut Process,
    io: &mut CallIo<'_, '_>,
    cx: &mut Context<'_>,
) -> Served {
    poll_work(process, io, cx, |process, io| {
        let number = io.fields.u32()?;
        io.fields.end()?;
        Ok(process.streams.read(number, failed)?)
    })
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn stop(process: &Process, io: &mut CallIo<'_, '_>) -> Served {
    process.streams.remove(io.fields.u32()?);
    Ok(())
}

/// Continues the request or read under way, or begins one.
fn poll_work(
    process: &mut Process,
    io: &mut CallIo<'_, '_>,
    cx: &mut Context<'_>,
    begin: impl FnOnce(&Process, &mut CallIo<'_, '_>) -> Result<Working, CallFailure>,
) -> Served {
    let mut work = match process.working.take() {
        Some(work) => {
            skip_fields(io)?;
            work
        }
        None => match begin(process, io) {
            Err(CallFailure::Refused(error)) => return Err(told(process, error).into()),
            begun => begun?,
        },
    };
    let done = ready(work.as_mut().poll(cx)).inspect_err(|_| process.working = Some(work))?;
    let bytes = done.map_err(|error| told(process, error))?;
    io.answer.extend_from_slice(&bytes);
    Ok(())
}

fn start(process: &Process, io: &mut CallIo<'_, '_>) -> Result<Working, CallFailure> {
    let head = read_value(io.fields)?;
    let body = io.fields.take(io.fields.remaining())?.to_vec();
    let settings = &process.system.setup.settings;
    let source = match &head {
        Value::Object(members) => members.iter().find(|(name, _)| name == "from"),
        _ => None,
    };
    let upload = match source {
        // The number of a descriptor fits; any other number names none.
        Some((_, Value::Number(fd))) => {
            let source = process.descriptors.with(*fd as u64, Rights::FD_READ)?;
            let (system, source) = (&process.system, source.description.clone());
            Some(Upload::new(system, source, body.clone())?)
        }
        Some(_) | None => None,
    };
    let mut request = parse_request(&head, body, settings.fetch_bytes).map_err(|error| {
        // A program puts its own name in front.
        let message = error.message.trim_start_matches("fetch: ").to_owned();
        CallError { message, ..error }.with("kind", "request")
    })?;
    let upload = upload.map(|(upload, body)| {
        request.set_body(body);
        upload
    });
    settings.network.check_destination(&request).map_err(|error| failed(&error))?;
    if process.streams.open() >= MAX_STREAMS {
        let message = format!("more than {MAX_STREAMS} responses are read at once");
        return Err(CallError::new("RangeError", message).with("kind", "limit").into());
    }
    let outbound = Outbound {
        network: settings.network.clone(),
        streams: process.streams.clone(),
        desk: settings.desk.clone(),
        denials: process.system.denials.clone(),
        clock: process.system.run_clock.clone(),
    };
    let question = match settings.desk.check(request) {
        Verdict::Permit(permit) => {
            return Ok(Box::pin(send(outbound, permit, upload)));
        }
        Verdict::Denied(denial) => return Err(process.system.denials.note(&denial).into()),
        Verdict::Ask(question) => question,
    };
    let (denials, clock) = (process.system.denials.clone(), process.system.run_clock.clone());
    Ok(Box::pin(async move {
        let open = clock.question();
        let permit = question.await.map_err(|denial| denials.note(&denial))?;
        drop(open);
        send(outbound, permit, upload).await
    }))
}

/// Sends a permitted request, and reads its body meanwhile if it comes from a descriptor.
async fn send(outbound: Outbound, permit: Permit<SendRequest>, upload: Option<Upload>) -> Done {
    let request = outbound.send(permit);
    let (answered, sent) = match upload {
        Some(upload) => {
            let (answered, sent) = upload.during(request).await;
            (answered, Some(sent))
        }
        None => (request.await, None),
    };
    let mut answer = answered.map_err(|error| failed(&error))?;
    if let (Value::Object(members), Some(sent)) = (&mut answer, sent) {
        members.push(("sent".to_owned(), Value::Number(sent as f64)));
    }
    packed(&answer)
}

/// Replaces the message of a denial by the line of JSON that a program prints on standard error.
fn told(process: &Process, error: CallError) -> CallError {
    let id = error.members.iter().find(|(name, _)| *name == "requestId");
    match id.and_then(|(_, id)| process.system.denials.get(id)) {
        Some(denied) => CallError { message: denied.to_json(), ..error },
        None => error,
    }
}

fn failed(error: &FetchError) -> CallError {
    if let Some(denial) = error.not_authorised().and_then(|refused| refused.cause::<CallError>()) {
        return denial.clone();
    }
    let kind = match error.kind() {
        FetchErrorKind::Denied | FetchErrorKind::Address | FetchErrorKind::BadPort => "address",
        FetchErrorKind::BadRequest => "request",
        FetchErrorKind::Resolve => "resolve",
        FetchErrorKind::Connect => "connect",
        FetchErrorKind::Tls => "tls",
        FetchErrorKind::Protocol => "protocol",
        FetchErrorKind::HeaderLimit | FetchErrorKind::BodyLimit => "limit",
        FetchErrorKind::RedirectLimit => "redirects",
        FetchErrorKind::BadRedirect | FetchErrorKind::Redirected => "redirect",
        FetchErrorKind::TimeLimit => "time",
        FetchErrorKind::Encoding => "encoding",
        FetchErrorKind::Aborted => "send",
        _ => "other",
    };
    CallError::new("TypeError", error.to_string()).with("kind", kind)
}
