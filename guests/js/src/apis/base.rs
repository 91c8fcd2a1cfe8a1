//! Foundations of every API: built-ins as they were at init, errors, host calls, and the types
//! that strings and bytes cross in.

pub(crate) mod bytes;
pub(super) mod clone;
pub(super) mod errors;
pub(crate) mod text;
