//! Commands of the sandbox, for tools.

use std::sync::Arc;

use cofferdam_abi::Value;
use cofferdam_abi::value::ViewKind;
use cofferdam_caps::Kind;

use crate::permitted::StartProgram;
use crate::shared::call_error::{CallError, Working, name, packed, read_value};
use crate::shared::crossing::CallIo;
use crate::tool::commands::{CommandLine, Commands, What};
use crate::tool::kernel::{Kernel, Served};

/// Name of the shell in grants.
const SHELL: &str = "bash";

/// A command as a tool describes it, before it is permitted.
struct Wanted {
    text: Text,
    cwd: Option<String>,
    env: Option<Vec<(String, String)>>,
    stdin: Vec<u8>,
}

enum Text {
    Shell(String),
    Arguments(Vec<String>),
}

pub(super) fn run(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let wanted = wanted(&read_value(io.fields)?)?;
    let commands = kernel.settings.commands.clone();
    // A shell may be started by a tool that may start anything: its programs are checked when they
    // are started.
    if let (Text::Shell(text), Some(commands)) = (&wanted.text, &commands)
        && kernel.settings.desk.sees(Kind::ProcessExec).unwrap_or(false)
    {
        let what = What::Shell(text.clone(), None);
        let work = start(commands.clone(), wanted.line(what));
        return kernel.pend(work);
    }
    let action = StartProgram::new(name(first_word(&wanted.text).parse())?);
    kernel.start_with_permit(action, move |_resources, permit| {
        let Some(commands) = commands else {
            let message = "this sandbox has no commands";
            return Box::pin(async move { Err(CallError::new("NotSupportedError", message)) });
        };
        let what = match &wanted.text {
            Text::Shell(text) => What::Shell(text.clone(), Some(permit)),
            Text::Arguments(argv) => What::Arguments(permit, argv.clone()),
        };
        start(commands, wanted.line(what))
    })
}

fn start(commands: Arc<dyn Commands>, line: CommandLine) -> Working {
    Box::pin(async move {
        match commands.run(line).await {
            Ok(ran) => packed(&Value::Object(vec![
                ("exitCode".to_owned(), Value::Number(f64::from(ran.exit_code))),
                ("stdout".to_owned(), bytes(ran.stdout)),
                ("stderr".to_owned(), bytes(ran.stderr)),
            ])),
            Err(message) => Err(CallError::new("Error", message)),
        }
    })
}

impl Wanted {
    fn line(self, what: What) -> CommandLine {
        CommandLine { what, cwd: self.cwd, env: self.env, stdin: self.stdin }
    }
}

/// Returns the name that a grant needs: the command, or the first one that a shell would start.
fn first_word(text: &Text) -> String {
    let word = match text {
        Text::Shell(text) => text.split_whitespace().find(|word| !word.contains('=')),
        Text::Arguments(argv) => argv.first().map(String::as_str),
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

fn wanted(given: &Value) -> Result<Wanted, CallError> {
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
    let shown = match (member("shell"), member("argv")) {
        (Some(shell), _) => Text::Shell(text(shell)?),
        (None, Some(Value::Array(argv))) if !argv.is_empty() => {
            Text::Arguments(argv.iter().map(text).collect::<Result<_, _>>()?)
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
    Ok(Wanted { text: shown, cwd: member("cwd").map(text).transpose()?, env, stdin })
}
