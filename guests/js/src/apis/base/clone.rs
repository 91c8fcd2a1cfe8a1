//! `structuredClone`, by the codec that also carries values over the gate.

use rquickjs::{Ctx, Function, Object, Result, Value};

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set(
        "structuredClone",
        Function::new(ctx.clone(), |ctx: Ctx<'js>, value: Value<'js>| {
            crate::clone::structured_clone(&ctx, value)
        })?,
    )?;
    native.set(
        "keepPlatform",
        Function::new(ctx.clone(), |ctx: Ctx<'js>, platform: Function<'js>| {
            crate::clone::keep_platform(&ctx, platform)
        })?,
    )
}
