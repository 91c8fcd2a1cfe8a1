//! Fuzz targets: each parser of hostile input behind one function of bytes, which checks the
//! invariants of the result and panics if one does not hold.
//!
//! The functions have two drivers. `tests/short.rs` runs the inputs of `corpus/` and a fixed number
//! of inputs derived from them, on stable Rust, in `make test`. `make fuzz` runs libFuzzer for as
//! long as asked. README.md explains how to add a target.
//!
//! In reading order: [`targets`], [`cost`] (memory and time of a call), [`meaning`] (decides if two
//! scripts are equivalent), [`mutate`] (derives inputs from others).

pub mod cost;
pub mod meaning;
pub mod mutate;
pub mod targets;

pub use targets::{TARGETS, Target};
