//! Compiles a tool, runs it, reports its end.

use std::cell::RefCell;

use cofferdam_abi::call::ToolCall;
use cofferdam_abi::entry::{Code, Form, Leave, MAX_CODE, Start};
use cofferdam_abi::frame::Answer;
use cofferdam_abi::wire::Writer;
use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Function, Module, Object, Persistent, Promise, Result, Value};

use crate::engine::{self, Eval};
use crate::{calls, clone, gate, pending, thrown};

/// The run in this cell, between two stays of the guest on the stack.
struct Running {
    promise: Persistent<Promise<'static>>,
    form: Form,
    file: String,
    result_bytes: usize,
}

thread_local! {
    static RUNNING: RefCell<Option<Running>> = const { RefCell::new(None) };
}

/// The guest's reply when it leaves, owning the packed value.
pub enum Left {
    /// The value that the tool returned, packed.
    Finished(Vec<u8>),
    /// Any other reply.
    Other(Leave<'static>),
}

impl Left {
    /// Packs it for the host.
    pub fn write(&self, w: &mut Writer) {
        match self {
            Left::Finished(value) => Leave::Finished(value).write(w),
            Left::Other(leave) => leave.write(w),
        }
    }
}

/// Starts a tool and runs it as far as it goes. `interrupted` returns true once the host wants an end.
pub fn start(ctx: &Ctx<'_>, start: &Start<'_>, interrupted: &dyn Fn() -> bool) -> Left {
    let file = start.file.to_owned();
    pending::forget();
    calls::forget();
    let promise = match launch(ctx, start) {
        Ok(promise) => promise,
        Err(_) => return past_the_end(start, failed(ctx, &ctx.catch(), &file, interrupted)),
    };
    RUNNING.set(Some(Running {
        promise: Persistent::save(ctx, promise),
        form: start.form,
        file,
        result_bytes: start.result_bytes as usize,
    }));
    advance(ctx, interrupted)
}

/// Hands answers to the tool and runs it as far as it goes.
pub fn resume(
    ctx: &Ctx<'_>,
    answers: &[(u32, Answer<'_>)],
    interrupted: &dyn Fn() -> bool,
) -> Left {
    for (ticket, answer) in answers {
        if pending::answer(ctx, *ticket, answer.status, answer.payload).is_err() {
            let error = ctx.catch();
            return failed(ctx, &error, "", interrupted);
        }
        let left = advance(ctx, interrupted);
        if !matches!(left, Left::Other(Leave::Waiting)) {
            return left;
        }
    }
    advance(ctx, interrupted)
}

/// Runs microtasks until none is left or the tool is done.
// T-CELL-002: a tool that waits for ever.
fn advance(ctx: &Ctx<'_>, interrupted: &dyn Fn() -> bool) -> Left {
    let running = RUNNING.take();
    let Some(running) = running else { return Left::Other(Leave::Stuck) };
    let promise = match running.promise.clone().restore(ctx) {
        Ok(promise) => promise,
        Err(_) => return Left::Other(Leave::Stuck),
    };
    loop {
        if interrupted() {
            return failed(ctx, &settled(ctx, &promise), &running.file, interrupted);
        }
        if let Some(error) = pending::take_reported(ctx).unwrap_or_default().first() {
            return failed(ctx, error, &running.file, interrupted);
        }
        if promise.state() != PromiseState::Pending || !ctx.execute_pending_job() {
            break;
        }
    }
    match promise.state() {
        PromiseState::Resolved => finished(ctx, settled(ctx, &promise), &running, interrupted),
        PromiseState::Rejected => failed(ctx, &settled(ctx, &promise), &running.file, interrupted),
        PromiseState::Pending if pending::is_any() => {
            RUNNING.set(Some(running));
            Left::Other(Leave::Waiting)
        }
        PromiseState::Pending => Left::Other(Leave::Stuck),
    }
}

/// Returns the value or reason of a promise; `undefined` while it is pending.
fn settled<'js>(ctx: &Ctx<'js>, promise: &Promise<'js>) -> Value<'js> {
    match promise.result::<Value>() {
        Some(Ok(value)) => value,
        // A rejection is handed over as the pending exception.
        Some(Err(_)) => ctx.catch(),
        None => Value::new_undefined(ctx.clone()),
    }
}

fn finished<'js>(
    ctx: &Ctx<'js>,
    value: Value<'js>,
    running: &Running,
    interrupted: &dyn Fn() -> bool,
) -> Left {
    // A script with `await` at the top returns `{ value }`.
    let value = match (running.form, value.as_object()) {
        (Form::Kept, Some(wrapped)) => wrapped.get("value").unwrap_or(value),
        _ => value,
    };
    match clone::pack(ctx, value, running.result_bytes) {
        Ok(bytes) => Left::Finished(bytes),
        Err(clone::Failed::TooLong) => Left::Other(Leave::ResultTooLong),
        Err(clone::Failed::Threw(_)) => failed(ctx, &ctx.catch(), &running.file, interrupted),
    }
}

fn failed<'js>(
    ctx: &Ctx<'js>,
    error: &Value<'js>,
    file: &str,
    interrupted: &dyn Fn() -> bool,
) -> Left {
    let thrown = thrown::describe(ctx, error, file);
    // Checked afterwards: the thrown value may have a `toString` that never ends.
    if interrupted() {
        return Left::Other(Leave::Interrupted(thrown::frames(&thrown.stack)));
    }
    Left::Other(match thrown::is_out_of_memory(&thrown) {
        true => Leave::OutOfMemory,
        false => Leave::Threw(thrown),
    })
}

/// Compiles the tool and calls it; returns a promise of its result.
fn launch<'js>(ctx: &Ctx<'js>, start: &Start<'_>) -> Result<Promise<'js>> {
    let btcp = crate::apis::make_btcp(ctx, &start.members)?;
    let args = clone::unpack(ctx, start.args)?;
    match start.form {
        Form::Body => body(ctx, start)?.call((btcp, args)),
        Form::Module => module(ctx, start, btcp, args),
        Form::Kept => kept(ctx, start, btcp, args),
        Form::Detect => match body(ctx, start) {
            Ok(function) => function.call((btcp, args)),
            // A body that does not parse may be a module: `export` is legal nowhere else.
            Err(_) if is_likely_module(start.source) => {
                // The body's error is about `export`, which a module may have.
                ctx.catch();
                module(ctx, start, btcp, args)
            }
            Err(error) => Err(error),
        },
    }
}

/// Moves a syntax error behind the end of the source to its last line: a body that is cut off
/// fails in the text around it, which its author did not write.
fn past_the_end(start: &Start<'_>, left: Left) -> Left {
    let mut thrown = match left {
        Left::Other(Leave::Threw(thrown)) => thrown,
        other => return other,
    };
    let lines = start.source.lines().count().max(1);
    if thrown.position.is_some_and(|(line, _)| line as usize > lines) {
        let column = start.source.lines().last().map_or(0, |line| line.chars().count()) + 1;
        thrown.message = "unexpected end of the tool".into();
        thrown.stack = format!("    at {}:{lines}:{column}", start.file);
        thrown.position = Some((lines as u32, column as u32));
    }
    Left::Other(Leave::Threw(thrown))
}

/// Returns true if a line begins with a word that only a module's line can begin with.
fn is_likely_module(source: &str) -> bool {
    source.lines().any(|line| {
        let line = line.trim_start();
        line.starts_with("export") || line.starts_with("import")
    })
}

/// Compiles a body. The text is wrapped so that its lines keep their numbers, in an expression
/// without parentheses: QuickJS would scan those a second time, for the arrow of a function.
fn body<'js>(ctx: &Ctx<'js>, start: &Start<'_>) -> Result<Function<'js>> {
    if let Code::Kept(code) = start.code {
        let value = engine::run(engine::unpack(ctx, code)?)?;
        return value.into_function().ok_or(rquickjs::Error::Unknown);
    }
    let source = ["0, async function tool(btcp, args) {\n\n", start.source, "\n}"].concat();
    // QuickJS takes 0 for "not given", so the text begins two lines before its first.
    let line = -1;
    let value = match start.code {
        Code::ToKeep => {
            let code = engine::eval(ctx, &source, start.file, line, Eval::Compile)?;
            engine::pack(&code, keep)?;
            engine::run(code)?
        }
        Code::Unkept | Code::Kept(_) => engine::eval(ctx, &source, start.file, line, Eval::Script)?,
    };
    value.into_function().ok_or(rquickjs::Error::Unknown)
}

/// Hands the compiled code to the host, before any of it runs.
fn keep(code: &[u8]) {
    if code.len() <= MAX_CODE {
        gate::call(ToolCall::CodeKeep, code, |_, _| ());
    }
}

fn module<'js>(
    ctx: &Ctx<'js>,
    start: &Start<'_>,
    btcp: Object<'js>,
    args: Value<'js>,
) -> Result<Promise<'js>> {
    let module = Module::declare(ctx.clone(), start.file, start.source)?;
    crate::modules::set_meta(ctx, &module.meta()?)?;
    let (module, loaded) = module.eval()?;
    let namespace = module.namespace()?;
    clone::helper(ctx, "callDefault")?.call((loaded, namespace, btcp, args))
}

fn kept<'js>(
    ctx: &Ctx<'js>,
    start: &Start<'_>,
    btcp: Object<'js>,
    args: Value<'js>,
) -> Result<Promise<'js>> {
    ctx.globals().set("btcp", btcp.clone())?;
    ctx.globals().set("args", args.clone())?;
    let value = engine::eval(ctx, start.source, start.file, 1, Eval::AsyncScript)?;
    value.into_promise().ok_or(rquickjs::Error::Unknown)
}
