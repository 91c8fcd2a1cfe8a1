//! The JavaScript guest: QuickJS with the web surface that programs expect, loaded once at init.

pub mod apis;
pub mod clone;
pub mod gate;
pub mod timers;
