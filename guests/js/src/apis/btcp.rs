//! Makes the object that a tool is handed.

use rquickjs::{Ctx, Error, Function, JsLifetime, Object, Result};

/// Parts of `btcp` that are made at init.
struct Maker<'js> {
    /// Prototype of every `btcp`; its getters throw an error that names a member's new name.
    former_names: Object<'js>,
    /// A `btcp` without members. The engine then has the shape that others of its kind share, so
    /// that making one writes to no other page of the image.
    _empty: Object<'js>,
    /// `(members) => btcp`.
    make: Function<'js>,
}

// SAFETY: all fields are JavaScript values of the same lifetime.
unsafe impl<'js> JsLifetime<'js> for Maker<'js> {
    type Changed<'to> = Maker<'to>;
}

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    let keep = |ctx: Ctx<'js>, former_names: Object<'js>, make: Function<'js>| {
        let _empty = Object::new_proto(ctx.clone(), Some(&former_names))?;
        let kept = ctx.store_userdata(Maker { former_names, _empty, make });
        kept.map(|_| ()).map_err(|_| Error::Unknown)
    };
    native.set("keepBtcpMaker", Function::new(ctx.clone(), keep)?)
}

/// Makes the object. Without members it is empty and costs no call.
pub(crate) fn make<'js>(ctx: &Ctx<'js>, members: &[&str]) -> Result<Object<'js>> {
    let kept = ctx.userdata::<Maker>().ok_or(Error::Unknown)?;
    if members.is_empty() {
        return Object::new_proto(ctx.clone(), Some(&kept.former_names));
    }
    let make = kept.make.clone();
    // The call may load parts, which keep data of their own.
    drop(kept);
    make.call((members.to_vec(),))
}
