//! The embedded guests. A guest is `None` if its feature is off.

use crate::error::{Error, ErrorKind};

/// Native code of the JavaScript guest.
pub(crate) fn js() -> &'static [u8] {
    cofferdam_images::JS
}

macro_rules! optional {
    ($(#[$doc:meta])* $name:ident, $image:ident, $feature:tt) => {
        $(#[$doc])*
        pub(crate) fn $name() -> Option<&'static [u8]> {
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

/// Returns the error of a guest whose feature is off.
pub(crate) fn without(feature: &str) -> Error {
    let text = format!("cofferdam was built without the feature `{feature}`");
    Error::new(ErrorKind::FeatureOff, text)
}
