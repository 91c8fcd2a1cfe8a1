//! Guests compiled ahead of time and embedded, so that the program needs nothing beside it.

/// Begins with a page of memory, so that its code can be used in place.
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

/// The TypeScript guest, which makes tools JavaScript: native code for
/// [`cofferdam_cell::Image::load`].
pub static TS: &[u8] = &TS_IMAGE.0;

/// The shell guest with its commands, where the build has one: native code for
/// [`cofferdam_cell::ProgramImage::load`].
pub static SH: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/sh.rs"));
