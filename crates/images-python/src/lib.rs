//! CPython for Cofferdam: the module of the Python guest, compressed.
//!
//! The build script of `cofferdam-images` takes the module from here and compiles it. It is apart
//! from the other guests because crates.io refuses packages of more than 10 MiB.

/// The module, compressed with Zstandard. `None` in the repository, where the guest is built from
/// its sources.
pub static MODULE: Option<&[u8]> = include!(concat!(env!("OUT_DIR"), "/module.rs"));
