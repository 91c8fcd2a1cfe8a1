//! The native side of timers; here a virtual clock that jumps to the next timer due.

use std::cell::{Cell, RefCell};

use rquickjs::{Ctx, Function, JsLifetime, Object, Result, Value};

thread_local! {
    static DUE: RefCell<Vec<(f64, u32)>> = const { RefCell::new(Vec::new()) };
    static LAST: Cell<u32> = const { Cell::new(0) };
    static ERRORS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

struct Dispatcher<'js>(Function<'js>);

// SAFETY: the only field is a JavaScript value of the same lifetime.
unsafe impl<'js> JsLifetime<'js> for Dispatcher<'js> {
    type Changed<'to> = Dispatcher<'to>;
}

/// Puts `startTimer`, `stopTimer`, `onTimer` and `reportError` into the natives of the preludes.
pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set(
        "startTimer",
        Function::new(ctx.clone(), |delay: f64| {
            let id = LAST.get() + 1;
            LAST.set(id);
            DUE.with_borrow_mut(|due| due.push((crate::gate::monotonic_now_ms() + delay, id)));
            id
        })?,
    )?;
    native.set(
        "stopTimer",
        Function::new(ctx.clone(), |id: u32| {
            DUE.with_borrow_mut(|due| due.retain(|timer| timer.1 != id));
        })?,
    )?;
    native.set(
        "onTimer",
        Function::new(ctx.clone(), |ctx: Ctx<'js>, dispatch: Function<'js>| {
            ctx.store_userdata(Dispatcher(dispatch))
                .map(|_| ())
                .map_err(|_| rquickjs::Error::Unknown)
        })?,
    )?;
    native.set(
        "reportError",
        Function::new(ctx.clone(), |error: rquickjs::Coerced<String>| {
            ERRORS.with_borrow_mut(|errors| errors.push(error.0));
        })?,
    )
}

/// Fires the next timer due, moving the clock to it; false when there is none.
pub fn fire_next(ctx: &Ctx<'_>) -> Result<bool> {
    let next = DUE.with_borrow_mut(|due| {
        let first = due.iter().enumerate().min_by(|a, b| a.1.partial_cmp(b.1).unwrap())?.0;
        Some(due.remove(first))
    });
    let Some((at, id)) = next else { return Ok(false) };
    crate::gate::advance((at - crate::gate::monotonic_now_ms()).max(0.0));
    let dispatch = ctx.userdata::<Dispatcher>().expect("timers are installed").0.clone();
    dispatch.call::<_, Value>((id,))?;
    Ok(true)
}

/// Takes the errors reported by callbacks.
pub fn take_errors() -> Vec<String> {
    ERRORS.take()
}
