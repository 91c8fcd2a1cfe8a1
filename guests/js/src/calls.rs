//! Host calls made by preludes: fields packed by a shape, answers as promises, batches.

mod batch;
mod place;
mod shape;

use std::cell::{Cell, RefCell};

use cofferdam_abi::frame::{Refusal, Status};
use rquickjs::function::{IntoJsFunc, ParamRequirement, Params};
use rquickjs::{Array, Ctx, Error, Exception, Function, JsLifetime, Object, Result, Value};

use crate::apis::Text;
use crate::engine::Deferred;
use crate::{engine, exit, gate, pending};

pub(crate) use batch::forget;
use shape::{Gives, Shape};

thread_local! {
    /// Shapes of calls, made while the image is built; batches name them by number.
    static SHAPES: RefCell<Vec<Shape>> = const { RefCell::new(Vec::new()) };
    /// Buffer that requests are packed in, so that a call allocates nothing. Taken while in use:
    /// packing may run a tool's getters, and those may call the host again.
    static REQUEST: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
    /// Ticket of the last pending call, for calls that can be cancelled.
    static LAST_TICKET: Cell<u32> = const { Cell::new(0) };
}

/// Largest request buffer that is kept for the next request.
const MAX_ROOM_KEPT: usize = 4096;

/// JavaScript function that makes an error of a refusal: `(name, message, members) => error`.
struct RefusalError<'js>(Function<'js>);

// SAFETY: the only field is a JavaScript value of the same lifetime.
unsafe impl<'js> JsLifetime<'js> for RefusalError<'js> {
    type Changed<'to> = RefusalError<'to>;
}

/// A promise that an answer settles.
pub(crate) struct Waiter {
    promise: Deferred,
    gives: Gives,
}

impl Waiter {
    /// Returns a promise, and the waiter that settles it.
    fn new<'js>(ctx: &Ctx<'js>, gives: Gives) -> Result<(Value<'js>, Self)> {
        let (value, promise) = Deferred::new(ctx)?;
        Ok((value, Waiter { promise, gives }))
    }

    /// Settles the promise with an answer.
    pub(crate) fn settle(self, ctx: &Ctx<'_>, status: Status, payload: &[u8]) -> Result<()> {
        match status {
            Status::Done => self.promise.settle(ctx, self.gives.unpack(ctx, payload)),
            Status::Refused => self.promise.settle(ctx, throw_refusal(ctx, payload)),
            Status::Pending => {
                let ticket = ticket(payload);
                LAST_TICKET.set(ticket);
                pending::wait(ticket, self);
                if place::is_asked(payload) {
                    place::tell_question(ctx, ticket);
                }
                Ok(())
            }
        }
    }
}

/// Reads the ticket from the answer to a pending call.
fn ticket(payload: &[u8]) -> u32 {
    payload.first_chunk().copied().map(u32::from_le_bytes).unwrap_or_default()
}

/// Throws a refusal as a JavaScript error.
fn throw_refusal<'js>(ctx: &Ctx<'js>, payload: &[u8]) -> Result<Value<'js>> {
    let refusal = Refusal::read(payload).map_err(|_| Error::Unknown)?;
    let members = Array::new(ctx.clone())?;
    for (at, (name, value)) in refusal.members.iter().enumerate() {
        members.set(2 * at, *name)?;
        members.set(2 * at + 1, *value)?;
    }
    let make = ctx.userdata::<RefusalError>().map(|kept| kept.0.clone()).ok_or(Error::Unknown)?;
    let error: Value = make.call((refusal.name, refusal.message, members))?;
    if refusal.name == "PermissionError" {
        place::tell_denial(ctx, &error);
    }
    Err(ctx.throw(error))
}

/// Packs a call and hands the request to `f`.
fn with_request<'js, T>(
    shape: Shape,
    args: &Params<'_, 'js>,
    f: impl FnOnce(&[u8]) -> Result<T>,
) -> Result<T> {
    let ctx = args.ctx();
    exit::check(ctx)?;
    let mut request = REQUEST.take();
    request.clear();
    let arg = |at| Ok(args.arg(at).unwrap_or_else(|| Value::new_undefined(ctx.clone())));
    let packed = shape.pack(ctx, &mut request, arg);
    let result = packed.and_then(|()| f(&request));
    if request.capacity() <= MAX_ROOM_KEPT {
        REQUEST.set(request);
    }
    result
}

/// Makes a call and returns a promise of its answer.
fn send<'js>(shape: Shape, args: Params<'_, 'js>) -> Result<Value<'js>> {
    let ctx = args.ctx();
    with_request(shape, &args, |request| {
        if batch::is_gathering() {
            return batch::gather(ctx, shape.gives, request);
        }
        gate::send(request, |status, payload| {
            // Most answers come at once: a promise that is settled from the start costs half.
            if status == Status::Done {
                match shape.gives.unpack(ctx, payload) {
                    Ok(value) => return engine::fulfilled(ctx, value),
                    Err(_) => drop(ctx.catch()),
                }
            }
            let (promise, waiter) = Waiter::new(ctx, shape.gives)?;
            waiter.settle(ctx, status, payload)?;
            Ok(promise)
        })
    })
}

/// Makes a call and returns its answer, however long that takes: the tool blocks meanwhile.
fn send_now<'js>(shape: Shape, args: Params<'_, 'js>) -> Result<Value<'js>> {
    let ctx = args.ctx();
    let settled = |status, payload: &[u8]| match status {
        Status::Done => shape.gives.unpack(ctx, payload),
        Status::Refused | Status::Pending => throw_refusal(ctx, payload),
    };
    with_request(shape, &args, |request| {
        let answered = gate::send(request, |status, payload| match status {
            Status::Pending => {
                let ticket = ticket(payload);
                if place::is_asked(payload) {
                    place::tell_question(ctx, ticket);
                }
                Err(ticket)
            }
            Status::Done | Status::Refused => Ok(settled(status, payload)),
        });
        answered.unwrap_or_else(|ticket| gate::wait_for(ticket, settled))
    })
}

/// A function that makes one call of the table.
struct HostCall {
    shape: Shape,
    send: for<'js> fn(Shape, Params<'_, 'js>) -> Result<Value<'js>>,
}

/// Marker for a function that reads its arguments in place, without a vector for them.
struct AsTheyCome;

impl<'js> IntoJsFunc<'js, AsTheyCome> for HostCall {
    fn param_requirements() -> ParamRequirement {
        ParamRequirement::any()
    }

    fn call<'a>(&self, params: Params<'a, 'js>) -> Result<Value<'js>> {
        (self.send)(self.shape, params)
    }
}

/// Adds a shape and returns its number.
fn new_shape(ctx: Ctx<'_>, name: Text, takes: Text, gives: Text) -> Result<usize> {
    let shape = Shape::new(&ctx, &name.0, &takes.0, &gives.0)?;
    SHAPES.with_borrow_mut(|shapes| shapes.push(shape));
    Ok(SHAPES.with_borrow(Vec::len) - 1)
}

/// Returns the shape of this number.
fn shape(ctx: &Ctx<'_>, number: usize) -> Result<Shape> {
    let found = SHAPES.with_borrow(|shapes| shapes.get(number).copied());
    found.ok_or_else(|| Exception::throw_internal(ctx, "no such shape"))
}

/// Returns a function that makes the call and returns a promise.
fn host_call<'js>(ctx: Ctx<'js>, number: usize) -> Result<Function<'js>> {
    let shape = shape(&ctx, number)?;
    Function::new(ctx, HostCall { shape, send })?.with_length(shape.arity())
}

/// Returns a function that makes the call and blocks until it can return the value.
fn host_call_now<'js>(ctx: Ctx<'js>, number: usize) -> Result<Function<'js>> {
    let shape = shape(&ctx, number)?;
    Function::new(ctx, HostCall { shape, send: send_now })?.with_length(shape.arity())
}

fn on_refusal<'js>(ctx: Ctx<'js>, make: Function<'js>) -> Result<()> {
    ctx.store_userdata(RefusalError(make)).map(|_| ()).map_err(|_| Error::Unknown)
}

/// Puts the functions that call the host into the natives of the preludes.
pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("shape", Function::new(ctx.clone(), new_shape)?)?;
    native.set("hostCall", Function::new(ctx.clone(), host_call)?)?;
    native.set("hostCallNow", Function::new(ctx.clone(), host_call_now)?)?;
    native.set("lastTicket", Function::new(ctx.clone(), || LAST_TICKET.replace(0))?)?;
    native.set("onRefusal", Function::new(ctx.clone(), on_refusal)?)?;
    batch::natives(ctx, native)
}
