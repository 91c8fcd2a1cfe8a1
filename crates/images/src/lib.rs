//! The guests, compiled ahead of time and embedded, so that the program is a single file.

/// Aligned to a memory page, so that the code inside can be mapped in place.
#[repr(C, align(4096))]
struct Aligned<T: ?Sized>(T);

static JS_IMAGE: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/js.image")));

static JS_DOCUMENT_IMAGE: &Aligned<[u8]> =
    &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/js-document.image")));

static TS_IMAGE: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/ts.image")));

/// The JavaScript guest: native code for [`cofferdam_cell::Image::load`].
pub static JS: &[u8] = &JS_IMAGE.0;

/// The JavaScript guest with a document, for the iframe boundary.
pub static JS_DOCUMENT: &[u8] = &JS_DOCUMENT_IMAGE.0;

/// The TypeScript guest, which turns TypeScript tools into JavaScript: native code for
/// [`cofferdam_cell::Image::load`].
pub static TS: &[u8] = &TS_IMAGE.0;

static SH_IMAGE: &Aligned<[u8]> = &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/sh.image")));

static COMMANDS_IMAGE: &Aligned<[u8]> =
    &Aligned(*include_bytes!(concat!(env!("OUT_DIR"), "/commands.image")));

/// The shell: native code for [`cofferdam_cell::ProgramImage::load`].
pub static SH: &[u8] = &SH_IMAGE.0;

/// The shell's commands: native code for [`cofferdam_cell::ProgramImage::load`].
pub static COMMANDS: &[u8] = &COMMANDS_IMAGE.0;
