//! Modules that `import` finds: the built-in modules of Node.

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::{Declared, Module};
use rquickjs::{Ctx, Error, Function, JsLifetime, Object, Result, Runtime, Value};

/// `require` as it was at init; a tool may have replaced the global since.
struct Require<'js>(Function<'js>);

// SAFETY: the only field is a JavaScript value of the same lifetime.
unsafe impl<'js> JsLifetime<'js> for Require<'js> {
    type Changed<'to> = Require<'to>;
}

/// Sets the loader of `import`.
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
        _base: &str,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        // Its error lists the modules that exist.
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

/// Fills in a tool's `import.meta`.
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
