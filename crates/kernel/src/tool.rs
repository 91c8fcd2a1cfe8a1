//! Serves the cells of tools: dispatches their calls, checks permits, keeps what is pending.
//!
//! In reading order: [`kernel`], `calls` (one file per area), `guard` (calls that need a permit),
//! `settled`, [`commands`], [`page`] and `view`, `uploads`.

mod calls;
pub(crate) mod commands;
mod guard;
pub(crate) mod kernel;
pub(crate) mod page;
mod settled;
mod uploads;
mod view;

pub use settled::Settled;
