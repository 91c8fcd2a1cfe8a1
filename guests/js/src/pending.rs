//! Calls that the host has not answered yet: timers, and calls that a promise waits for.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use cofferdam_abi::call::ToolCall;
use cofferdam_abi::frame::{Refusal, Status};
use rquickjs::{Ctx, Exception, Function, JsLifetime, Object, Persistent, Result, Value};

use crate::calls::Waiter;
use crate::exit;

thread_local! {
    /// Receivers of answers, by ticket.
    static WAITING: RefCell<BTreeMap<u32, Waiting>> = const { RefCell::new(BTreeMap::new()) };
    /// Tickets in [`WAITING`] that do not keep the run from ending.
    static LOOSE: RefCell<BTreeSet<u32>> = const { RefCell::new(BTreeSet::new()) };
    /// Runs the callbacks of `process.nextTick`; set while there are any.
    static TICKS: RefCell<Option<Persistent<Function<'static>>>> = const { RefCell::new(None) };
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

/// Returns true while a call is pending that the run waits for. A timer that was `unref`ed is not.
pub fn holds_the_run() -> bool {
    WAITING.with_borrow(|waiting| waiting.len()) > LOOSE.with_borrow(BTreeSet::len)
}

/// Registers a promise for the answer to this ticket.
pub(crate) fn wait(ticket: u32, waiter: Waiter) {
    WAITING.with_borrow_mut(|waiting| waiting.insert(ticket, Waiting::Promise(waiter)));
}

/// Hands an answer to its receiver.
pub fn answer(ctx: &Ctx<'_>, ticket: u32, status: Status, payload: &[u8]) -> Result<()> {
    // A call that was cancelled while its answer was on the way has no receiver.
    let waiting = take(ticket);
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

/// Removes the receiver of a ticket.
fn take(ticket: u32) -> Option<Waiting> {
    LOOSE.with_borrow_mut(|loose| loose.remove(&ticket));
    WAITING.with_borrow_mut(|waiting| waiting.remove(&ticket))
}

/// Says if the run waits for a pending call.
fn hold(ticket: u32, holds: bool) {
    let is_pending = WAITING.with_borrow(|waiting| waiting.contains_key(&ticket));
    LOOSE.with_borrow_mut(|loose| match is_pending && !holds {
        true => loose.insert(ticket),
        false => loose.remove(&ticket),
    });
}

/// Runs the callbacks of `process.nextTick`. Returns false if there are none.
pub fn run_ticks(ctx: &Ctx<'_>) -> Result<bool> {
    let Some(run) = TICKS.take() else { return Ok(false) };
    run.restore(ctx)?.call::<_, Value>(())?;
    Ok(true)
}

/// Returns true if `process.nextTick` has callbacks to run.
pub fn has_ticks() -> bool {
    TICKS.with_borrow(Option::is_some)
}

fn want_ticks<'js>(ctx: Ctx<'js>, run: Function<'js>) {
    TICKS.set(Some(Persistent::save(&ctx, run)));
}

/// Runs the callbacks of `process.nextTick` and microtasks until neither are left.
pub fn run_jobs(ctx: &Ctx<'_>) -> Result<()> {
    loop {
        run_ticks(ctx)?;
        while ctx.execute_pending_job() {}
        if !has_ticks() {
            return Ok(());
        }
    }
}

/// Takes the exceptions that callbacks threw, in order.
pub fn take_reported<'js>(ctx: &Ctx<'js>) -> Result<Vec<Value<'js>>> {
    REPORTED.take().into_iter().map(|value| value.restore(ctx)).collect()
}

/// Drops everything: pending calls end with the run that made them.
pub fn forget() {
    WAITING.take();
    LOOSE.take();
    TICKS.take();
    REPORTED.take();
}

fn start_timer(ctx: Ctx<'_>, delay: f64) -> Result<u32> {
    exit::check(&ctx)?;
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
    if take(ticket).is_some() {
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

/// Puts the functions of timers into the natives of the preludes.
pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("startTimer", Function::new(ctx.clone(), start_timer)?)?;
    native.set("stopTimer", Function::new(ctx.clone(), stop)?)?;
    native.set("wantTicks", Function::new(ctx.clone(), want_ticks)?)?;
    native.set("holdRun", Function::new(ctx.clone(), hold)?)?;
    native.set("giveUp", Function::new(ctx.clone(), stop)?)?;
    native.set("onTimer", Function::new(ctx.clone(), on_timer)?)?;
    native.set("reportError", Function::new(ctx.clone(), report_error)?)
}
