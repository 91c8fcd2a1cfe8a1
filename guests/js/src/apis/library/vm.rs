//! Global objects beside the tool's, for `vm`: contexts of the same engine without the web surface.
//! They isolate names and nothing else; the cell is the boundary.

use std::cell::{Cell, RefCell};
use std::ptr::NonNull;

use rquickjs::{Ctx, Exception, Function, Object, Result, Value, qjs};

use crate::apis::Text;
use crate::engine::{self, Eval};
use crate::gate;

/// Most contexts of one cell: each holds a whole set of built-ins, and none is given back.
const MAX_CONTEXTS: usize = 64;

thread_local! {
    static CONTEXTS: RefCell<Vec<NonNull<qjs::JSContext>>> = const { RefCell::new(Vec::new()) };
    /// Time at which the script that runs with a timeout is stopped, in milliseconds.
    static DEADLINE: Cell<Option<f64>> = const { Cell::new(None) };
}

/// Returns true if a script has run past its `timeout`.
pub(crate) fn is_late() -> bool {
    DEADLINE.get().is_some_and(|deadline| gate::monotonic_now_ms() >= deadline)
}

/// Frees the contexts, before the engine is.
pub(crate) fn forget() {
    DEADLINE.set(None);
    for context in CONTEXTS.take() {
        // SAFETY: the reference that `JS_NewContext` returned, and that nothing else gives back.
        unsafe { qjs::JS_FreeContext(context.as_ptr()) };
    }
}

/// Makes a context and returns its number.
fn new_context(ctx: Ctx<'_>) -> Result<usize> {
    let count = CONTEXTS.with_borrow(Vec::len);
    if count >= MAX_CONTEXTS {
        let message = format!("a run has at most {MAX_CONTEXTS} contexts of vm");
        return Err(Exception::throw_range(&ctx, &message));
    }
    // SAFETY: `ctx` is live, and so is its runtime.
    let made = unsafe { qjs::JS_NewContext(qjs::JS_GetRuntime(ctx.as_raw().as_ptr())) };
    let Some(made) = NonNull::new(made) else {
        return Err(Exception::throw_internal(&ctx, "out of memory"));
    };
    CONTEXTS.with_borrow_mut(|contexts| contexts.push(made));
    Ok(count)
}

/// Returns the context of a number, or that of the tool if there is none.
fn context<'js>(ctx: &Ctx<'js>, number: Option<usize>) -> Ctx<'js> {
    let found = number.and_then(|number| CONTEXTS.with_borrow(|all| all.get(number).copied()));
    match found {
        // SAFETY: the context is of the same runtime, and lives until `forget`, which runs when no
        // JavaScript value is left.
        Some(found) => unsafe { Ctx::from_raw(found) },
        None => ctx.clone(),
    }
}

fn global_of<'js>(ctx: Ctx<'js>, number: usize) -> Object<'js> {
    context(&ctx, Some(number)).globals()
}

/// Runs a script in a context; a `timeout` of 0 is none. A script that is too late throws `late`.
fn run<'js>(
    ctx: Ctx<'js>,
    number: Option<usize>,
    source: Text,
    file: String,
    timeout: f64,
    late: Value<'js>,
) -> Result<Value<'js>> {
    let outer = DEADLINE.get();
    if timeout > 0.0 {
        let deadline = gate::monotonic_now_ms() + timeout;
        DEADLINE.set(Some(outer.map_or(deadline, |outer| outer.min(deadline))));
    }
    let result = engine::eval(&context(&ctx, number), &source.0, &file, 1, Eval::Script);
    let is_late = timeout > 0.0 && is_late();
    DEADLINE.set(outer);
    match result {
        Err(_) if is_late => {
            ctx.catch();
            Err(ctx.throw(late))
        }
        result => result,
    }
}

/// Throws the SyntaxError of a script that does not compile.
fn check<'js>(ctx: Ctx<'js>, source: Text, file: String) -> Result<()> {
    engine::eval(&ctx, &source.0, &file, 1, Eval::Compile).map(drop)
}

pub(super) fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("newContext", Function::new(ctx.clone(), new_context)?)?;
    native.set("globalOfContext", Function::new(ctx.clone(), global_of)?)?;
    native.set("runInContext", Function::new(ctx.clone(), run)?)?;
    native.set("checkScript", Function::new(ctx.clone(), check)?)
}
