//! Code that serves tools and programs alike.
//!
//! - [`resources`]: everything a sandbox owns and its runs use
//! - `call_error`: errors and results of host calls; [`denials`]: permission errors of one run
//! - [`run_clock`]: kill switch, deadline and pauses of one run
//! - `streams`: response bodies being read; [`page`]: the page that tools see
//! - [`clock`], [`random`]: time and randomness, real or fixed for tests and replay
//! - [`output`]: printed bytes, cut at a limit
//! - `lock`, `numbered`: small parts

pub(crate) mod call_error;
pub(crate) mod clock;
pub(crate) mod crossing;
pub(crate) mod denials;
pub(crate) mod lock;
pub(crate) mod numbered;
pub(crate) mod output;
pub(crate) mod page;
pub(crate) mod random;
pub mod resources;
pub(crate) mod run_clock;
pub(crate) mod streams;
