//! HTTP for programs: as a tool's, but the answer is waited for in the call.

use std::task::{Context, Poll, ready};

use cofferdam_abi::call::Call;
use cofferdam_abi::wire::{Malformed, Reader, Result};
use cofferdam_broker::Verdict;
use cofferdam_caps::Request;
use cofferdam_net::{FetchError, FetchErrorKind};

use super::{Answered, Reply};
use crate::program::process::Process;
use crate::shared::call_error::{CallError, Working, packed, read_value};
use crate::shared::outbound::{Outbound, request};

/// Most responses that one program reads at once.
const MAX_STREAMS: usize = 64;

/// Goes on with the request or the read that is under way, or begins it.
pub(super) fn poll(
    process: &mut Process,
    call: Call,
    fields: &mut Reader<'_>,
    answer: &mut Vec<u8>,
    cx: &mut Context<'_>,
) -> Answered {
    let work = match &mut process.working {
        Some(work) => work,
        None => {
            let begun = match call {
                Call::FetchStart => start(process, fields),
                _ => read(process, fields),
            };
            match begun {
                Ok(Ok(work)) => process.working.insert(work),
                Ok(Err(refused)) => return Poll::Ready(Ok(told(process, refused))),
                Err(malformed) => return Poll::Ready(Err(malformed)),
            }
        }
    };
    let done = ready!(work.as_mut().poll(cx));
    process.working = None;
    Poll::Ready(Ok(match done {
        Ok(bytes) => {
            answer.extend_from_slice(&bytes);
            Reply::Done
        }
        Err(refused) => told(process, refused),
    }))
}

pub(super) fn stop(process: &Process, fields: &mut Reader<'_>) -> Result<Reply> {
    process.streams.remove(fields.u32()?);
    Ok(Reply::Done)
}

type Begun = std::result::Result<std::result::Result<Working, CallError>, Malformed>;

fn start(process: &Process, fields: &mut Reader<'_>) -> Begun {
    let head = read_value(fields)?;
    let body = fields.take(fields.remaining())?.to_vec();
    let fetch = match request(&head, body) {
        Ok(fetch) => fetch,
        Err(refused) => {
            // A program says by itself who it is.
            let message = refused.message.trim_start_matches("fetch: ").to_owned();
            return Ok(Err(CallError { message, ..refused }.with("kind", "request")));
        }
    };
    if process.streams.open() >= MAX_STREAMS {
        let message = format!("more than {MAX_STREAMS} responses are read at once");
        return Ok(Err(CallError::new("RangeError", message).with("kind", "limit")));
    }
    let settings = &process.system.world.settings;
    let outbound = Outbound {
        client: settings.client.clone(),
        streams: process.streams.clone(),
        desk: settings.desk.clone(),
        denials: process.system.denials.clone(),
        asking: settings.asking.clone(),
    };
    let wanted = Request::Network { method: fetch.method.clone(), url: fetch.url.clone() };
    let question = match settings.desk.check(&wanted) {
        Verdict::Permit(permit) => {
            return Ok(Ok(Box::pin(async move {
                packed(&outbound.send(fetch, permit).await.map_err(|error| failed(&error))?)
            })));
        }
        Verdict::Denied(denial) => return Ok(Err(process.system.denials.note(&denial))),
        Verdict::Ask(question) => question,
    };
    let (denials, asking) = (process.system.denials.clone(), settings.asking.clone());
    Ok(Ok(Box::pin(async move {
        let asked = asking.begin();
        let permit = question.await.map_err(|denial| denials.note(&denial))?;
        drop(asked);
        packed(&outbound.send(fetch, permit).await.map_err(|error| failed(&error))?)
    })))
}

fn read(process: &Process, fields: &mut Reader<'_>) -> Begun {
    let number = fields.u32()?;
    fields.end()?;
    Ok(process.streams.read(number, failed))
}

/// A denial is told as the line of JSON that a program prints on its standard error.
fn told(process: &Process, refused: CallError) -> Reply {
    let id = refused.members.iter().find(|(name, _)| *name == "requestId");
    let denied = id.and_then(|(_, id)| process.system.denials.get(id));
    Reply::Failed(match denied {
        Some(denied) => CallError { message: denied.to_json(), ..refused },
        None => refused,
    })
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
