//! `structuredClone`, by the codec that also carries values over the gate.

use rquickjs::function::Opt;
use rquickjs::{Ctx, Function, Object, Result, Value};

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("structuredClone", Function::new(ctx.clone(), clone)?)?;
    native.set(
        "keepPlatform",
        Function::new(ctx.clone(), |ctx: Ctx<'js>, platform: Function<'js>| {
            crate::clone::keep_platform(&ctx, platform)
        })?,
    )
}

/// Clones a value; `take_over` returns, by index, what stands in the copy for objects of `list`.
fn clone<'js>(
    ctx: Ctx<'js>,
    value: Value<'js>,
    list: Opt<Vec<Value<'js>>>,
    take_over: Opt<Function<'js>>,
) -> Result<Value<'js>> {
    match (list.0, take_over.0) {
        (Some(list), Some(take_over)) => {
            let call = |index: usize| take_over.call::<_, Value>((index,));
            crate::clone::transfer_clone(&ctx, value, &list, call)
        }
        _ => crate::clone::structured_clone(&ctx, value),
    }
}
