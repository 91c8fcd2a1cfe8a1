//! Code that serves tools and programs alike.
//!
//! - [`resources`]: everything a sandbox owns and its runs use
//! - `call_error`: errors and results of host calls; [`denials`]: permission errors of one run
//! - `allowance`: host memory and processes of one run
//! - [`run_clock`]: kill switch, deadline and pauses of one run
//! - `streams`: response bodies being read; [`page`]: the page that tools see
//! - [`clock`], [`random`]: time and randomness, real or fixed for tests and replay
//! - [`output`]: printed bytes, cut at a limit
//! - `pieces`: output that waits for the side that takes it
//! - `lock`, `numbered`: small parts

pub(crate) mod allowance;
pub(crate) mod call_error;
pub(crate) mod clock;
pub(crate) mod crossing;
pub(crate) mod denials;
pub(crate) mod lock;
pub(crate) mod numbered;
pub(crate) mod output;
#[cfg(feature = "dom")]
pub(crate) mod page;
pub(crate) mod pieces;
pub(crate) mod random;
pub mod resources;
pub(crate) mod run_clock;
#[cfg(feature = "net")]
pub(crate) mod streams;

#[cfg(not(feature = "dom"))]
pub(crate) use crate::without::dom::page;
#[cfg(not(feature = "net"))]
pub(crate) use crate::without::net::streams;
