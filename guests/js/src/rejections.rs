//! Rejected promises that nothing handles; one that is left when no microtask is, ends the run.

use std::cell::RefCell;

use rquickjs::{Ctx, Persistent, Result, Runtime, Value};

/// A rejected promise, and the reason.
type Rejection = (Persistent<Value<'static>>, Persistent<Value<'static>>);

thread_local! {
    /// Rejections without a handler, oldest first.
    static UNHANDLED: RefCell<Vec<Rejection>> = const { RefCell::new(Vec::new()) };
}

/// Most rejections that are kept at once; the first ends the run, so the rest hardly matters.
const MAX_KEPT: usize = 1024;

/// Has the runtime report rejections.
pub fn install(runtime: &Runtime) {
    runtime.set_host_promise_rejection_tracker(Some(Box::new(track)));
}

fn track<'js>(ctx: Ctx<'js>, promise: Value<'js>, reason: Value<'js>, is_handled: bool) {
    if is_handled {
        return forget_one(&ctx, &promise);
    }
    let rejection = (Persistent::save(&ctx, promise), Persistent::save(&ctx, reason));
    UNHANDLED.with_borrow_mut(|kept| {
        if kept.len() < MAX_KEPT {
            kept.push(rejection);
        }
    });
}

/// Drops a rejection that was handled after all.
pub(crate) fn forget_one<'js>(ctx: &Ctx<'js>, promise: &Value<'js>) {
    let kept = UNHANDLED.take();
    let is_other =
        |kept: &Rejection| kept.0.clone().restore(ctx).is_ok_and(|other| other != *promise);
    UNHANDLED.set(kept.into_iter().filter(is_other).collect());
}

/// Takes the oldest rejection: promise and reason.
pub fn take<'js>(ctx: &Ctx<'js>) -> Option<Result<(Value<'js>, Value<'js>)>> {
    let first = UNHANDLED.with_borrow_mut(|kept| (!kept.is_empty()).then(|| kept.remove(0)))?;
    Some(first.0.restore(ctx).and_then(|promise| Ok((promise, first.1.restore(ctx)?))))
}

/// Forgets the rejections of an earlier run.
pub fn forget() {
    UNHANDLED.take();
}
