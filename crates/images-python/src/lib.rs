//! CPython for Cofferdam: the module of the Python guest, compressed.
//!
//! The build script of `cofferdam-images` takes the module from here and compiles it. It is apart
//! from the other guests because crates.io refuses packages of more than 10 MiB.

/// Directory with the packed module, for build scripts. It exists in the published crate alone; in
/// the repository the guest is built from its sources.
pub const PACKED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/packed");
