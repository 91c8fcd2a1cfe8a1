//! Modules that `import` and `require` find: Node's own, which are parts of the image, and files
//! of the sandbox, which [`crate::apis`]' part `modules` searches and reads.

use rquickjs::loader::{ImportAttributes, Loader, Resolver};
use rquickjs::module::{Declared, Module};
use rquickjs::object::Accessor;
use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Error, Exception, Function, JsLifetime, Object, Result, Runtime, Value};

use crate::apis::{Text, library};
use crate::engine::{self, Eval};
use crate::{script, sources, tool};

/// JavaScript function that loads a part of the image and returns its exports.
struct Parts<'js>(Function<'js>);

// SAFETY: the only field is a JavaScript value of the same lifetime.
unsafe impl<'js> JsLifetime<'js> for Parts<'js> {
    type Changed<'to> = Parts<'to>;
}

/// JavaScript function that hands an event to the listeners of `process`, and returns true if there
/// are any. Kept once a tool listens.
struct ProcessEvents<'js>(Function<'js>);

// SAFETY: the only field is a JavaScript value of the same lifetime.
unsafe impl<'js> JsLifetime<'js> for ProcessEvents<'js> {
    type Changed<'to> = ProcessEvents<'to>;
}

/// Sets the loader of `import`.
pub fn install(runtime: &Runtime) {
    runtime.set_loader(Files, Files);
}

/// Loads a part of the image, once, and returns its exports.
pub(crate) fn part<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Object<'js>> {
    let load = ctx.userdata::<Parts>().map(|kept| kept.0.clone()).ok_or(Error::Unknown)?;
    load.call((name,))
}

/// Calls a function of the part `modules`.
fn call<'js, T: rquickjs::FromJs<'js>>(
    ctx: &Ctx<'js>,
    name: &str,
    arguments: (&str, &str),
) -> Result<T> {
    part(ctx, "modules")?.get::<_, Function>(name)?.call(arguments)
}

struct Files;

impl Resolver for Files {
    fn resolve<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        base: &str,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> Result<String> {
        if let Some(full) = library::resolve(base, name) {
            return Ok(full);
        }
        // The main script has the name that stack traces show, every other module its path.
        match base.starts_with('/') {
            true => call(ctx, "resolveImport", (name, base)),
            false => call(ctx, "resolveImport", (name, &script::path())),
        }
    }
}

impl Loader for Files {
    fn load<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        name: &str,
        _attributes: Option<ImportAttributes<'js>>,
    ) -> Result<Module<'js, Declared>> {
        if let Some(module) = library::load(ctx, name) {
            return module;
        }
        let loaded: Object = call(ctx, "load", (name, ""))?;
        if let Some(source) = loaded.get::<_, Option<Text>>("source")? {
            sources::keep(name, &source.0);
            let source = tool::without_shebang(&source.0);
            let module = Module::declare(ctx.clone(), name, source.as_ref())?;
            set_meta(ctx, &module.meta()?, name, false)?;
            return Ok(module);
        }
        let exports: Value = loaded.get("exports")?;
        let module = Module::declare(ctx.clone(), name, re_export(ctx, &exports)?)?;
        module.meta()?.set("exports", exports)?;
        Ok(module)
    }
}

/// Returns a module that exports the members of `import.meta.exports` under their names.
fn re_export(ctx: &Ctx<'_>, exports: &Value<'_>) -> Result<String> {
    let mut source = String::from("const { exports } = import.meta;\nexport default exports;\n");
    let Some(object) = exports.as_object().filter(|_| !exports.is_array()) else {
        return Ok(source);
    };
    for (at, key) in object.keys::<String>().enumerate() {
        let key = key?;
        if is_identifier(&key) && key != "default" {
            // A getter that throws must not keep the rest from being imported.
            if object.get::<_, Value>(key.as_str()).is_err() {
                ctx.catch();
                continue;
            }
            source
                .push_str(&format!("const e{at} = exports.{key};\nexport {{ e{at} as {key} }};\n"));
        }
    }
    Ok(source)
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$';
    chars.next().is_some_and(is_start) && chars.all(|c| is_start(c) || c.is_ascii_digit())
}

/// Fills in `import.meta` of the main script.
pub(crate) fn set_main_meta<'js>(ctx: &Ctx<'js>, meta: &Object<'js>) -> Result<()> {
    set_meta(ctx, meta, &script::path(), true)
}

fn set_meta<'js>(ctx: &Ctx<'js>, meta: &Object<'js>, path: &str, is_main: bool) -> Result<()> {
    meta.set("url", file_url(path))?;
    meta.set("filename", path)?;
    meta.set("dirname", folder(path))?;
    meta.set("main", is_main)?;
    let from = path.to_owned();
    let resolve = move |ctx: Ctx<'js>, name: String| -> Result<String> {
        let found: String = call(&ctx, "resolveName", (&name, &from))?;
        Ok(if found.starts_with('/') { file_url(&found) } else { found })
    };
    meta.set("resolve", Function::new(ctx.clone(), resolve)?)?;
    let env = |ctx: Ctx<'js>| part(&ctx, "process")?.get::<_, Value<'js>>("env");
    meta.prop("env", Accessor::from(env).enumerable().configurable())
}

fn folder(path: &str) -> &str {
    match path.rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder,
        None => ".",
    }
}

/// Returns the URL of a path; characters with a meaning in URLs are escaped.
fn file_url(path: &str) -> String {
    let path = path.replace('%', "%25").replace('?', "%3F").replace('#', "%23");
    let text = format!("file://{path}");
    url::Url::parse(&text).map_or(text, String::from)
}

/// Compiles a CommonJS file to a function of `(exports, require, module, __filename, __dirname)`.
fn compile_script<'js>(ctx: Ctx<'js>, source: Text, path: String) -> Result<Value<'js>> {
    sources::keep(&path, &source.0);
    let source = tool::without_shebang(&source.0);
    let head = "0, function (exports, require, module, __filename, __dirname) {\n\n";
    let text = [head, source.as_ref(), "\n}"];
    // QuickJS takes 0 for "not given", so the text begins two lines before its first.
    engine::eval(&ctx, &text.concat(), &path, -1, Eval::Script)
}

/// Loads an ES module for `require`: runs microtasks until it is there.
fn require_module<'js>(ctx: Ctx<'js>, path: String) -> Result<Value<'js>> {
    let promise = Module::import(&ctx, path.as_str())?;
    while promise.state() == PromiseState::Pending && ctx.execute_pending_job() {}
    match promise.result::<Value>() {
        Some(namespace) => namespace,
        None => {
            let message = format!("require of {path}: the module awaits at its top; use import()");
            Err(Exception::throw_message(&ctx, &message))
        }
    }
}

/// Hands an event and its second argument to the listeners of `process`. Returns false if there are
/// none.
pub(crate) fn offer<'js>(
    ctx: &Ctx<'js>,
    event: &str,
    error: &Value<'js>,
    detail: Option<Value<'js>>,
) -> bool {
    let Some(emit) = ctx.userdata::<ProcessEvents>().map(|kept| kept.0.clone()) else {
        return false;
    };
    emit.call((event, error.clone(), detail)).unwrap_or_else(|_| {
        ctx.catch();
        // A listener that called `process.exit` has dealt with the error.
        crate::exit::requested().is_some()
    })
}

/// Hands the event of the run's end to the listeners of `process`.
pub(crate) fn emit(ctx: &Ctx<'_>, event: &str) -> Result<()> {
    emit_with(ctx, event, crate::exit::at_end())
}

/// Tells the listeners of `exit` that the run ends with `code`.
pub(crate) fn emit_exit(ctx: &Ctx<'_>, code: u8) -> Result<()> {
    emit_with(ctx, "exit", code)
}

fn emit_with(ctx: &Ctx<'_>, event: &str, code: u8) -> Result<()> {
    match ctx.userdata::<ProcessEvents>().map(|kept| kept.0.clone()) {
        Some(emit) => emit.call::<_, Value>((event, code)).map(drop),
        None => Ok(()),
    }
}

/// Puts the functions of the loader into the natives of the preludes.
pub(crate) fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("compileScript", Function::new(ctx.clone(), compile_script)?)?;
    native.set("requireModule", Function::new(ctx.clone(), require_module)?)
}

/// Puts `keepParts` and `onProcessEvent` into the natives of the preludes.
pub(crate) fn keepers<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    let keep = |ctx: Ctx<'js>, load: Function<'js>| {
        ctx.store_userdata(Parts(load)).map(|_| ()).map_err(|_| Error::Unknown)
    };
    native.set("keepParts", Function::new(ctx.clone(), keep)?)?;
    let keep = |ctx: Ctx<'js>, emit: Function<'js>| {
        ctx.store_userdata(ProcessEvents(emit)).map(|_| ()).map_err(|_| Error::Unknown)
    };
    native.set("onProcessEvent", Function::new(ctx.clone(), keep)?)
}
