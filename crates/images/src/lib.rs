//! The guests, compiled ahead of time and embedded, so that the program is a single file.
//!
//! Each feature embeds guests: `dom` the one with a document, `python` CPython, `shell` the shell,
//! its commands and `git`, `typescript` the one that removes types. All are on by default.

/// Aligned to a memory page, so that the code inside can be mapped in place.
#[repr(C, align(4096))]
struct Aligned<T: ?Sized>(T);

/// Embeds the native code of a guest.
macro_rules! embedded {
    ($name:literal) => {{
        static IMAGE: &Aligned<[u8]> =
            &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".image")));
        &IMAGE.0
    }};
}

/// The JavaScript guest: native code for [`cofferdam_cell::Image::load`].
pub static JS: &[u8] = embedded!("js");

/// The JavaScript guest with the built-in modules of Node loaded.
pub static JS_NODE: &[u8] = embedded!("js-node");

/// The JavaScript guest with a document, for the iframe boundary.
#[cfg(feature = "dom")]
pub static JS_DOCUMENT: &[u8] = embedded!("js-document");

/// The TypeScript guest, which turns TypeScript tools into JavaScript: native code for
/// [`cofferdam_cell::Image::load`].
#[cfg(feature = "typescript")]
pub static TS: &[u8] = embedded!("ts");

/// The Python guest: native code for [`cofferdam_cell::Image::load`].
#[cfg(feature = "python")]
pub static PY: &[u8] = embedded!("py");

/// The shell: native code for [`cofferdam_cell::ProgramImage::load`].
#[cfg(feature = "shell")]
pub static SH: &[u8] = embedded!("sh");

/// The shell's commands: native code for [`cofferdam_cell::ProgramImage::load`].
#[cfg(feature = "shell")]
pub static COMMANDS: &[u8] = embedded!("commands");

/// `git`: native code for [`cofferdam_cell::ProgramImage::load`].
#[cfg(feature = "shell")]
pub static GIT: &[u8] = embedded!("git");
