//! The embedded guests. A guest is `None` if its feature is off.
//!
//! In a browser, guests are files beside the program, and this module holds their names.

use cofferdam_cell::Embedded;

use crate::error::{Error, ErrorKind};

/// Names of the guests, in place of their native code.
#[cfg(target_family = "wasm")]
mod cofferdam_images {
    pub(super) static JS: &[u8] = b"js";
    pub(super) static JS_NODE: &[u8] = b"js-node";
    pub(super) static JS_DOCUMENT: &[u8] = b"js-document";
    pub(super) static TS: &[u8] = b"ts";
    pub(super) static SH: &[u8] = b"sh";
    pub(super) static COMMANDS: &[u8] = b"commands";
    pub(super) static GIT: &[u8] = b"git";
}

/// Native code of the JavaScript guest.
pub(crate) fn js() -> Embedded {
    cofferdam_images::JS
}

/// Native code of the JavaScript guest with Node's modules loaded.
pub(crate) fn js_node() -> Embedded {
    cofferdam_images::JS_NODE
}

/// Native code of the Python guest. The package for browsers has none.
pub(crate) fn py() -> Option<Embedded> {
    #[cfg(all(feature = "python", not(target_family = "wasm")))]
    let code = Some(cofferdam_images::PY);
    #[cfg(not(all(feature = "python", not(target_family = "wasm"))))]
    let code = None;
    code
}

macro_rules! optional {
    ($(#[$doc:meta])* $name:ident, $image:ident, $feature:tt) => {
        $(#[$doc])*
        pub(crate) fn $name() -> Option<Embedded> {
            #[cfg(feature = $feature)]
            let code = Some(cofferdam_images::$image);
            #[cfg(not(feature = $feature))]
            let code = None;
            code
        }
    };
}

optional!(
    /// Native code of the JavaScript guest with a document.
    js_document, JS_DOCUMENT, "dom"
);
optional!(
    /// Native code of the TypeScript guest.
    ts, TS, "typescript"
);
optional!(
    /// Native code of the shell.
    sh, SH, "shell"
);
optional!(
    /// Native code of the shell's commands.
    commands, COMMANDS, "shell"
);
optional!(
    /// Native code of `git`.
    git, GIT, "shell"
);

/// Name of the program with the most common commands, which only browsers have: on the server, an
/// instance of all commands costs no more.
pub(crate) fn basics() -> Option<Embedded> {
    #[cfg(all(feature = "shell", target_family = "wasm"))]
    let code: Option<Embedded> = Some(b"basics");
    #[cfg(not(all(feature = "shell", target_family = "wasm")))]
    let code = None;
    code
}

/// Returns the error of a guest whose feature is off.
pub(crate) fn without(feature: &str) -> Error {
    let text = format!("cofferdam was built without the feature `{feature}`");
    Error::new(ErrorKind::FeatureOff, text)
}
