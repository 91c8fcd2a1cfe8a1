//! The TypeScript guest: turns TypeScript tools into JavaScript.
//!
//! The parser recurses as deep as its input nests, so it runs in a cell, where a stack overflow is
//! a trap. It makes no host calls.
//!
//! In reading order:
//! - [`entry`]: the exports
//! - [`strip`]: detects the form of a tool and strips its types
//! - [`frame`]: wraps a function body so that it parses as a program
//! - [`erase`]: replaces types by blanks and leaves everything else in its place
//! - [`transform`]: handles syntax that cannot be erased, such as enums
//! - [`lines`]: prints transformed code with statements on their original lines
//! - [`wrong`]: the error in a source, and its position

#[cfg(target_arch = "wasm32")]
mod entry;
mod erase;
mod frame;
mod lines;
pub mod strip;
mod transform;
mod wrong;
