//! `process.exit` and `process.exitCode`.
//!
//! An exit unwinds the stack with an exception that no `catch` or `finally` sees. The few places
//! in QuickJS that turn any exception into a rejection may let the tool run on for a moment: it
//! then computes without effect, because no call reaches the host any more.

use std::cell::Cell;

use rquickjs::{Ctx, Error, Exception, Function, Object, Result, qjs};

thread_local! {
    /// Code given to `process.exit`.
    static REQUESTED: Cell<Option<u8>> = const { Cell::new(None) };
    /// Value of `process.exitCode`.
    static AT_END: Cell<Option<u8>> = const { Cell::new(None) };
}

/// Returns the code of an exit that was requested.
pub fn requested() -> Option<u8> {
    REQUESTED.get()
}

/// Returns the code that the run ends with when nothing is left to do.
pub fn at_end() -> u8 {
    AT_END.get().unwrap_or(0)
}

/// Forgets an exit of an earlier run.
pub fn forget() {
    REQUESTED.set(None);
    AT_END.set(None);
}

/// Throws again if an exit was requested, so that nothing more is asked of the host.
pub(crate) fn check(ctx: &Ctx<'_>) -> Result<()> {
    match REQUESTED.get() {
        Some(_) => Err(unwind(ctx)),
        None => Ok(()),
    }
}

/// Leaves an exception pending that nothing in the tool can catch.
fn unwind(ctx: &Ctx<'_>) -> Error {
    let error = match Exception::from_message(ctx.clone(), "exit") {
        Ok(error) => error.into_value(),
        Err(error) => return error,
    };
    // SAFETY: `ctx` and `error` are live; the call sets a flag of the error object.
    unsafe { qjs::JS_SetUncatchableError(ctx.as_raw().as_ptr(), error.as_raw()) };
    ctx.throw(error)
}

/// Requests an exit: nothing reaches the host any more, and the next call unwinds the tool.
pub(crate) fn request(code: u8) {
    REQUESTED.set(Some(code));
}

fn exit(ctx: Ctx<'_>, code: u8) -> Result<()> {
    request(code);
    Err(unwind(&ctx))
}

/// Puts `exit`, `exitCode` and `setExitCode` into the natives of the preludes.
pub(crate) fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("exit", Function::new(ctx.clone(), exit)?)?;
    native.set("exitCode", Function::new(ctx.clone(), || AT_END.get())?)?;
    let set = |code: Option<u8>| AT_END.set(code);
    native.set("setExitCode", Function::new(ctx.clone(), set)?)
}
