//! Host calls made by preludes: fields packed by a shape, answers as promises, batches.

use std::cell::{Cell, RefCell};

use cofferdam_abi::call::Call;
use cofferdam_abi::frame::{self, Refusal, Status};
use cofferdam_abi::wire::{Reader, Writer};
use rquickjs::function::{IntoJsFunc, ParamRequirement, Params};
use rquickjs::promise::PromiseState;
use rquickjs::{
    Array, Ctx, Error, Exception, FromJs, Function, JsLifetime, Object, Persistent, Promise,
    Result, TypedArray, Value,
};

use crate::apis::{Bytes, Text};
use crate::{clone, engine, gate, pending};

/// Longest packed value in a call.
const MAX_VALUE: usize = 8 << 20;

/// Most calls of a batch in one crossing, and most bytes; a longer batch crosses more than once.
const BATCH_CALLS: usize = 1024;
const BATCH_BYTES: usize = 1 << 20;

/// How a call's fields are packed and its answer unpacked. Made while the image is.
#[derive(Clone, Copy)]
struct Shape {
    call: Call,
    takes: &'static [Field],
    gives: Gives,
}

#[derive(Clone, Copy)]
enum Field {
    /// `b`
    Byte,
    /// `u`
    Number,
    /// `s`
    Text,
    /// `v`
    Value,
    /// `r`: bytes without a length, the last field.
    Rest,
}

#[derive(Clone, Copy)]
enum Gives {
    Nothing,
    Value,
    Bytes,
}

/// The promise that an answer settles.
pub(crate) struct Waiter {
    resolve: Persistent<Function<'static>>,
    reject: Persistent<Function<'static>>,
    gives: Gives,
}

/// Calls of a batch that did not cross yet.
#[derive(Default)]
struct Batch {
    frames: Writer,
    waiters: Vec<Waiter>,
}

thread_local! {
    static BATCH: RefCell<Option<Batch>> = const { RefCell::new(None) };
    /// Ticket of the last call that is pending, for what can be given up.
    static LAST_TICKET: Cell<u32> = const { Cell::new(0) };
}

/// Makes an error of a refusal: `(name, message, members) => error`.
struct Refused<'js>(Function<'js>);

// SAFETY: the only field is a JavaScript value of the same lifetime.
unsafe impl<'js> JsLifetime<'js> for Refused<'js> {
    type Changed<'to> = Refused<'to>;
}

impl Waiter {
    /// A promise, and what settles it.
    fn new<'js>(ctx: &Ctx<'js>, gives: Gives) -> Result<(Value<'js>, Self)> {
        let (promise, resolve, reject) = Promise::new(ctx)?;
        let (resolve, reject) = (Persistent::save(ctx, resolve), Persistent::save(ctx, reject));
        Ok((promise.into_value(), Waiter { resolve, reject, gives }))
    }

    /// Settles the promise with an answer.
    pub(crate) fn settle(self, ctx: &Ctx<'_>, status: Status, payload: &[u8]) -> Result<()> {
        match status {
            Status::Done => match unpack(ctx, self.gives, payload) {
                Ok(value) => self.resolve.restore(ctx)?.call((value,)),
                Err(_) => self.reject.restore(ctx)?.call((ctx.catch(),)),
            },
            Status::Refused => self.reject.restore(ctx)?.call((refusal(ctx, payload)?,)),
            Status::Pending => {
                let ticket = u32::from_le_bytes(payload.try_into().unwrap_or_default());
                LAST_TICKET.set(ticket);
                pending::wait(ticket, self);
                Ok(())
            }
        }
    }
}

fn unpack<'js>(ctx: &Ctx<'js>, gives: Gives, payload: &[u8]) -> Result<Value<'js>> {
    match gives {
        Gives::Nothing => Ok(Value::new_undefined(ctx.clone())),
        Gives::Value => clone::unpack(ctx, payload),
        Gives::Bytes => TypedArray::<u8>::new(ctx.clone(), payload).map(TypedArray::into_value),
    }
}

/// The error that a refusal is thrown as.
fn refusal<'js>(ctx: &Ctx<'js>, payload: &[u8]) -> Result<Value<'js>> {
    let refusal = Refusal::read(payload).map_err(|_| Error::Unknown)?;
    let members = Array::new(ctx.clone())?;
    for (at, (name, value)) in refusal.members.iter().enumerate() {
        members.set(2 * at, *name)?;
        members.set(2 * at + 1, *value)?;
    }
    let make = ctx.userdata::<Refused>().map(|kept| kept.0.clone()).ok_or(Error::Unknown)?;
    make.call((refusal.name, refusal.message, members))
}

fn pack<'js>(shape: &Shape, args: Params<'_, 'js>) -> Result<Vec<u8>> {
    let ctx = &args.ctx().clone();
    let mut w = Writer::new();
    for (at, field) in shape.takes.iter().enumerate() {
        let value = args.arg(at).ok_or_else(|| Exception::throw_type(ctx, "argument missing"))?;
        match field {
            Field::Byte => w.u8(u8::from_js(ctx, value)?),
            Field::Number => w.u32(u32::from_js(ctx, value)?),
            Field::Text => w.str(&Text::from_js(ctx, value)?.0),
            Field::Value => match clone::pack(ctx, value, MAX_VALUE) {
                Ok(bytes) => w.bytes(&bytes),
                Err(clone::Failed::Threw(error)) => return Err(error),
                Err(clone::Failed::TooLong) => {
                    let message = format!("a value of more than {MAX_VALUE} bytes");
                    return Err(Exception::throw_range(ctx, &message));
                }
            },
            Field::Rest => w.raw(&Bytes::from_js(ctx, value)?.0),
        };
    }
    if w.len() > frame::MAX_REQUEST - frame::REQUEST_HEADER {
        let message = format!("a call of more than {} bytes", frame::MAX_REQUEST);
        return Err(Exception::throw_range(ctx, &message));
    }
    Ok(w.finish())
}

/// Makes a call and answers a promise of what it gives.
fn send<'js>(shape: Shape, args: Params<'_, 'js>) -> Result<Value<'js>> {
    let ctx = &args.ctx().clone();
    let payload = pack(&shape, args)?;
    if BATCH.with_borrow(Option::is_some) {
        return gather(ctx, shape, &payload);
    }
    let (status, answer) = gate::call(shape.call, &payload, kept);
    // Most answers are there at once: a promise that nobody has to settle costs half as much.
    if status == Status::Done
        && let Ok(value) = unpack(ctx, shape.gives, &answer)
    {
        return engine::fulfilled(ctx, value);
    }
    let (promise, waiter) = Waiter::new(ctx, shape.gives)?;
    waiter.settle(ctx, status, &answer)?;
    Ok(promise)
}

/// Keeps a call for the crossing of its batch; one that is full crosses now.
fn gather<'js>(ctx: &Ctx<'js>, shape: Shape, payload: &[u8]) -> Result<Value<'js>> {
    let (promise, waiter) = Waiter::new(ctx, shape.gives)?;
    let full = BATCH.with_borrow_mut(|gathered| {
        let batch = gathered.get_or_insert_default();
        frame::write_request(&mut batch.frames, shape.call, payload);
        batch.waiters.push(waiter);
        let is_full = batch.waiters.len() >= BATCH_CALLS || batch.frames.len() >= BATCH_BYTES;
        is_full.then(|| std::mem::take(batch))
    });
    cross(ctx, full.unwrap_or_default())?;
    Ok(promise)
}

/// Makes a call and answers what it gives, however long that takes: the tool stands still.
fn send_now<'js>(shape: Shape, args: Params<'_, 'js>) -> Result<Value<'js>> {
    let ctx = &args.ctx().clone();
    let payload = pack(&shape, args)?;
    let (mut status, mut answer) = gate::call(shape.call, &payload, kept);
    if status == Status::Pending {
        let ticket = u32::from_le_bytes(answer.as_slice().try_into().unwrap_or_default());
        (status, answer) = gate::wait_for(ticket, kept);
    }
    match status {
        Status::Done => unpack(ctx, shape.gives, &answer),
        Status::Refused | Status::Pending => {
            let error = refusal(ctx, &answer)?;
            Err(ctx.throw(error))
        }
    }
}

/// A copy of an answer: settling a promise may run what a tool has put in its way, and that may
/// call the host again, which needs the room that the answer is in.
fn kept(status: Status, payload: &[u8]) -> (Status, Vec<u8>) {
    (status, payload.to_vec())
}

/// Sends the calls of a batch over together and settles them in order.
fn cross(ctx: &Ctx<'_>, batch: Batch) -> Result<()> {
    if batch.waiters.is_empty() {
        return Ok(());
    }
    let answers = gate::cross(batch.frames.as_bytes(), <[u8]>::to_vec);
    let mut answers = Reader::new(&answers);
    for waiter in batch.waiters {
        let answer = frame::next_answer(&mut answers).map_err(|_| Error::Unknown)?;
        waiter.settle(ctx, answer.status, answer.payload)?;
    }
    Ok(())
}

/// From now on calls are gathered. False if they are already.
fn begin_batch() -> bool {
    BATCH.with_borrow_mut(|batch| match batch {
        Some(_) => false,
        None => {
            *batch = Some(Batch::default());
            true
        }
    })
}

fn end_batch(ctx: Ctx<'_>) -> Result<()> {
    cross(&ctx, BATCH.take().unwrap_or_default())
}

/// Forgets a batch that a killed run left.
pub(crate) fn forget() {
    BATCH.take();
}

/// What the promises of a batch came to, if all of them are kept already.
fn kept_promises<'js>(promises: Vec<Promise<'js>>) -> Option<Vec<Value<'js>>> {
    let is_kept = |promise: &Promise<'_>| promise.state() == PromiseState::Resolved;
    if !promises.iter().all(is_kept) {
        return None;
    }
    promises.iter().map(|promise| promise.result::<Value>()?.ok()).collect()
}

fn new_shape(ctx: &Ctx<'_>, name: &Text, takes: &Text, gives: &Text) -> Result<Shape> {
    let wrong = || Exception::throw_internal(ctx, "no such shape");
    let call = Call::ALL.iter().find(|call| call.name() == name.0).ok_or_else(wrong)?;
    let fields = takes.0.chars().map(|letter| match letter {
        'b' => Ok(Field::Byte),
        'u' => Ok(Field::Number),
        's' => Ok(Field::Text),
        'v' => Ok(Field::Value),
        'r' => Ok(Field::Rest),
        _ => Err(wrong()),
    });
    // Shapes are made while the image is, and live as long as it.
    let takes = fields.collect::<Result<Vec<_>>>()?.leak();
    let gives = match gives.0.as_str() {
        "" => Gives::Nothing,
        "v" => Gives::Value,
        "r" => Gives::Bytes,
        _ => return Err(wrong()),
    };
    Ok(Shape { call: *call, takes, gives })
}

/// A function that makes one call of the table.
struct HostCall {
    shape: Shape,
    send: for<'js> fn(Shape, Params<'_, 'js>) -> Result<Value<'js>>,
}

/// Arguments as they come, without a vector for them.
struct AsTheyCome;

impl<'js> IntoJsFunc<'js, AsTheyCome> for HostCall {
    fn param_requirements() -> ParamRequirement {
        ParamRequirement::any()
    }

    fn call<'a>(&self, params: Params<'a, 'js>) -> Result<Value<'js>> {
        (self.send)(self.shape, params)
    }
}

/// A function whose answer is a promise.
fn host_call<'js>(ctx: Ctx<'js>, name: Text, takes: Text, gives: Text) -> Result<Function<'js>> {
    let shape = new_shape(&ctx, &name, &takes, &gives)?;
    Function::new(ctx, HostCall { shape, send })
}

/// The same for programs that know no promises: it answers the value itself.
fn host_call_now<'js>(
    ctx: Ctx<'js>,
    name: Text,
    takes: Text,
    gives: Text,
) -> Result<Function<'js>> {
    let shape = new_shape(&ctx, &name, &takes, &gives)?;
    Function::new(ctx, HostCall { shape, send: send_now })
}

fn on_refusal<'js>(ctx: Ctx<'js>, make: Function<'js>) -> Result<()> {
    ctx.store_userdata(Refused(make)).map(|_| ()).map_err(|_| Error::Unknown)
}

/// Puts the means of calling the host into the natives of the preludes.
pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("hostCall", Function::new(ctx.clone(), host_call)?)?;
    native.set("hostCallNow", Function::new(ctx.clone(), host_call_now)?)?;
    native.set("keptPromises", Function::new(ctx.clone(), kept_promises)?)?;
    native.set("lastTicket", Function::new(ctx.clone(), || LAST_TICKET.replace(0))?)?;
    native.set("beginBatch", Function::new(ctx.clone(), begin_batch)?)?;
    native.set("endBatch", Function::new(ctx.clone(), end_batch)?)?;
    native.set("onRefusal", Function::new(ctx.clone(), on_refusal)?)
}
