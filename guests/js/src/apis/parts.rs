//! Parts of the surface that are loaded when a tool first uses them.
//!
//! The image holds them as bytecode: they cost a tool that does not use them nothing but the
//! bytes. A part is a prelude that returns its exports; its natives are added when it is loaded.

use std::sync::OnceLock;

use rquickjs::{Ctx, Error, Exception, Function, Object, Result, Value};

use super::{Api, MODULES, NODE_PARTS, PARTS};
use crate::engine::{self, Eval};
use crate::ranges;

/// Bytecode of every part, in the order of [`all`].
static CODE: OnceLock<Vec<Box<[u8]>>> = OnceLock::new();

fn all() -> impl Iterator<Item = &'static Api> {
    MODULES.iter().chain(NODE_PARTS).chain(PARTS)
}

/// Compiles every part, unless another context has.
pub(super) fn install(ctx: &Ctx<'_>) -> Result<()> {
    if CODE.get().is_some() {
        return Ok(());
    }
    let code = all().map(|part| {
        let file = format!("cofferdam:{}", part.name);
        let code = engine::eval(ctx, part.source, &file, 1, Eval::Compile)?;
        ranges::spend(part.source.as_bytes());
        engine::pack(&code, |bytes| Box::<[u8]>::from(bytes))
    });
    // Another thread may have been faster, with the same code.
    let _ = CODE.set(code.collect::<Result<_>>()?);
    Ok(())
}

/// Returns the code of the parts of Node, as it is in the image.
#[cfg(all(target_arch = "wasm32", feature = "late"))]
pub(crate) fn code_of_node() -> impl Iterator<Item = &'static [u8]> {
    let code = CODE.get().into_iter().flatten().map(|code| &**code);
    code.take(MODULES.len() + NODE_PARTS.len())
}

/// Returns the prelude of a part, and adds the part's natives.
fn load<'js>(ctx: Ctx<'js>, name: String, native: Object<'js>) -> Result<Function<'js>> {
    let mut parts = all().zip(CODE.get().into_iter().flatten()).enumerate();
    let Some((at, (part, code))) = parts.find(|(_, (part, _))| part.name == name) else {
        return Err(Exception::throw_internal(&ctx, &format!("no part {name}")));
    };
    if at < MODULES.len() + NODE_PARTS.len() {
        ranges::need();
    }
    if let Some(natives) = part.natives {
        natives(&ctx, &native)?;
    }
    engine::run(engine::unpack(&ctx, code)?)?.into_function().ok_or(Error::Unknown)
}

/// Returns the names of the modules that `require` and `import` find in the image.
fn names(ctx: Ctx<'_>) -> Result<Value<'_>> {
    let names = rquickjs::Array::new(ctx)?;
    for (at, module) in MODULES.iter().enumerate() {
        names.set(at, module.name)?;
    }
    Ok(names.into_value())
}

/// Puts `loadPart`, `moduleNames` and the loader's keepers into the natives of the preludes.
pub(super) fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("loadPart", Function::new(ctx.clone(), load)?)?;
    native.set("moduleNames", Function::new(ctx.clone(), names)?)?;
    crate::modules::keepers(ctx, native)
}
