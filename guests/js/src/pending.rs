//! Calls that the host has not answered yet: timers, and calls that a promise waits for.

use std::cell::RefCell;
use std::collections::BTreeMap;

use cofferdam_abi::call::ToolCall;
use cofferdam_abi::frame::{Refusal, Status};
use rquickjs::{Ctx, Exception, Function, JsLifetime, Object, Persistent, Result, Value};

use crate::calls::Waiter;

thread_local! {
    /// Receivers of answers, by ticket.
    static WAITING: RefCell<BTreeMap<u32, Waiting>> = const { RefCell::new(BTreeMap::new()) };
    /// Exceptions that callbacks threw and nothing caught; the first ends the run.
    static REPORTED: RefCell<Vec<Persistent<Value<'static>>>> = const { RefCell::new(Vec::new()) };
}

/// Receiver of an answer.
enum Waiting {
    Timer,
    Promise(Waiter),
}

/// JavaScript function that runs a timer's callback, by ticket.
struct Dispatcher<'js>(Function<'js>);

// SAFETY: the only field is a JavaScript value of the same lifetime.
unsafe impl<'js> JsLifetime<'js> for Dispatcher<'js> {
    type Changed<'to> = Dispatcher<'to>;
}

/// Returns true while a call is pending.
pub fn is_any() -> bool {
    WAITING.with_borrow(|waiting| !waiting.is_empty())
}

/// Registers a promise for the answer to this ticket.
pub(crate) fn wait(ticket: u32, waiter: Waiter) {
    WAITING.with_borrow_mut(|waiting| waiting.insert(ticket, Waiting::Promise(waiter)));
}

/// Hands an answer to its receiver.
pub fn answer(ctx: &Ctx<'_>, ticket: u32, status: Status, payload: &[u8]) -> Result<()> {
    // A call that was cancelled while its answer was on the way has no receiver.
    let waiting = WAITING.with_borrow_mut(|waiting| waiting.remove(&ticket));
    match waiting {
        Some(Waiting::Timer) => {
            let dispatch = ctx.userdata::<Dispatcher>().map(|d| d.0.clone());
            if let Some(dispatch) = dispatch {
                dispatch.call::<_, Value>((ticket,))?;
            }
            Ok(())
        }
        Some(Waiting::Promise(waiter)) => waiter.settle(ctx, status, payload),
        None => Ok(()),
    }
}

/// Takes the exceptions that callbacks threw, in order.
pub fn take_reported<'js>(ctx: &Ctx<'js>) -> Result<Vec<Value<'js>>> {
    REPORTED.take().into_iter().map(|value| value.restore(ctx)).collect()
}

/// Drops everything: pending calls end with the run that made them.
pub fn forget() {
    WAITING.take();
    REPORTED.take();
}

fn start_timer(ctx: Ctx<'_>, delay: f64) -> Result<u32> {
    crate::gate::call(ToolCall::TimerStart, &delay.to_le_bytes(), |status, payload| match status {
        Status::Pending => {
            let ticket = u32::from_le_bytes(payload.try_into().unwrap_or_default());
            WAITING.with_borrow_mut(|waiting| waiting.insert(ticket, Waiting::Timer));
            Ok(ticket)
        }
        Status::Done | Status::Refused => {
            let refusal = Refusal::read(payload);
            let message = refusal.as_ref().map_or("", |refusal| refusal.message);
            Err(Exception::throw_range(&ctx, message))
        }
    })
}

/// Cancels a pending call.
fn stop(ticket: u32) {
    if WAITING.with_borrow_mut(|waiting| waiting.remove(&ticket)).is_some() {
        crate::gate::call(ToolCall::TicketCancel, &ticket.to_le_bytes(), |_, _| ());
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
    native.set("stopTimer", Function::new(ctx.clone(), stop)?)?;
    native.set("giveUp", Function::new(ctx.clone(), stop)?)?;
    native.set("onTimer", Function::new(ctx.clone(), on_timer)?)?;
    native.set("reportError", Function::new(ctx.clone(), report_error)?)
}
