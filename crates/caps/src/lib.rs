//! Capability names, their patterns, and when a grant covers a request.
//!
//! A [`Capability`] is a pattern: what a person grants. A [`Request`] is concrete: what a guest
//! is about to do, built from names that were parsed once and then have a type. A `*` in a
//! request is a letter like any other.
//!
//! Absent on purpose: any I/O, name resolution, the list of private addresses, and who granted
//! what and for how long. This crate answers what a name means and nothing else.

mod error;
mod glob;
mod pattern;
mod scope;
mod text;
mod visible;

pub use error::{Error, ErrorKind};
pub use pattern::Pattern;
pub use scope::Scope;
pub use visible::visible;

/// Longest text of a capability, as read and as printed.
///
/// Any request that can be made has a capability shorter than this, see [`MAX_NAME_LEN`].
pub const MAX_CAPABILITY_LEN: usize = 16 * 1024;

/// Longest concrete name (a path, a key, a selector, the path of a URL) in bytes.
///
/// Printing escapes a byte with at most three, so a third of [`MAX_CAPABILITY_LEN`] less the
/// rest of a capability is the most this could be.
pub const MAX_NAME_LEN: usize = 4 * 1024;
