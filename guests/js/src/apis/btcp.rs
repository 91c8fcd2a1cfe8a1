//! Makes the object that a tool is handed.

use rquickjs::{Ctx, Error, Function, JsLifetime, Object, Result};

/// JavaScript function `(members) => btcp`, taken at init.
struct Maker<'js>(Function<'js>);

// SAFETY: the only field is a JavaScript value of the same lifetime.
unsafe impl<'js> JsLifetime<'js> for Maker<'js> {
    type Changed<'to> = Maker<'to>;
}

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    let keep = |ctx: Ctx<'js>, maker: Function<'js>| {
        ctx.store_userdata(Maker(maker)).map(|_| ()).map_err(|_| Error::Unknown)
    };
    native.set("keepBtcpMaker", Function::new(ctx.clone(), keep)?)
}

/// Makes the object. Without members it is empty and costs no call.
pub(crate) fn make<'js>(ctx: &Ctx<'js>, members: &[&str]) -> Result<Object<'js>> {
    if members.is_empty() {
        return Object::new(ctx.clone());
    }
    let maker = ctx.userdata::<Maker>().map(|kept| kept.0.clone()).ok_or(Error::Unknown)?;
    maker.call((members.to_vec(),))
}
