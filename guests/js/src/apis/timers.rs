//! Natives of the clock; timers are in [`crate::pending`].

pub(super) mod performance;
