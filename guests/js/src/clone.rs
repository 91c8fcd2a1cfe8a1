//! Structured clone; here a stand-in that goes through JSON.

use rquickjs::{Ctx, Result, Value};

/// A deep copy of the value.
pub fn structured_clone<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Value<'js>> {
    if value.is_function() || value.is_symbol() {
        return Err(crate::apis::throw_dom_exception(
            ctx,
            "DataCloneError",
            "value could not be cloned",
        ));
    }
    match ctx.json_stringify(value)? {
        Some(text) => ctx.json_parse(text.to_string()?),
        None => Ok(Value::new_undefined(ctx.clone())),
    }
}
