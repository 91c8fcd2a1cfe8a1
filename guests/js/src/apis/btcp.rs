//! Makes the object that a tool is handed.

use rquickjs::{Ctx, Error, Function, JsLifetime, Object, Result};

/// Parts of `btcp` that are made at init.
struct Maker<'js> {
    /// Prototype of every `btcp`; its getters throw an error that names a member's new name.
    former_names: Object<'js>,
    /// `(members) => btcp`.
    make: Function<'js>,
}

// SAFETY: both fields are JavaScript values of the same lifetime.
unsafe impl<'js> JsLifetime<'js> for Maker<'js> {
    type Changed<'to> = Maker<'to>;
}

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    let keep = |ctx: Ctx<'js>, former_names: Object<'js>, make: Function<'js>| {
        let kept = ctx.store_userdata(Maker { former_names, make });
        kept.map(|_| ()).map_err(|_| Error::Unknown)
    };
    native.set("keepBtcpMaker", Function::new(ctx.clone(), keep)?)
}

/// Makes the object. Without members it is empty and costs no call.
pub(crate) fn make<'js>(ctx: &Ctx<'js>, members: &[&str]) -> Result<Object<'js>> {
    let (former_names, make) = {
        let kept = ctx.userdata::<Maker>().ok_or(Error::Unknown)?;
        (kept.former_names.clone(), kept.make.clone())
    };
    if members.is_empty() {
        let btcp = Object::new(ctx.clone())?;
        btcp.set_prototype(Some(&former_names))?;
        return Ok(btcp);
    }
    make.call((members.to_vec(),))
}
