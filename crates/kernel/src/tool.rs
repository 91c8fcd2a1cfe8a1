//! Serves the cells of tools: dispatches their calls, checks permits, keeps what is pending.
//!
//! In reading order: [`kernel`], `calls` (one file per area), `guard` (calls that need a permit),
//! `settled`, [`commands`], `uploads`.

mod calls;
pub(crate) mod commands;
mod guard;
pub(crate) mod kernel;
mod settled;
mod uploads;

pub use settled::Settled;
