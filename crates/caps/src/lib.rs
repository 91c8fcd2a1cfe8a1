//! Capability names, their patterns, and when a grant covers a request.
//!
//! A [`Capability`] is a pattern: what a person grants. A [`Request`] is concrete: what a guest
//! is about to do, built from names that were parsed once and then have a type. A `*` in a
//! request is a letter like any other.
//!
//! Absent on purpose: any I/O, name resolution, the list of private addresses, and who granted
//! what and for how long. This crate answers what a name means and nothing else.
//!
//! In reading order:
//!
//! - [`Capability`], [`Kind`], [`Request`], [`CapabilitySet`]: the whole of what callers need
//! - [`dom`], [`storage`], [`state`], [`network`], [`fs`], [`mod@env`], [`process`], [`mod@function`]:
//!   one kind of capability per file
//! - [`Pattern`], [`Scope`]: `*` and `**`, shared by those
//! - [`visible`]: hostile text made fit for a prompt or a log
//!
//! # Patterns
//!
//! A pattern is segments divided by `/`. Within a segment `*` stands for any run of characters;
//! a segment that is only `*` is not empty. A segment `**` stands for any number of segments,
//! none included: `/data/**` covers `/data` itself, so that a grant on a folder allows listing
//! it. `\*` is a star and `\\` a backslash; in URLs, where a backslash means a slash, a star is
//! `%2A`.
//!
//! ```
//! use cofferdam_caps::{Access, Capability, Request};
//!
//! let held: Capability = "fs:read:/data/**".parse()?;
//! let wanted = Request::Fs { access: Access::Read, path: "/secret/key".parse()? };
//! assert!(!held.allows(&wanted));
//! assert_eq!(wanted.required().to_string(), "fs:read:/secret/key");
//! assert_eq!(wanted.required().describe(), "read the file /secret/key");
//! # Ok::<(), cofferdam_caps::Error>(())
//! ```

mod capability;
mod did_you_mean;
pub mod dom;
pub mod env;
mod error;
pub mod fs;
pub mod function;
mod glob;
mod kind;
pub mod network;
mod pattern;
pub mod process;
mod request;
mod scope;
mod set;
pub mod state;
pub mod storage;
mod text;
mod visible;

#[cfg(test)]
mod laws;

pub use capability::Capability;
pub use error::{Error, ErrorKind};
pub use kind::{Access, Kind};
pub use pattern::Pattern;
pub use request::Request;
pub use scope::Scope;
pub use set::CapabilitySet;
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
