//! Tools that a program runs, and the caps that a program says it has hit.

use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};

use cofferdam_abi::Value;
use cofferdam_abi::process::{Cap, ToolEvent};
use cofferdam_abi::wire::{Malformed, Reader, Result};

use super::{Answered, Reply};
use crate::program::process::Process;
use crate::program::tools::{Console, Heard, ToolLine};
use crate::shared::call_error::{CallError, read_value};
use crate::shared::lock::lock;
use crate::shared::output::Stream;

/// Most input that a program hands over at once.
const MAX_FED: usize = 1 << 20;

pub(super) fn start(process: &mut Process, fields: &mut Reader<'_>) -> Result<Reply> {
    let line = match line(&read_value(fields)?) {
        Ok(line) => line,
        Err(refused) => return Ok(Reply::Failed(refused)),
    };
    let Some(tools) = &process.system.world.tools else {
        let message = "tools are not part of this sandbox";
        return Ok(Reply::Failed(CallError::new("NotSupportedError", message)));
    };
    if process.console.is_some() {
        let message = "a program runs one tool";
        return Ok(Reply::Failed(CallError::new("RangeError", message)));
    }
    let console = Console::default();
    let errand = tools.run(line, console.clone());
    lock(&process.system.errands).push((process.pid, errand));
    process.console = Some(console);
    Ok(Reply::Done)
}

pub(super) fn poll_read(
    process: &Process,
    fields: &Reader<'_>,
    answer: &mut Vec<u8>,
    cx: &Context<'_>,
) -> Answered {
    if let Err(malformed) = fields.end() {
        return Poll::Ready(Err(malformed));
    }
    let Some(console) = &process.console else {
        return Poll::Ready(Err(Malformed::new("no tool was started", 0)));
    };
    match ready!(console.poll_heard(cx)) {
        Heard::Printed(stream, bytes) => {
            answer.push(match stream {
                Stream::Out => ToolEvent::Output as u8,
                Stream::Err => ToolEvent::Error as u8,
            });
            answer.extend_from_slice(&bytes);
        }
        Heard::WantsInput => answer.push(ToolEvent::WantsInput as u8),
        Heard::Ended(code) => answer.extend_from_slice(&[ToolEvent::Ended as u8, code]),
    }
    Poll::Ready(Ok(Reply::Done))
}

pub(super) fn feed(process: &Process, fields: &mut Reader<'_>) -> Result<Reply> {
    let bytes = fields.take(fields.remaining())?;
    if bytes.len() > MAX_FED {
        return Err(Malformed::new("more input than allowed", 0));
    }
    let Some(console) = &process.console else {
        return Err(Malformed::new("no tool was started", 0));
    };
    console.feed(bytes);
    Ok(Reply::Done)
}

pub(super) fn cap_hit(process: &Process, fields: &mut Reader<'_>) -> Result<Reply> {
    let (which, allowed) = (fields.u8()?, fields.u64()?);
    let caps = &process.system.caps;
    match Cap::from_number(which) {
        Some(Cap::Depth) => caps.0.store(allowed.max(1), Ordering::Relaxed),
        Some(Cap::Expansion) => caps.1.store(allowed.max(1), Ordering::Relaxed),
        None => return Err(Malformed::new("unknown cap", 0)),
    }
    Ok(Reply::Done)
}

fn line(given: &Value) -> std::result::Result<ToolLine, CallError> {
    let wrong = || CallError::new("TypeError", "tool: a name, a source and arguments are needed");
    let Value::Object(members) = given else { return Err(wrong()) };
    let member = |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let text = |value: Option<&Value>| match value {
        Some(Value::String(text)) => Ok(text.clone()),
        _ => Err(wrong()),
    };
    let arguments = match member("arguments") {
        Some(Value::Array(list)) => list.iter().map(|value| text(Some(value))).collect(),
        _ => Err(wrong()),
    };
    Ok(ToolLine {
        name: text(member("name"))?,
        source: text(member("source"))?,
        arguments: arguments?,
    })
}
