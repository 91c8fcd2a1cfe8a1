//! Many calls in one crossing, answered in order.

use std::cell::RefCell;

use cofferdam_abi::frame::{self, Status};
use cofferdam_abi::wire::Reader;
use rquickjs::atom::PredefinedAtom;
use rquickjs::promise::PromiseState;
use rquickjs::{Array, Atom, Ctx, Error, Function, Object, Promise, Result, Value};

use super::Waiter;
use super::shape::{Gives, Shape};
use crate::gate;

/// Most calls of a batch in one crossing, and most bytes; a longer batch crosses more than once.
const BATCH_CALLS: usize = 1024;
const BATCH_BYTES: usize = 1 << 20;

/// Calls that have not crossed yet.
struct Batch<T> {
    frames: Vec<u8>,
    waiting: Vec<T>,
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Batch { frames: Vec::new(), waiting: Vec::new() }
    }
}

impl<T> Batch<T> {
    fn is_full(&self) -> bool {
        self.waiting.len() >= BATCH_CALLS || self.frames.len() >= BATCH_BYTES
    }

    /// Sends the calls over together and hands out the answers, in order.
    fn cross(self, mut settle: impl FnMut(T, Status, &[u8]) -> Result<()>) -> Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        gate::cross(&self.frames, |answers| {
            let mut answers = Reader::new(answers);
            for waiting in self.waiting {
                let answer = frame::next_answer(&mut answers).map_err(|_| Error::Unknown)?;
                settle(waiting, answer.status, answer.payload)?;
            }
            Ok(())
        })
    }
}

thread_local! {
    /// The batch being gathered, while a tool's functions are called for it.
    static GATHERED: RefCell<Option<Batch<Waiter>>> = const { RefCell::new(None) };
}

/// Returns true while calls are gathered for one crossing.
pub(super) fn is_gathering() -> bool {
    GATHERED.with_borrow(Option::is_some)
}

/// Adds a call to the batch being gathered; a full batch crosses now.
pub(super) fn gather<'js>(ctx: &Ctx<'js>, gives: Gives, request: &[u8]) -> Result<Value<'js>> {
    let (promise, waiter) = Waiter::new(ctx, gives)?;
    let full = GATHERED.with_borrow_mut(|gathered| {
        let batch = gathered.get_or_insert_default();
        batch.frames.extend_from_slice(request);
        batch.waiting.push(waiter);
        batch.is_full().then(|| std::mem::take(batch))
    });
    settle_all(ctx, full.unwrap_or_default())?;
    Ok(promise)
}

fn settle_all(ctx: &Ctx<'_>, batch: Batch<Waiter>) -> Result<()> {
    batch.cross(|waiter, status, payload| waiter.settle(ctx, status, payload))
}

/// Begins to gather calls. Returns false if a batch is being gathered already.
fn begin() -> bool {
    GATHERED.with_borrow_mut(|batch| match batch {
        Some(_) => false,
        None => {
            *batch = Some(Batch::default());
            true
        }
    })
}

fn end(ctx: Ctx<'_>) -> Result<()> {
    settle_all(&ctx, GATHERED.take().unwrap_or_default())
}

/// Drops a batch that a killed run left.
pub(crate) fn forget() {
    GATHERED.take();
}

/// Returns the values of a batch's promises if all are fulfilled already.
fn kept_promises<'js>(promises: Vec<Promise<'js>>) -> Option<Vec<Value<'js>>> {
    let is_kept = |promise: &Promise<'_>| promise.state() == PromiseState::Resolved;
    if !promises.iter().all(is_kept) {
        return None;
    }
    promises.iter().map(|promise| promise.result::<Value>()?.ok()).collect()
}

/// A call's shape, and its arguments.
type Plain<'js> = (Shape, Object<'js>);

/// Returns the entries of a batch if all are `{ method, args: [...] }` with methods that are plain
/// calls. `find` returns the number of such a method's shape, and throws if no such method exists.
fn plain_calls<'js>(
    ctx: &Ctx<'js>,
    entries: &Object<'js>,
    find: &Function<'js>,
) -> Result<Option<Vec<Plain<'js>>>> {
    let Some(len) = entries.get::<_, Value>(PredefinedAtom::Length)?.as_int() else {
        return Ok(None);
    };
    let (method_name, args_name) =
        (Atom::from_str(ctx.clone(), "method")?, Atom::from_str(ctx.clone(), "args")?);
    let mut calls = Vec::new();
    // Most batches call one method again and again.
    let mut last: Option<(Value<'js>, Shape)> = None;
    for at in 0..len.max(0) as u32 {
        let Some(entry) = entries.get::<_, Value>(at)?.into_object() else { return Ok(None) };
        if entry.is_function() {
            return Ok(None);
        }
        let method: Value = entry.get(method_name.clone())?;
        let shape = match &last {
            Some((known, shape)) if *known == method => *shape,
            _ => match find.call::<_, Option<usize>>((method.clone(),))? {
                Some(number) => super::shape(ctx, number)?,
                None => return Ok(None),
            },
        };
        last = Some((method, shape));
        match entry.get::<_, Value>(args_name.clone())?.into_array() {
            Some(args) => calls.push((shape, args.into_object())),
            None => return Ok(None),
        }
    }
    Ok(Some(calls))
}

/// Makes the calls of a batch without a function or a promise for each, if possible. Returns the
/// values in order, as an array; or `{ promises }`, if some are pending or refused; or
/// `undefined`, if the entries are not plain calls and nothing was done.
fn call_all<'js>(
    ctx: Ctx<'js>,
    entries: Object<'js>,
    find: Function<'js>,
) -> Result<Option<Object<'js>>> {
    let Some(calls) = plain_calls(&ctx, &entries, &find)? else { return Ok(None) };
    let answers = Array::new(ctx.clone())?;
    let mut has_promises = false;
    let mut settle = |(at, gives): (usize, Gives), status: Status, payload: &[u8]| {
        let answer = if status == Status::Done {
            gives.unpack(&ctx, payload)?
        } else {
            has_promises = true;
            let (promise, waiter) = Waiter::new(&ctx, gives)?;
            waiter.settle(&ctx, status, payload)?;
            promise
        };
        answers.set(at, answer)
    };
    let mut batch = Batch::default();
    let mut wrong = None;
    for (at, (shape, args)) in calls.into_iter().enumerate() {
        let arg = |at| args.get(at as u32);
        if shape.pack(&ctx, &mut batch.frames, arg).is_err() {
            wrong = Some(ctx.catch());
            break;
        }
        batch.waiting.push((at, shape.gives));
        if batch.is_full() {
            std::mem::take(&mut batch).cross(&mut settle)?;
        }
    }
    // Calls before the wrong one still cross, as if each had been made by itself.
    batch.cross(&mut settle)?;
    if let Some(error) = wrong {
        return Err(ctx.throw(error));
    }
    if !has_promises {
        return Ok(Some(answers.into_object()));
    }
    let promises = Object::new(ctx)?;
    promises.set("promises", answers)?;
    Ok(Some(promises))
}

/// Puts the functions of batches into the natives of the preludes.
pub(super) fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("beginBatch", Function::new(ctx.clone(), begin)?)?;
    native.set("endBatch", Function::new(ctx.clone(), end)?)?;
    native.set("callAll", Function::new(ctx.clone(), call_all)?)?;
    native.set("keptPromises", Function::new(ctx.clone(), kept_promises)?)
}
