//! Facts that `process` needs and the language does not tell: its end, and the memory in use.

use std::mem::MaybeUninit;

use rquickjs::{Ctx, Function, Object, Result, qjs};

/// Puts the natives of `process` into those of the preludes.
pub(crate) fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    crate::exit::natives(ctx, native)?;
    native.set("memoryUsage", Function::new(ctx.clone(), memory_usage)?)
}

/// Returns the bytes that the engine allocated, and those of them that values are in. Walks through
/// all objects.
fn memory_usage(ctx: Ctx<'_>) -> Vec<f64> {
    let mut usage = MaybeUninit::<qjs::JSMemoryUsage>::zeroed();
    // SAFETY: `ctx` is live, and the call fills the structure, of which every pattern is valid.
    let usage = unsafe {
        qjs::JS_ComputeMemoryUsage(qjs::JS_GetRuntime(ctx.as_raw().as_ptr()), usage.as_mut_ptr());
        usage.assume_init()
    };
    vec![usage.malloc_size as f64, usage.memory_used_size as f64]
}
