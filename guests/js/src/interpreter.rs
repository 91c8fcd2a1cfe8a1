//! QuickJS with the surface loaded, and the order in which it ends.

use rquickjs::{Context, Ctx, Runtime};

use crate::{apis, calls, clone, exit, modules, pending, rejections, thrown, tool};

/// Stack that JavaScript may use. Less than the module is linked with (`build.rs`), so that a tool
/// that calls too deep gets a RangeError while the guest itself still has room. The engine looks at
/// the stack in the guest's memory; frames on the native stack are up to five times as large.
// T-CELL-004: call stack: deep recursion, deep input to built-ins.
const JS_STACK: usize = 1536 << 10;

/// An engine with the web surface and Node's. A thread has at most one at a time: pending calls,
/// rejections and the run under way are kept per thread.
pub struct Interpreter {
    // Dropped in this order.
    context: Context,
    runtime: Runtime,
}

impl Interpreter {
    /// Makes an engine that stops when a tool exits or `interrupted` returns true. Fails with the
    /// description of the exception if the surface cannot be loaded.
    pub fn new(interrupted: impl Fn() -> bool + 'static) -> Result<Self, String> {
        let runtime = Runtime::new().map_err(|error| error.to_string())?;
        runtime.set_max_stack_size(JS_STACK);
        // T-CELL-001: endless computation.
        let is_over =
            move || interrupted() || exit::requested().is_some() || apis::library::vm::is_late();
        runtime.set_interrupt_handler(Some(Box::new(is_over)));
        modules::install(&runtime);
        rejections::install(&runtime);
        let context = Context::full(&runtime).map_err(|error| error.to_string())?;
        context.with(|ctx| {
            let installed = clone::install(&ctx).and_then(|()| apis::install(&ctx));
            installed.map_err(|_| format!("{:?}", thrown::describe(&ctx, &ctx.catch(), "")))
        })?;
        Ok(Interpreter { context, runtime })
    }

    /// Returns the runtime.
    pub fn runtime(&self) -> &Runtime {
        &self.runtime
    }

    /// Runs `f` with the context.
    pub fn with<R>(&self, f: impl for<'js> FnOnce(Ctx<'js>) -> R) -> R {
        self.context.with(f)
    }
}

impl Drop for Interpreter {
    /// Drops the values that are kept for this engine: none may outlive the runtime, whose memory
    /// they point into.
    fn drop(&mut self) {
        tool::forget();
        pending::forget();
        calls::forget();
        rejections::forget();
        exit::forget();
        apis::library::vm::forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A value that is dropped after its runtime writes into memory that was freed.
    #[test]
    fn nothing_is_kept_for_an_engine_that_has_ended() {
        let interpreter = Interpreter::new(|| false).unwrap();
        interpreter.with(|ctx| {
            let leave_work = "process.nextTick(() => {}); setTimeout(() => {}, 1);
                Promise.reject(new Error('rejected')); undefined";
            ctx.eval::<(), _>(leave_work).unwrap();
        });
        assert!(pending::has_ticks() && pending::holds_the_run());
        drop(interpreter);
        assert!(!pending::has_ticks() && !pending::holds_the_run());
        let next = Interpreter::new(|| false).unwrap();
        next.with(|ctx| assert!(rejections::take(&ctx).is_none()));
    }
}
