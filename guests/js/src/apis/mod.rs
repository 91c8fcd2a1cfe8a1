//! The web surface and Node's: a folder per area, a file per API, loaded at init in the order of
//! the table.
//!
//! A prelude is a function of `(native, internal)`. `native` holds the functions written in Rust,
//! `internal` holds values that one prelude lends to later ones. Neither is reachable from a tool.
//! Preludes must not read the clock or draw random numbers while loading: the results would be
//! frozen into the image of every cell.
//!
//! - `base`: built-ins as they were at init, errors, host calls, clones
//! - `console`: `console`, and the text that values become
//! - `timers`, `events`, `encoding`, `url`, `crypto`, `streams`, `fetch`: the web's APIs
//! - `btcp`: the object that a tool is handed
//! - `library`: Node's modules, most of them from the registry
//! - `node`: Node's globals and its loader of modules, and the part of Bun's that programs reach for first
//!
//! Meets T-CELL-024.

pub(crate) mod base;
mod btcp;
mod console;
mod crypto;
mod encoding;
mod fetch;
pub(crate) mod library;
pub(crate) mod parts;
mod streams;
mod timers;
mod url;

use rquickjs::context::EvalOptions;
use rquickjs::{Ctx, Function, Object, Result, Value};

use crate::ranges;

pub(crate) use base::bytes::Bytes;
pub use base::errors::throw_dom_exception;
pub(crate) use base::text::{Text, with_text};
pub(crate) use btcp::make as make_btcp;
pub(crate) use console::inspect::show_error;

/// Puts native functions of one API into the object the preludes get.
pub(crate) type Natives = for<'js> fn(&Ctx<'js>, &Object<'js>) -> Result<()>;

pub(crate) struct Api {
    pub(crate) name: &'static str,
    pub(crate) source: &'static str,
    pub(crate) natives: Option<Natives>,
}

macro_rules! api {
    ($folder:ident / $name:ident) => {
        api!(stringify!($name), $folder / $name)
    };
    ($folder:ident / $name:ident, $natives:path) => {
        Api { natives: Some($natives), ..api!($folder / $name) }
    };
    ($called:expr, $folder:ident / $name:ident) => {
        Api {
            name: $called,
            source: include_str!(concat!(stringify!($folder), "/", stringify!($name), ".js")),
            natives: None,
        }
    };
}

/// Every API that is there from the start, in load order: a prelude may use those above it.
const APIS: &[Api] = &[
    api!(base / base),
    api!(base / errors, base::errors::natives),
    api!(crypto / random, crypto::random::natives),
    api!(console / inspect_kinds, console::inspect::natives),
    api!(console / inspect_layout),
    api!(console / inspect),
    api!(console / inspect_entries),
    api!(console / inspect_errors),
    api!(console / inspect_shapes),
    api!(console / format),
    api!(console / table),
    api!(timers / performance, timers::performance::natives),
    api!(console / console, console::natives),
    api!(timers / timers, crate::pending::natives),
    api!(base / clone, base::clone::natives),
    api!(events / events),
    api!(events / abort),
    api!(encoding / encoding, encoding::natives),
    api!(encoding / base64, encoding::base64::natives),
    api!(url / url, url::natives),
    api!(url / url_search_params),
    api!(crypto / crypto, crypto::natives),
    api!(streams / streams),
    api!(streams / readable_state),
    api!(streams / readable),
    api!(streams / readable_bytes),
    api!(streams / readable_byob),
    api!(streams / readable_tee),
    api!(streams / readable_use),
    api!(streams / writable_state),
    api!(streams / writable),
    api!(streams / pipe),
    api!(streams / transform),
    api!(streams / compression, streams::compression::natives),
    api!(fetch / blob),
    api!(fetch / mime),
    api!(fetch / form_data, fetch::multipart::natives),
    api!(fetch / headers),
    api!(fetch / body),
    api!(fetch / request),
    api!(fetch / response),
    api!(fetch / data_url, fetch::data_url::natives),
    api!(base / calls, crate::calls::natives),
    api!(btcp / storage),
    api!(btcp / files, crate::script::natives),
    api!(btcp / state),
    api!(btcp / functions),
    api!(btcp / stdin),
    api!(btcp / dom),
    api!(fetch / upload),
    api!(fetch / fetch),
    api!(btcp / exec),
    api!(btcp / btcp, btcp::natives),
    api!(library / library, library::natives),
    api!(node / globals, parts::natives),
];

/// Node's modules that the loader itself is part of, by the names that `require` and `import` know.
/// Loaded on first use. The other modules of Node are in [`library`].
const MODULES: &[Api] = &[api!(node / module), api!(node / process, crate::process::natives)];

/// Further parts of Node, which no module name reaches; loaded on first use. A browser fetches their
/// code then, with that of the modules.
const NODE_PARTS: &[Api] = &[
    api!(node / bun),
    api!(node / fs_base),
    api!(node / modules, crate::modules::natives),
    api!(node / packages),
    api!(node / paths),
    api!(node / stdio),
];

/// Further parts of the web's surface, likewise loaded on first use.
const PARTS: &[Api] = &[api!(events / messages), api!(fetch / blob_urls)];

/// Loads the whole surface into a fresh context.
pub fn install(ctx: &Ctx<'_>) -> Result<()> {
    let native = Object::new(ctx.clone())?;
    let internal = Object::new(ctx.clone())?;
    native.set_prototype(None)?;
    internal.set_prototype(None)?;
    #[cfg(feature = "document")]
    let document = crate::document::PARTS;
    #[cfg(not(feature = "document"))]
    let document: &[Api] = &[];
    for api in APIS.iter().chain(document) {
        if let Some(natives) = api.natives {
            natives(ctx, &native)?;
        }
        let mut options = EvalOptions::default();
        options.filename = Some(format!("cofferdam:{}", api.name));
        let prelude: Function = ctx.eval_with_options(api.source, options)?;
        prelude.call::<_, Value>((native.clone(), internal.clone()))?;
        ranges::spend(api.source.as_bytes());
    }
    parts::install(ctx)
}
