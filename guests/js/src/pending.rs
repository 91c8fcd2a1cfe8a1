//! Calls the host has not answered yet. Timers are such calls.

use std::cell::RefCell;
use std::collections::BTreeSet;

use cofferdam_abi::call::Call;
use cofferdam_abi::frame::{Refusal, Status};
use rquickjs::{Ctx, Exception, Function, JsLifetime, Object, Persistent, Result, Value};

thread_local! {
    /// Timers that are running, by ticket.
    static TIMERS: RefCell<BTreeSet<u32>> = const { RefCell::new(BTreeSet::new()) };
    /// What callbacks threw with nobody to catch it; the first ends the run.
    static REPORTED: RefCell<Vec<Persistent<Value<'static>>>> = const { RefCell::new(Vec::new()) };
}

/// Calls the function behind a timer, by ticket.
struct Dispatcher<'js>(Function<'js>);

// SAFETY: the only field is a JavaScript value of the same lifetime.
unsafe impl<'js> JsLifetime<'js> for Dispatcher<'js> {
    type Changed<'to> = Dispatcher<'to>;
}

/// Whether anything is pending that could still settle a promise.
pub fn is_any() -> bool {
    TIMERS.with_borrow(|timers| !timers.is_empty())
}

/// Hands an answer to what waits for it.
pub fn answer(ctx: &Ctx<'_>, ticket: u32, _status: Status, _payload: &[u8]) -> Result<()> {
    // A timer that was stopped while its answer was on the way is not there any more.
    if TIMERS.with_borrow_mut(|timers| timers.remove(&ticket)) {
        let dispatch = ctx.userdata::<Dispatcher>().map(|d| d.0.clone());
        if let Some(dispatch) = dispatch {
            dispatch.call::<_, Value>((ticket,))?;
        }
    }
    Ok(())
}

/// Takes what callbacks threw, in order.
pub fn take_reported<'js>(ctx: &Ctx<'js>) -> Result<Vec<Value<'js>>> {
    REPORTED.take().into_iter().map(|value| value.restore(ctx)).collect()
}

/// Forgets everything: what is pending ends with the run that asked for it.
pub fn forget() {
    TIMERS.take();
    REPORTED.take();
}

fn start_timer(ctx: Ctx<'_>, delay: f64) -> Result<u32> {
    crate::gate::call(Call::TimerStart, &delay.to_le_bytes(), |status, payload| match status {
        Status::Pending => {
            let ticket = u32::from_le_bytes(payload.try_into().unwrap_or_default());
            TIMERS.with_borrow_mut(|timers| timers.insert(ticket));
            Ok(ticket)
        }
        Status::Done | Status::Refused => {
            let message = Refusal::read(payload).map_or("", |refusal| refusal.message);
            Err(Exception::throw_range(&ctx, message))
        }
    })
}

fn stop_timer(ticket: u32) {
    if TIMERS.with_borrow_mut(|timers| timers.remove(&ticket)) {
        crate::gate::call(Call::TicketCancel, &ticket.to_le_bytes(), |_, _| ());
    }
}

fn on_timer<'js>(ctx: Ctx<'js>, dispatch: Function<'js>) -> Result<()> {
    let stored = ctx.store_userdata(Dispatcher(dispatch));
    stored.map(|_| ()).map_err(|_| rquickjs::Error::Unknown)
}

fn report_error<'js>(ctx: Ctx<'js>, error: Value<'js>) {
    let error = Persistent::save(&ctx, error);
    REPORTED.with_borrow_mut(|reported| reported.push(error));
}

/// Puts `startTimer`, `stopTimer`, `onTimer` and `reportError` into the natives of the preludes.
pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("startTimer", Function::new(ctx.clone(), start_timer)?)?;
    native.set("stopTimer", Function::new(ctx.clone(), stop_timer)?)?;
    native.set("onTimer", Function::new(ctx.clone(), on_timer)?)?;
    native.set("reportError", Function::new(ctx.clone(), report_error)?)
}
