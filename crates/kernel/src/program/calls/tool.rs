//! Tools that a program runs.

use std::task::Context;

use cofferdam_abi::Value;
use cofferdam_abi::process::ToolEvent;
use cofferdam_abi::wire::Malformed;

use super::{Served, ready};
use crate::program::process::Process;
use crate::program::tools::{Console, Heard, ToolLine};
use crate::shared::call_error::{CallError, read_value};
use crate::shared::crossing::CallIo;
use crate::shared::lock::lock;
use crate::shared::output::Stream;

/// Most input that a program hands over at once.
const MAX_FED: usize = 1 << 20;

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn start(process: &mut Process, io: &mut CallIo<'_, '_>) -> Served {
    let line = line(&read_value(io.fields)?)?;
    let Some(tools) = &process.system.setup.tools else {
        let message = "tools are not part of this sandbox";
        return Err(CallError::new("NotSupportedError", message).into());
    };
    if process.console.is_some() {
        return Err(CallError::new("RangeError", "a program runs one tool").into());
    }
    let console = Console::default();
    let errand = tools.run(line, console.clone());
    lock(&process.system.errands).push((process.pid, errand));
    process.console = Some(console);
    Ok(())
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn poll_read(process: &Process, io: &mut CallIo<'_, '_>, cx: &Context<'_>) -> Served {
    io.fields.end()?;
    match ready(started(process)?.poll_heard(cx))? {
        Heard::Printed(stream, bytes) => {
            io.answer.push(match stream {
                Stream::Out => ToolEvent::Output as u8,
                Stream::Err => ToolEvent::Error as u8,
            });
            io.answer.extend_from_slice(&bytes);
        }
        Heard::WantsInput => io.answer.push(ToolEvent::WantsInput as u8),
        Heard::Ended(code) => io.answer.extend_from_slice(&[ToolEvent::Ended as u8, code]),
    }
    Ok(())
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn feed(process: &Process, io: &mut CallIo<'_, '_>) -> Served {
    let bytes = io.fields.take(io.fields.remaining())?;
    if bytes.len() > MAX_FED {
        return Err(Malformed::new("more input than allowed", 0).into());
    }
    started(process)?.feed(bytes);
    Ok(())
}

fn started(process: &Process) -> Result<&Console, Malformed> {
    process.console.as_ref().ok_or(Malformed::new("no tool was started", 0))
}

fn line(given: &Value) -> Result<ToolLine, CallError> {
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
        cwd: member("cwd").map(|cwd| text(Some(cwd))).transpose()?,
        path: member("path").map(|path| text(Some(path))).transpose()?,
    })
}
