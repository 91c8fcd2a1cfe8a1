//! Commands of the sandbox, for tools.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, Instant};

use cofferdam_abi::Value;
use cofferdam_abi::value::ViewKind;
use cofferdam_caps::{Kind, shell_word};

use crate::permitted::StartProgram;
use crate::program::run::{Stdin, stdin};
use crate::shared::call_error::{CallError, Working, name, packed, read_value};
use crate::shared::crossing::{CallIo, Reply};
use crate::tool::children::Printed;
use crate::tool::commands::{CommandLine, Commands, Finished, What};
use crate::tool::kernel::{Kernel, Served};

/// Name of the shell in grants.
const SHELL: &str = "bash";

/// Reason for the end of a started command whose time is over, which the tool compares.
const TOOK_TOO_LONG: &str = "the command took too long";

/// Longest timeout of a command in seconds; the run's own time limit is shorter.
const LONGEST_TIMEOUT: f64 = 30.0 * 24.0 * 3600.0;

/// A command as a tool describes it, before it is permitted.
struct Wanted {
    text: Text,
    cwd: Option<String>,
    env: Option<Vec<(String, String)>>,
    changed: Vec<(String, Option<String>)>,
    stdin: Vec<u8>,
    /// True if standard input is fed while the command runs.
    is_piped: bool,
    /// Time after which the command is ended.
    timeout: Option<Duration>,
}

enum Text {
    Shell(String),
    Arguments(Vec<String>),
}

/// Runs a command to its end, or until its time is over.
pub(super) fn run(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let wanted = wanted(&read_value(io.fields)?)?;
    let (timeout, switch) = (wanted.timeout, kernel.settings.run_clock.switch().clone());
    with_permit(kernel, wanted, move |commands, line| {
        Box::pin(async move {
            let Some(timeout) = timeout else {
                return ran(commands.run(line, None).await, false);
            };
            let printed = Arc::<Printed>::default();
            let mut work = commands.run(line, Some(printed.clone()));
            let mut sleep = switch.sleep_until(Instant::now() + timeout);
            let ended = poll_fn(|cx| match work.as_mut().poll(cx) {
                Poll::Ready(done) => Poll::Ready(Some(done)),
                Poll::Pending => Pin::new(&mut sleep).poll(cx).map(|()| None),
            });
            match ended.await {
                Some(done) => ran(done, false),
                None => {
                    drop(work);
                    ran(Ok(printed.take_all()), true)
                }
            }
        })
    })
}

/// Packs the end of a command, or its output so far if it took too long.
fn ran(done: Result<Finished, String>, is_timed_out: bool) -> Result<Vec<u8>, CallError> {
    let ran = done.map_err(|message| CallError::new("Error", message))?;
    packed(&Value::Object(vec![
        ("exitCode".to_owned(), Value::Number(f64::from(ran.exit_code))),
        ("stdout".to_owned(), bytes(ran.stdout)),
        ("stderr".to_owned(), bytes(ran.stderr)),
        ("timedOut".to_owned(), Value::Bool(is_timed_out)),
    ]))
}

/// Starts a command that the tool reads while it runs.
pub(super) fn start(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let wanted = wanted(&read_value(io.fields)?)?;
    let (children, is_piped) = (kernel.children.clone(), wanted.is_piped);
    let (timeout, switch) = (wanted.timeout, kernel.settings.run_clock.switch().clone());
    with_permit(kernel, wanted, move |commands, mut line| {
        let writer = is_piped.then(|| {
            let (writer, stdin) = stdin();
            line.stdin = stdin;
            writer
        });
        let printed = Arc::new(Printed::streamed());
        let mut work = commands.run(line, Some(printed.clone()));
        if let Some(timeout) = timeout {
            let mut sleep = switch.sleep_until(Instant::now() + timeout);
            work = Box::pin(async move {
                poll_fn(|cx| match work.as_mut().poll(cx) {
                    Poll::Ready(done) => Poll::Ready(done),
                    Poll::Pending => {
                        Pin::new(&mut sleep).poll(cx).map(|()| Err(TOOK_TOO_LONG.to_owned()))
                    }
                })
                .await
            });
        }
        let number = children.add(work, printed, writer);
        Box::pin(async move { packed(&Value::Number(f64::from(number?))) })
    })
}

pub(super) fn next(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let work = kernel.children.next(io.fields.u32()?)?;
    kernel.pend(work)
}

pub(super) fn feed(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    let (number, last) = (io.fields.u32()?, io.fields.u8()? != 0);
    let piece = io.fields.take(io.fields.remaining())?;
    let work = kernel.children.feed(number, piece, last)?;
    kernel.pend(work)
}

pub(super) fn stop(kernel: &mut Kernel, io: &mut CallIo<'_, '_>) -> Served {
    kernel.children.stop(io.fields.u32()?);
    Ok(Reply::Done)
}

/// Does `work` with a command that the tool may start.
fn with_permit(
    kernel: &mut Kernel,
    wanted: Wanted,
    work: impl FnOnce(Arc<dyn Commands>, CommandLine) -> Working + Send + 'static,
) -> Served {
    let commands = kernel.settings.commands.clone();
    // A shell may be started by a tool that may start anything: its programs are checked when they
    // are started.
    if let (Text::Shell(text), Some(commands)) = (&wanted.text, &commands)
        && kernel.settings.desk.sees(Kind::ProcessExec).unwrap_or(false)
    {
        let what = What::Shell(text.clone(), None);
        let work = work(commands.clone(), wanted.line(what));
        return kernel.pend(work);
    }
    let line = match &wanted.text {
        Text::Shell(text) => text.clone(),
        Text::Arguments(argv) => {
            argv.iter().map(|word| shell_word(word)).collect::<Vec<_>>().join(" ")
        }
    };
    let action = StartProgram::new(name(first_word(&wanted.text).parse())?).with_line(line);
    kernel.start_with_permit(action, move |_resources, permit| {
        let Some(commands) = commands else {
            let message = "this sandbox has no commands";
            return Box::pin(async move { Err(CallError::new("NotSupportedError", message)) });
        };
        let what = match &wanted.text {
            Text::Shell(text) => What::Shell(text.clone(), Some(permit)),
            Text::Arguments(argv) => What::Arguments(permit, argv.clone()),
        };
        work(commands, wanted.line(what))
    })
}

impl Wanted {
    fn line(self, what: What) -> CommandLine {
        let Wanted { cwd, env, changed, stdin, .. } = self;
        CommandLine { what, cwd, env, changed, stdin: Stdin::Bytes(stdin) }
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
    let change = |pair: &Value| match pair {
        Value::Array(pair) => match pair.as_slice() {
            [name, Value::Undefined] => Ok((text(name)?, None)),
            [name, value] => Ok((text(name)?, Some(text(value)?))),
            _ => Err(wrong("set")),
        },
        _ => Err(wrong("set")),
    };
    let changed = match member("set") {
        Some(Value::Array(pairs)) => {
            pairs.iter().map(change).collect::<std::result::Result<_, _>>()?
        }
        _ => Vec::new(),
    };
    let cwd = member("cwd").map(text).transpose()?;
    let is_piped = matches!(member("piped"), Some(Value::Bool(true)));
    let timeout = match member("timeout") {
        Some(Value::Number(ms)) if *ms > 0.0 => {
            Some(Duration::from_secs_f64((ms / 1000.0).min(LONGEST_TIMEOUT)))
        }
        _ => None,
    };
    Ok(Wanted { text: shown, cwd, env, changed, stdin, is_piped, timeout })
}
