//! Throws a `DOMException` from Rust.

use rquickjs::function::Constructor;
use rquickjs::{Ctx, Error, Function, JsLifetime, Object, Result, Value};

/// The class as it was at init; a tool may have replaced the global since.
struct DomException<'js>(Constructor<'js>);

// SAFETY: the only field is a JavaScript value of the same lifetime.
unsafe impl<'js> JsLifetime<'js> for DomException<'js> {
    type Changed<'to> = DomException<'to>;
}

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set(
        "keepDomException",
        Function::new(ctx.clone(), |ctx: Ctx<'js>, class: Constructor<'js>| {
            ctx.store_userdata(DomException(class)).map(|_| ()).map_err(|_| Error::Unknown)
        })?,
    )
}

/// Leaves a `DOMException` of that name pending on the context and returns the error to pass on.
pub fn throw_dom_exception(ctx: &Ctx<'_>, name: &str, message: &str) -> Error {
    let Some(class) = ctx.userdata::<DomException>().map(|kept| kept.0.clone()) else {
        return Error::Unknown;
    };
    match class.construct::<_, Value>((message, name)) {
        Ok(exception) => ctx.throw(exception),
        Err(error) => error,
    }
}
