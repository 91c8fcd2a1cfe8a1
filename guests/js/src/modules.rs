//! What `import` finds: the few modules of Node that programs expect, and nothing else.

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::{Declared, Module};
use rquickjs::{Ctx, Error, Function, JsLifetime, Object, Result, Runtime, Value};

use crate::apis::node;

/// `require` as it was at init, whatever a tool has made of the global since.
struct Require<'js>(Function<'js>);

// SAFETY: the only field is a JavaScript value of the same lifetime.
unsafe impl<'js> JsLifetime<'js> for Require<'js> {
    type Changed<'to> = Require<'to>;
}

/// Has `import` look here.
pub fn install(runtime: &Runtime) {
    runtime.set_loader(BuiltIn, BuiltIn);
}

struct BuiltIn;

fn require<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Object<'js>> {
    let require = ctx.userdata::<Require>().map(|kept| kept.0.clone()).ok_or(Error::Unknown)?;
    require.call((name,))
}

impl Resolver for BuiltIn {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        if let Some(full) = node::resolve(base, name) {
            return Ok(full);
        }
        // Asked here already: its error says what there is to import.
        require(ctx, name)?;
        Ok(format!("node:{}", name.strip_prefix("node:").unwrap_or(name)))
    }
}

impl Loader for BuiltIn {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>> {
        if let Some(module) = node::load(ctx, name) {
            return module;
        }
        let exports = require(ctx, name)?;
        let mut source =
            String::from("const { exports } = import.meta;\nexport default exports;\n");
        for key in exports.keys::<String>() {
            let key = key?;
            if key != "default" {
                source.push_str(&format!("export const {key} = exports.{key};\n"));
            }
        }
        let module = Module::declare(ctx.clone(), name, source)?;
        module.meta()?.set("exports", exports)?;
        Ok(module)
    }
}

/// Gives a tool's `import.meta` the members that programs look for.
pub(crate) fn set_meta<'js>(ctx: &Ctx<'js>, meta: &Object<'js>) -> Result<()> {
    meta.set("env", require(ctx, "process")?.get::<_, Value>("env")?)
}

/// Puts `keepRequire` into the natives of the preludes.
pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    let keep = |ctx: Ctx<'js>, require: Function<'js>| {
        ctx.store_userdata(Require(require)).map(|_| ()).map_err(|_| Error::Unknown)
    };
    native.set("keepRequire", Function::new(ctx.clone(), keep)?)
}
