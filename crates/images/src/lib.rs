//! The guests, compiled ahead of time and embedded, so that the program is a single file.
//!
//! Each feature embeds guests: `dom` the one with a document, `python` CPython, `shell` the shell,
//! its commands and `git`, `typescript` the one that removes types. All are on by default.
//!
//! The guests that a first run needs at once are plain, and the others packed, which makes them a
//! quarter as long.

use cofferdam_cell::{Embedded, Packed};

/// Aligned to a memory page, so that the code inside can be mapped in place.
#[repr(C, align(4096))]
struct Aligned<T: ?Sized>(T);

/// Embeds the native code of a guest.
macro_rules! plain {
    ($name:literal) => {{
        static IMAGE: &Aligned<[u8]> =
            &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".image")));
        Embedded::Plain(&IMAGE.0)
    }};
}

/// Embeds the native code of a guest that the build script packed.
macro_rules! packed {
    ($name:literal) => {{
        static PACKED: Packed =
            Packed::new(include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".packed")));
        Embedded::Packed(&PACKED)
    }};
}

/// The JavaScript guest: native code for [`cofferdam_cell::Image::load`].
pub static JS: Embedded = plain!("js");

/// The JavaScript guest with the built-in modules of Node loaded.
pub static JS_NODE: Embedded = packed!("js-node");

/// The JavaScript guest with a document, for the iframe boundary.
#[cfg(feature = "dom")]
pub static JS_DOCUMENT: Embedded = packed!("js-document");

/// The TypeScript guest, which turns TypeScript tools into JavaScript: native code for
/// [`cofferdam_cell::Image::load`].
#[cfg(feature = "typescript")]
pub static TS: Embedded = packed!("ts");

/// The Python guest: native code for [`cofferdam_cell::Image::load`].
#[cfg(feature = "python")]
pub static PY: Embedded = packed!("py");

/// The shell: native code for [`cofferdam_cell::ProgramImage::load`].
#[cfg(feature = "shell")]
pub static SH: Embedded = plain!("sh");

/// The shell's commands: native code for [`cofferdam_cell::ProgramImage::load`].
#[cfg(feature = "shell")]
pub static COMMANDS: Embedded = packed!("commands");

/// `git`: native code for [`cofferdam_cell::ProgramImage::load`].
#[cfg(feature = "shell")]
pub static GIT: Embedded = packed!("git");
