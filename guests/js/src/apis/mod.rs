//! The web surface: one file per API, loaded at init in the order of the table.
//!
//! A prelude is a function of `(native, internal)`. `native` holds what is written in Rust,
//! `internal` what one prelude lends to later ones. Neither is reachable from a tool.
//! Preludes must not read the clock or draw random numbers while loading: what they compute
//! then is frozen into the image of every cell.
//!
//! Meets T-CELL-024.

mod base64;
mod btcp;
mod bytes;
mod clone;
mod compression;
mod console;
mod crypto;
mod data_url;
mod encoding;
mod errors;
mod inspect;
mod multipart;
mod performance;
mod random;
pub(crate) mod text;
mod url;

use rquickjs::context::EvalOptions;
use rquickjs::{Ctx, Function, Object, Result, Value};

pub(crate) use btcp::make as make_btcp;
pub(crate) use bytes::Bytes;
pub use errors::throw_dom_exception;
pub(crate) use text::{Text, with_text};

/// Puts native functions of one API into the object the preludes get.
pub(crate) type Natives = for<'js> fn(&Ctx<'js>, &Object<'js>) -> Result<()>;

pub(crate) struct Api {
    pub(crate) name: &'static str,
    pub(crate) source: &'static str,
    pub(crate) natives: Option<Natives>,
}

macro_rules! api {
    ($name:ident) => {
        Api {
            name: stringify!($name),
            source: include_str!(concat!(stringify!($name), ".js")),
            natives: None,
        }
    };
    ($name:ident, $natives:path) => {
        Api { natives: Some($natives), ..api!($name) }
    };
}

/// Every API in load order: a prelude may use what stands above it.
const APIS: &[Api] = &[
    api!(base),
    api!(errors, errors::natives),
    api!(random, random::natives),
    api!(inspect_kinds, inspect::natives),
    api!(inspect_layout),
    api!(inspect),
    api!(inspect_entries),
    api!(inspect_errors),
    api!(inspect_shapes),
    api!(format),
    api!(table),
    api!(performance, performance::natives),
    api!(console, console::natives),
    api!(timers, crate::pending::natives),
    api!(clone, clone::natives),
    api!(events),
    api!(abort),
    api!(encoding, encoding::natives),
    api!(base64, base64::natives),
    api!(url, url::natives),
    api!(url_search_params),
    api!(crypto, crypto::natives),
    api!(streams),
    api!(readable_state),
    api!(readable),
    api!(readable_bytes),
    api!(readable_byob),
    api!(readable_tee),
    api!(readable_use),
    api!(writable_state),
    api!(writable),
    api!(pipe),
    api!(transform),
    api!(compression, compression::natives),
    api!(blob),
    api!(mime),
    api!(form_data, multipart::natives),
    api!(headers),
    api!(body),
    api!(request),
    api!(response),
    api!(data_url, data_url::natives),
    api!(calls, crate::calls::natives),
    api!(storage),
    api!(files),
    api!(state),
    api!(functions),
    api!(stdin),
    api!(dom),
    api!(upload),
    api!(fetch),
    api!(buffer),
    api!(process),
    api!(paths),
    api!(node_fs),
    api!(child_process),
    api!(modules, crate::modules::natives),
    api!(bun),
    api!(btcp, btcp::natives),
];

/// Loads the whole surface into a fresh context.
pub fn install(ctx: &Ctx<'_>) -> Result<()> {
    let native = Object::new(ctx.clone())?;
    let internal = Object::new(ctx.clone())?;
    native.set_prototype(None)?;
    internal.set_prototype(None)?;
    #[cfg(feature = "document")]
    let parts = crate::document::PARTS;
    #[cfg(not(feature = "document"))]
    let parts: &[Api] = &[];
    for api in APIS.iter().chain(parts) {
        if let Some(natives) = api.natives {
            natives(ctx, &native)?;
        }
        let mut options = EvalOptions::default();
        options.filename = Some(format!("cofferdam:{}", api.name));
        let prelude: Function = ctx.eval_with_options(api.source, options)?;
        prelude.call::<_, Value>((native.clone(), internal.clone()))?;
    }
    Ok(())
}
