//! Facts about values that the engine knows and the language does not reveal.

use rquickjs::promise::PromiseState;
use rquickjs::{Array, Ctx, Error, Function, JsLifetime, Object, Promise, Result, Value, qjs};
use unicode_width::UnicodeWidthStr;

use crate::apis::base::text::Text;
use crate::engine;

/// JavaScript function that shows an error with its properties: `(error) => text`.
struct ShowError<'js>(Function<'js>);

// SAFETY: the only field is a JavaScript value of the same lifetime.
unsafe impl<'js> JsLifetime<'js> for ShowError<'js> {
    type Changed<'to> = ShowError<'to>;
}

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("classId", Function::new(ctx.clone(), class_id)?)?;
    native.set("proxyParts", Function::new(ctx.clone(), proxy_parts)?)?;
    native.set("onShowError", Function::new(ctx.clone(), on_show_error)?)?;
    native.set("promiseState", Function::new(ctx.clone(), promise_state)?)?;
    native.set("textWidth", Function::new(ctx.clone(), |text: Text| text.0.width())?)
}

fn on_show_error<'js>(ctx: Ctx<'js>, show: Function<'js>) -> Result<()> {
    ctx.store_userdata(ShowError(show)).map(|_| ()).map_err(|_| Error::Unknown)
}

/// Returns an error as `util.inspect` shows it: stack, properties, cause, and errors of an
/// `AggregateError`. Returns `None` before the surface is loaded, and if showing throws.
pub(crate) fn show_error<'js>(ctx: &Ctx<'js>, error: &Value<'js>) -> Option<String> {
    let show = ctx.userdata::<ShowError>()?.0.clone();
    let shown = show.call::<_, Value>((error.clone(),)).and_then(|text| engine::text(&text));
    shown.map_err(|_| drop(ctx.catch())).ok()
}

/// The engine's class of an object: unlike a tag or a prototype, a tool cannot forge it.
fn class_id(value: Value<'_>) -> u32 {
    // SAFETY: the value is alive; the call only reads its header.
    unsafe { qjs::JS_GetClassID(value.as_raw()) }
}

/// `[target, handler]` of a proxy, `[null, null]` when it is revoked; none for anything else.
fn proxy_parts<'js>(ctx: Ctx<'js>, value: Value<'js>) -> Result<Option<Array<'js>>> {
    let parts = Array::new(ctx.clone())?;
    // SAFETY: the value is alive; the calls only read it and return new references or exceptions.
    unsafe {
        if !qjs::JS_IsProxy(value.as_raw()) {
            return Ok(None);
        }
        let raw = ctx.as_raw().as_ptr();
        for (index, part) in [
            qjs::JS_GetProxyTarget(raw, value.as_raw()),
            qjs::JS_GetProxyHandler(raw, value.as_raw()),
        ]
        .into_iter()
        .enumerate()
        {
            let part = Value::from_raw(ctx.clone(), part);
            // A revoked proxy has neither, and the engine says so by throwing.
            if part.is_exception() {
                ctx.catch();
                parts.set(index, Value::new_null(ctx.clone()))?;
            } else {
                parts.set(index, part)?;
            }
        }
    }
    Ok(Some(parts))
}

/// `[state]` or `[state, result]` with state 0 pending, 1 fulfilled, 2 rejected.
///
/// The result is read, not handed on: looking at a rejection does not count as handling it.
fn promise_state<'js>(ctx: Ctx<'js>, promise: Promise<'js>) -> Result<Array<'js>> {
    let answer = Array::new(ctx.clone())?;
    let state = match promise.state() {
        PromiseState::Pending => 0,
        PromiseState::Resolved => 1,
        PromiseState::Rejected => 2,
    };
    answer.set(0, state)?;
    if state != 0 {
        // SAFETY: a settled promise of this context; the call returns a new reference.
        let result = unsafe {
            let raw = qjs::JS_PromiseResult(ctx.as_raw().as_ptr(), promise.as_value().as_raw());
            Value::from_raw(ctx, raw)
        };
        answer.set(1, result)?;
    }
    Ok(answer)
}
