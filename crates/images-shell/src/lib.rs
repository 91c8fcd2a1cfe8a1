//! The shell, its commands and `git` for Cofferdam: the modules of these guests, compressed.
//!
//! The build script of `cofferdam-images` takes the modules from here and compiles them. They are
//! apart from the other guests because crates.io refuses packages of more than 10 MiB.

/// Directory with the packed modules, for build scripts. It exists in the published crate alone; in
/// the repository the guests are built from their sources.
pub const PACKED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/packed");
