//! The clocks behind `performance`.

use rquickjs::{Ctx, Function, Object, Result};

use crate::gate;

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("wallNow", Function::new(ctx.clone(), gate::wall_now_ms)?)?;
    native.set("monotonicNow", Function::new(ctx.clone(), gate::monotonic_now_ms)?)
}
