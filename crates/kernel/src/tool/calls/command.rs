//! Commands of the sandbox, for tools.

use cofferdam_abi::Value;
use cofferdam_abi::value::ViewKind;
use cofferdam_caps::process::CommandName;
use cofferdam_caps::{Kind, Request};

use crate::shared::call_error::{CallError, name, packed, read_value};
use crate::shared::crossing::CallIo;
use crate::tool::commands::{CommandLine, What};
use crate::tool::kernel::{Kernel, Served};

/// The shell, by the name that a grant has for it.
const SHELL: &str = "bash";

pub(super) fn run(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let mut line = line(&read_value(io.fields)?)?;
    // A shell may be started by whoever may start anything: what it starts is checked there.
    let free = matches!(line.what, What::Shell(_))
        && kernel.settings.desk.sees(Kind::ProcessExec).unwrap_or(false);
    let parsed: Result<CommandName, _> = name(first_word(&line.what).parse());
    let Some(commands) = kernel.settings.commands.clone() else {
        let request = Request::Process { command: parsed? };
        return kernel.guarded_work(request, |_| {
            let message = "this sandbox has no commands";
            Box::pin(async move { Err(CallError::new("NotSupportedError", message)) })
        });
    };
    let work = |line| async move {
        match commands.run(line).await {
            Ok(ran) => packed(&Value::Object(vec![
                ("exitCode".to_owned(), Value::Number(f64::from(ran.exit_code))),
                ("stdout".to_owned(), bytes(ran.stdout)),
                ("stderr".to_owned(), bytes(ran.stderr)),
            ])),
            Err(message) => Err(CallError::new("Error", message)),
        }
    };
    if free {
        return kernel.pend(Box::pin(work(line)));
    }
    let command = parsed?;
    line.permitted = Some(command.to_string());
    let request = Request::Process { command };
    kernel.guarded_work(request, |_| Box::pin(work(line)))
}

/// What a grant would have to name: the command, or the first one that a shell would start.
fn first_word(what: &What) -> String {
    let word = match what {
        What::Shell(text) => text.split_whitespace().find(|word| !word.contains('=')),
        What::Arguments(argv) => argv.first().map(String::as_str),
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-+/".contains(c);
    match word.map(|word| word.rsplit('/').next().unwrap_or(word)) {
        Some(word) if !word.is_empty() && word.chars().all(plain) => word.to_owned(),
        Some(_) | None => SHELL.to_owned(),
    }
}

fn bytes(bytes: Vec<u8>) -> Value {
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    let buffer = Box::new(Value::Buffer(bytes));
    Value::View { kind: ViewKind::Uint8, offset: 0, length, buffer }
}

fn line(given: &Value) -> Result<CommandLine, CallError> {
    let wrong = |what: &str| CallError::new("TypeError", format!("command: {what}"));
    let Value::Object(members) = given else { return Err(wrong("not an object")) };
    let member = |name: &str| match members.iter().find(|(key, _)| key == name) {
        Some((_, Value::Undefined)) | None => None,
        Some((_, value)) => Some(value),
    };
    let text = |value: &Value| match value {
        Value::String(text) => Ok(text.clone()),
        _ => Err(wrong("a text is needed")),
    };
    let what = match (member("shell"), member("argv")) {
        (Some(shell), _) => What::Shell(text(shell)?),
        (None, Some(Value::Array(argv))) if !argv.is_empty() => {
            What::Arguments(argv.iter().map(text).collect::<Result<_, _>>()?)
        }
        _ => return Err(wrong("nothing to run")),
    };
    let pair = |pair: &Value| match pair {
        Value::Array(pair) => match pair.as_slice() {
            [name, value] => Ok((text(name)?, text(value)?)),
            _ => Err(wrong("env")),
        },
        _ => Err(wrong("env")),
    };
    let env = match member("env") {
        Some(Value::Array(pairs)) => Some(pairs.iter().map(pair).collect::<Result<_, _>>()?),
        _ => None,
    };
    let stdin = match member("stdin") {
        Some(Value::View { offset, length, buffer, .. }) => match &**buffer {
            Value::Buffer(bytes) => {
                let end = offset.saturating_add(*length) as usize;
                bytes.get(*offset as usize..end).unwrap_or_default().to_vec()
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    Ok(CommandLine { what, cwd: member("cwd").map(text).transpose()?, env, stdin, permitted: None })
}
