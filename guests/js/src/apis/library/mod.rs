//! The built-in modules of Node: ES modules that are compiled into the image and run at their first
//! `require` or `import`.
//!
//! Most come from the registry's `wasm-rquickjs`, packed by `build.rs` together with the folders
//! `assert`, `intl`, `keys` and `net`. The modules beside this file replace what that package has over its own host. Module names
//! have the prefix `cofferdam:`, so that the engine keeps no source for them; only these modules can
//! import each other by it.

mod bytes;
mod cipher;
mod crypto;
pub(crate) mod vm;

use std::io::Read;

use flate2::read::DeflateDecoder;
use rquickjs::module::Declared;
use rquickjs::{Ctx, Exception, Function, JsLifetime, Module, Object, Result, Value};

use crate::ranges;

/// Prefix of the names of these modules.
const PREFIX: &str = "cofferdam:";

/// The module through which the others reach `native` and `internal` of the preludes.
const HOST: &str = "host";

/// Modules that only the preludes open: modules of Node that the sandbox does not have, `Atomics`, streams of
/// files, the global `Intl` and its parts, requests within a tool, and the keys of `crypto.subtle`.
const INTERNAL: [&str; 9] = [
    "internal/absent",
    "internal/atomics",
    "internal/fs_streams",
    "internal/intl",
    "internal/intl_segmenter",
    "internal/intl_zones",
    "internal/net/http_fetch",
    "internal/net/lookup",
    "internal/subtle",
];

/// Modules that the preludes and other modules open when a tool first uses a key pair, the names,
/// lists and phrases of `Intl`, or a time zone of earlier years, or when an assertion without a message fails. None is compiled when the image is made: few tools need
/// them, and they would make the image longer.
const LATE: [&str; 12] = [
    "internal/assert/expression",
    "internal/intl/display_names",
    "internal/intl/number_locales",
    "internal/intl/number_parts",
    "internal/intl/phrases",
    "internal/intl/zone_history",
    "internal/keys/agreement",
    "internal/keys/generation",
    "internal/keys/key_wrap",
    "internal/keys/objects",
    "internal/keys/signatures",
    "internal/keys/subtle",
];

/// Modules of the registry and those of `assert`, `intl`, `keys` and `net`, by
/// name: deflated sources.
const PACKED: &[(&str, &[u8])] = &include!(concat!(env!("OUT_DIR"), "/node_modules.rs"));

/// Modules of this folder, by name.
const OWN: &[(&str, &str)] = &[
    ("internal/absent", include_str!("absent.js")),
    ("internal/atomics", include_str!("atomics.js")),
    ("internal/fs_descriptors", include_str!("fs_descriptors.js")),
    ("internal/fs_streams", include_str!("fs_streams.js")),
    ("internal/intl", include_str!("intl.js")),
    ("internal/intl_segmenter", include_str!("intl_segmenter.js")),
    ("internal/intl_zones", include_str!("intl_zones.js")),
    (HOST, "export const { native, internal } = import.meta.host;"),
    ("assert/strict", "import assert from 'assert';\nexport default assert.strict;"),
    ("async_hooks", include_str!("async_hooks.js")),
    ("child_process", include_str!("child_process.js")),
    ("console", include_str!("console.js")),
    ("constants", include_str!("constants.js")),
    ("crypto", include_str!("crypto.js")),
    ("encoding", include_str!("encoding.js")),
    ("encoding_native", include_str!("encoding_native.js")),
    ("fs", include_str!("fs.js")),
    ("fs/promises", "import fs from 'fs';\nexport default fs.promises;"),
    ("http", include_str!("http.js")),
    ("http_blob", include_str!("http_blob.js")),
    ("https", "import { https } from 'http';\nexport default https;"),
    ("internal/binding/util_native", include_str!("util_native.js")),
    ("internal/cipher", include_str!("cipher.js")),
    ("internal/parse_args", include_str!("parse_args.js")),
    ("internal/subtle", include_str!("subtle.js")),
    ("internal/test_mock", include_str!("test_mock.js")),
    ("internal/test_report", include_str!("test_report.js")),
    ("os", include_str!("os.js")),
    ("path/posix", "import path from 'path';\nexport default path.posix;"),
    ("path/win32", "import path from 'path';\nexport default path.win32;"),
    ("perf_hooks", include_str!("perf_hooks.js")),
    ("process", include_str!("process.js")),
    ("readline", include_str!("readline.js")),
    ("readline/promises", "import { promises } from 'readline';\nexport default promises;"),
    ("stream/web", include_str!("stream_web.js")),
    ("string_decoder_native", include_str!("string_decoder_native.js")),
    ("test", include_str!("test.js")),
    ("timers", include_str!("timers.js")),
    ("timers/promises", include_str!("timers_promises.js")),
    ("tty", include_str!("tty.js")),
    ("url_native", include_str!("url_native.js")),
    ("vm", include_str!("vm.js")),
    ("util/types", "import util from 'util';\nexport default util.types;"),
    ("web_crypto_native", include_str!("web_crypto_native.js")),
    ("zlib_native", include_str!("zlib_native.js")),
];

/// Modules that a tool can load. The others are parts of these.
const PUBLIC: &[&str] = &[
    "assert",
    "assert/strict",
    "async_hooks",
    "buffer",
    "child_process",
    "console",
    "constants",
    "crypto",
    "diagnostics_channel",
    "events",
    "fs",
    "fs/promises",
    "http",
    "https",
    "net",
    "os",
    "path",
    "path/posix",
    "path/win32",
    "perf_hooks",
    "punycode",
    "querystring",
    "readline",
    "readline/promises",
    "stream",
    "stream/consumers",
    "stream/promises",
    "stream/web",
    "string_decoder",
    "test",
    "timers",
    "timers/promises",
    "tty",
    "url",
    "util",
    "util/types",
    "vm",
    "zlib",
];

/// `native` and `internal` of the preludes.
struct Host<'js>(Object<'js>);

// SAFETY: the only field is a JavaScript value of the same lifetime.
unsafe impl<'js> JsLifetime<'js> for Host<'js> {
    type Changed<'to> = Host<'to>;
}

/// Returns the full name of the module that `name` means inside `base`, if both are of this folder.
/// A part of the loader imports the files of a tool, by absolute paths.
pub(crate) fn resolve(base: &str, name: &str) -> Option<String> {
    if !base.starts_with(PREFIX) || name.starts_with('/') {
        return None;
    }
    let prefixes = ["__wasm_rquickjs_builtin/", "node:"];
    let name = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name);
    Some(format!("{PREFIX}{name}"))
}

/// Compiles the module of this full name; `None` for a name of another kind.
pub(crate) fn load<'js>(ctx: &Ctx<'js>, full: &str) -> Option<Result<Module<'js, Declared>>> {
    let name = full.strip_prefix(PREFIX)?;
    Some(declare(ctx, full, name))
}

fn declare<'js>(ctx: &Ctx<'js>, full: &str, name: &str) -> Result<Module<'js, Declared>> {
    ranges::need();
    if let Some((_, source)) = OWN.iter().find(|(own, _)| *own == name) {
        let module = Module::declare(ctx.clone(), full, *source)?;
        ranges::spend(source.as_bytes());
        if name == HOST {
            let host = ctx.userdata::<Host>().map(|host| host.0.clone());
            module.meta()?.set("host", host)?;
        }
        return Ok(module);
    }
    let packed = PACKED.iter().find(|(packed, _)| *packed == name);
    let (_, packed) = packed.ok_or_else(|| missing(ctx, name))?;
    let mut source = String::new();
    if DeflateDecoder::new(*packed).read_to_string(&mut source).is_err() {
        return Err(missing(ctx, name));
    }
    ranges::spend(packed);
    Module::declare(ctx.clone(), full, source)
}

/// Returns the sources of all modules, as they are in the image.
#[cfg(all(target_arch = "wasm32", feature = "late"))]
pub(crate) fn sources() -> impl Iterator<Item = &'static [u8]> {
    OWN.iter().map(|(_, source)| source.as_bytes()).chain(PACKED.iter().map(|(_, packed)| *packed))
}

fn missing(ctx: &Ctx<'_>, name: &str) -> rquickjs::Error {
    Exception::throw_internal(ctx, &format!("no built-in module {name}"))
}

/// Runs every public module. None may call the host then, which ends the making of the image, so
/// that nothing of a run is in it.
#[cfg(target_arch = "wasm32")]
pub(crate) fn load_all(ctx: &Ctx<'_>) -> Result<()> {
    compile(ctx, PUBLIC.iter().chain(&INTERNAL))?;
    PUBLIC.iter().try_for_each(|name| open(ctx.clone(), (*name).to_owned()).map(|_| ()))
}

/// Compiles the modules that the globals of the language need, without running any. Any other is
/// compiled when a tool loads it.
#[cfg(target_arch = "wasm32")]
pub(crate) fn compile_parts(ctx: &Ctx<'_>) -> Result<()> {
    compile(ctx, ["internal/intl"].iter())
}

#[cfg(target_arch = "wasm32")]
fn compile<'a>(ctx: &Ctx<'_>, names: impl Iterator<Item = &'a &'a str>) -> Result<()> {
    let imports: String = names.map(|name| format!("import '{name}';\n")).collect();
    Module::declare(ctx.clone(), "cofferdam:all", imports).map(|_| ())
}

/// Returns the namespace of a public module, which runs at the first time; `None` if there is no
/// such module.
fn open<'js>(ctx: Ctx<'js>, name: String) -> Result<Option<Value<'js>>> {
    if !PUBLIC.iter().chain(&INTERNAL).chain(&LATE).any(|known| *known == name) {
        return Ok(None);
    }
    // The engine finds a module that is compiled already only for an import.
    let opener = format!("{PREFIX}open/{name}");
    let source = format!("export * as found from '{name}';");
    let (module, loaded) = Module::declare(ctx.clone(), opener, source)?.eval()?;
    // No module of these waits for anything, so the promise is settled.
    if let Some(result) = loaded.result::<Value>() {
        result?;
    }
    module.namespace()?.get("found").map(Some)
}

/// Puts `openModule` and `publicModules` into the natives of the preludes, and lends the natives to
/// the modules.
pub(crate) fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    bytes::natives(ctx, native)?;
    cipher::natives(ctx, native)?;
    crypto::natives(ctx, native)?;
    vm::natives(ctx, native)?;
    crate::sources::natives(ctx, native)?;
    native.set("openModule", Function::new(ctx.clone(), open)?)?;
    native.set("publicModules", PUBLIC.to_vec())?;
    let lend = |ctx: Ctx<'js>, host: Object<'js>| {
        ctx.store_userdata(Host(host)).map(|_| ()).map_err(|_| rquickjs::Error::Unknown)
    };
    native.set("lendToModules", Function::new(ctx.clone(), lend)?)
}
