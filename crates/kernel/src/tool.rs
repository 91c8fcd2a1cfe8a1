//! Serves the cells of tools: dispatches their calls, checks permits, keeps what is pending.
//!
//! In reading order: [`kernel`], `calls` (one file per area), `guard` (calls that need a permit),
//! `settled`, [`commands`], `children`, [`types`], `uploads`.

mod calls;
mod children;
pub(crate) mod commands;
mod guard;
pub(crate) mod kernel;
mod settled;
pub(crate) mod types;
#[cfg(feature = "net")]
mod uploads;

#[cfg(not(feature = "net"))]
use crate::without::net::uploads;

pub use settled::Settled;
