//! Every parser of hostile input, each behind one function of bytes that checks what must hold of
//! its answer and panics where it does not.
//!
//! The same functions are driven in two ways: `tests/short.rs` runs what `corpus/` holds and a
//! fixed number of inputs made from it, on stable Rust, in `make test`; `make fuzz` runs libFuzzer
//! on them for as long as asked. README.md says how to add one.
//!
//! In reading order: [`targets`], [`cost`] (memory and time of a call), [`meaning`] (when two
//! scripts are the same), [`mutate`] (inputs made from others).

pub mod cost;
pub mod meaning;
pub mod mutate;
pub mod targets;

pub use targets::{TARGETS, Target};
