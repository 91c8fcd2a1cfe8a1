//! Compiles a tool, runs it, reports its end.

mod compile;
mod declared;
mod parameters;
mod scan;

use std::cell::RefCell;

use cofferdam_abi::entry::{Form, Leave, Start};
use cofferdam_abi::frame::Answer;
use cofferdam_abi::wire::Writer;
use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Persistent, Promise, Result, Value};

pub(crate) use compile::without_shebang;

use crate::{calls, clone, exit, modules, pending, rejections, script, sources, thrown};

/// The run in this cell, between two stays of the guest on the stack.
struct Running {
    promise: Persistent<Promise<'static>>,
    form: Form,
    file: String,
    result_bytes: usize,
    /// Set until the body of a module has run: microtasks then come before ticks, because Node runs
    /// the body itself as a microtask.
    is_module_body: bool,
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

/// Drops the run under way.
pub(crate) fn forget() {
    RUNNING.take();
}

/// Starts a tool and runs it as far as it goes. `interrupted` returns true once the host wants an end.
pub fn start(ctx: &Ctx<'_>, start: &Start<'_>, interrupted: &dyn Fn() -> bool) -> Left {
    let file = start.file.to_owned();
    pending::forget();
    calls::forget();
    rejections::forget();
    exit::forget();
    script::keep(start);
    let (promise, is_module_body) = match launch(ctx, start) {
        Ok(launched) => launched,
        Err(_) if exit::requested().is_some() => {
            ctx.catch();
            return exited();
        }
        Err(_) => return past_the_end(start, failed(ctx, &ctx.catch(), &file, interrupted)),
    };
    RUNNING.set(Some(Running {
        promise: Persistent::save(ctx, promise),
        form: start.form,
        file,
        result_bytes: start.result_bytes as usize,
        is_module_body,
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
            RUNNING.take();
            if exit::requested().is_some() {
                return exited();
            }
            return failed(ctx, &error, "", interrupted);
        }
        let left = advance(ctx, interrupted);
        if !matches!(left, Left::Other(Leave::Waiting)) {
            return left;
        }
    }
    advance(ctx, interrupted)
}

/// Runs microtasks until none is left. The run is over when, besides, no call is pending: a tool
/// that has returned may have left work behind.
// T-CELL-002: a tool that waits for ever.
fn advance(ctx: &Ctx<'_>, interrupted: &dyn Fn() -> bool) -> Left {
    let running = RUNNING.take();
    let Some(mut running) = running else { return Left::Other(Leave::Stuck) };
    let mut promise = match running.promise.clone().restore(ctx) {
        Ok(promise) => promise,
        Err(_) => return Left::Other(Leave::Stuck),
    };
    if let Some(left) = drain(ctx, &promise, &running, interrupted) {
        return left;
    }
    running.is_module_body = false;
    if let Some(over) = caught_by_listener(ctx, &promise, &running, interrupted) {
        running.promise = Persistent::save(ctx, over.clone());
        promise = over;
        if let Some(left) = drain(ctx, &promise, &running, interrupted) {
            return left;
        }
    }
    match promise.state() {
        PromiseState::Rejected => uncaught(ctx, &settled(ctx, &promise), &running, interrupted),
        PromiseState::Resolved if running.form == Form::Kept => {
            finished(ctx, settled(ctx, &promise), &running, interrupted)
        }
        PromiseState::Resolved if pending::holds_the_run() => {
            RUNNING.set(Some(running));
            Left::Other(Leave::Waiting)
        }
        // A script that is not done may wait for any call, also for a timer that was `unref`ed.
        PromiseState::Pending if pending::is_any() => {
            RUNNING.set(Some(running));
            Left::Other(Leave::Waiting)
        }
        PromiseState::Resolved => end(ctx, &promise, running, interrupted),
        PromiseState::Pending => Left::Other(Leave::Stuck),
    }
}

/// Offers an error of the script itself to the listeners of `uncaughtException`. If there is one, the
/// run goes on with what the script had started: returns a promise that is fulfilled already.
fn caught_by_listener<'js>(
    ctx: &Ctx<'js>,
    promise: &Promise<'js>,
    running: &Running,
    interrupted: &dyn Fn() -> bool,
) -> Option<Promise<'js>> {
    if promise.state() != PromiseState::Rejected || running.form == Form::Kept || interrupted() {
        return None;
    }
    if !offer_uncaught(ctx, &settled(ctx, promise), "uncaughtException") {
        return None;
    }
    rejections::forget_one(ctx, promise.as_value());
    let (over, resolve, _) = ctx.promise().ok()?;
    resolve.call::<_, ()>(()).ok()?;
    Some(over)
}

/// Offers an error to the listeners of `uncaughtException`; returns false if there are none.
fn offer_uncaught<'js>(ctx: &Ctx<'js>, error: &Value<'js>, origin: &str) -> bool {
    let origin = rquickjs::String::from_str(ctx.clone(), origin);
    let origin = origin.ok().map(rquickjs::String::into_value);
    modules::offer(ctx, "uncaughtException", error, origin)
}

/// Ends a run that has nothing left to do. A listener of `beforeExit` may give it more.
fn end<'js>(
    ctx: &Ctx<'js>,
    promise: &Promise<'js>,
    running: Running,
    interrupted: &dyn Fn() -> bool,
) -> Left {
    let mut ended = modules::emit(ctx, "beforeExit");
    if ended.is_ok() {
        if let Some(left) = drain(ctx, promise, &running, interrupted) {
            return left;
        }
        if pending::holds_the_run() {
            RUNNING.set(Some(running));
            return Left::Other(Leave::Waiting);
        }
        ended = modules::emit(ctx, "exit");
    }
    match ended {
        Ok(()) => finished(ctx, settled(ctx, promise), &running, interrupted),
        // A listener called `process.exit`.
        Err(_) if exit::requested().is_some() => {
            ctx.catch();
            exited()
        }
        Err(_) => failed(ctx, &ctx.catch(), &running.file, interrupted),
    }
}

/// Runs microtasks until none is left, or, in a kept cell, until the script is done. Returns the
/// reply if something ends the run meanwhile.
fn drain<'js>(
    ctx: &Ctx<'js>,
    promise: &Promise<'js>,
    running: &Running,
    interrupted: &dyn Fn() -> bool,
) -> Option<Left> {
    let fail = |error: &Value<'js>| Some(uncaught(ctx, error, running, interrupted));
    // Callbacks of `process.nextTick` come before the microtasks, and again when none is left.
    let mut is_tick = !running.is_module_body;
    loop {
        if is_tick {
            match pending::run_ticks(ctx) {
                Ok(ran) => is_tick = ran,
                // Only an exit unwinds as far as this; it is seen below.
                Err(_) => drop(ctx.catch()),
            }
        }
        if exit::requested().is_some() {
            ctx.catch();
            return Some(exited());
        }
        if interrupted() {
            return fail(&settled(ctx, promise));
        }
        for error in pending::take_reported(ctx).unwrap_or_default() {
            if !offer_uncaught(ctx, &error, "uncaughtException") {
                return fail(&error);
            }
        }
        let is_done = match promise.state() {
            PromiseState::Rejected => true,
            PromiseState::Resolved => running.form == Form::Kept,
            PromiseState::Pending => false,
        };
        if is_done {
            return None;
        }
        if ctx.execute_pending_job() {
            is_tick = false;
            continue;
        }
        if pending::has_ticks() {
            is_tick = true;
            continue;
        }
        match rejections::take(ctx) {
            None => return None,
            Some(Ok((promise, reason))) => {
                let is_heard = modules::offer(ctx, "unhandledRejection", &reason, Some(promise))
                    || offer_uncaught(ctx, &reason, "unhandledRejection");
                if !is_heard {
                    return fail(&reason);
                }
            }
            Some(Err(_)) => return fail(&ctx.catch()),
        }
    }
}

/// Ends a run with an error that nothing caught. Listeners of `exit` hear of it, as in Node.
fn uncaught<'js>(
    ctx: &Ctx<'js>,
    error: &Value<'js>,
    running: &Running,
    interrupted: &dyn Fn() -> bool,
) -> Left {
    let left = failed(ctx, error, &running.file, interrupted);
    if !interrupted() && running.form != Form::Kept && modules::emit_exit(ctx, 1).is_err() {
        ctx.catch();
    }
    left
}

/// Reports the end of a run that called `process.exit`.
fn exited() -> Left {
    match exit::requested() {
        Some(code) if code != 0 => Left::Other(Leave::Exited(code)),
        Some(_) | None => Left::Finished(clone::packed_undefined()),
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
    let code = exit::requested().unwrap_or_else(exit::at_end);
    if code != 0 && running.form != Form::Kept {
        return Left::Other(Leave::Exited(code));
    }
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

/// Compiles the tool and calls it; returns a promise of its result, and true if it is a module.
fn launch<'js>(ctx: &Ctx<'js>, start: &Start<'_>) -> Result<(Promise<'js>, bool)> {
    sources::keep(start.file, start.source);
    let btcp = crate::apis::make_btcp(ctx, &start.members)?;
    let args = clone::unpack(ctx, start.args)?;
    let as_body = |promise| (promise, false);
    let as_module = |promise| (promise, true);
    match start.form {
        Form::Body => compile::call_body(ctx, compile::body(ctx, start)?, btcp, args).map(as_body),
        Form::Module => compile::module(ctx, start, btcp, args).map(as_module),
        Form::Kept => compile::kept(ctx, start, btcp, args).map(as_body),
        Form::Detect => match compile::body(ctx, start) {
            Ok(function) => compile::call_body(ctx, function, btcp, args).map(as_body),
            // A body that does not parse may be a module: `export` is legal nowhere else.
            Err(_) if compile::is_likely_module(start.source) => {
                // The body's error is about `export`, which a module may have.
                ctx.catch();
                compile::module(ctx, start, btcp, args).map(as_module)
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
