//! Guests compiled ahead of time and embedded, so that the program needs nothing beside it.

/// The JavaScript guest: native code for [`cofferdam_cell::Image::load`].
pub static JS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/js.image"));

/// The TypeScript guest, which makes tools JavaScript: native code for
/// [`cofferdam_cell::Image::load`].
pub static TS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/ts.image"));

/// The shell guest with its commands, where the build has one: native code for
/// [`cofferdam_cell::ProgramImage::load`].
pub static SH: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/sh.rs"));
