//! The JavaScript guest: QuickJS with the web surface that programs expect.
//!
//! [`cofferdam_init`] runs once at build time; the memory it leaves behind is the image that
//! every cell starts from. The host then enters with a tool, and again with each answer that
//! the tool waits for.
//!
//! In reading order:
//! - [`entry`]: the exports
//! - [`interpreter`]: the engine with the surface loaded
//! - [`tool`]: compiles a tool, runs it, reports its end
//! - [`calls`]: host calls of the preludes, alone and in batches
//! - [`pending`]: calls that the host has not answered yet, timers among them
//! - [`clone`]: packs values into bytes and back
//! - [`rejections`]: rejected promises that nothing handles
//! - [`exit`]: `process.exit` and `process.exitCode`
//! - `process`: what else the language does not tell `process`
//! - `script`: file, working directory and command line of the script
//! - [`thrown`]: describes an exception for a person
//! - [`gate`]: calls to the host
//! - `ranges`: parts of the image that are used up, or that a browser fetches late
//! - `memory`: `memcpy` and the like, in pieces that a kill can come between
//! - [`apis`]: the web surface and Node's
//! - `document`: a document, for tools behind the `iframe` boundary; a feature
//! - [`modules`]: modules that `import` finds

pub mod apis;
pub mod calls;
pub mod clone;
#[cfg(feature = "document")]
mod document;
mod engine;
#[cfg(target_arch = "wasm32")]
mod entry;
pub mod exit;
pub mod gate;
pub mod interpreter;
#[cfg(target_arch = "wasm32")]
mod memory;
pub mod modules;
pub mod pending;
mod process;
mod ranges;
pub mod rejections;
mod script;
mod sources;
pub mod thrown;
pub mod tool;
