//! The TypeScript guest: makes a tool JavaScript.
//!
//! The parser recurses as deep as its input nests, so it runs where running out of stack is a
//! trap: in a cell. It calls the host for nothing.
//!
//! In reading order:
//! - [`entry`]: the exports
//! - [`strip`]: what form a tool has, and its JavaScript
//! - [`frame`]: a function body as a program of its own, and back
//! - [`erase`]: types become blanks, everything else stays where it is
//! - [`transform`]: for syntax that cannot be erased, such as enums
//! - [`lines`]: writes transformed code so that statements stay on their lines
//! - [`wrong`]: what is wrong with a source, and where

#[cfg(target_arch = "wasm32")]
mod entry;
mod erase;
mod frame;
mod lines;
pub mod strip;
mod transform;
mod wrong;
