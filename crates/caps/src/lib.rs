//! Names and patterns of capabilities, and the rule for when a grant covers a request.
//!
//! A [`Capability`] is a pattern that a person grants. A [`Request`] is one concrete operation
//! that a guest attempts; its parts are parsed once and then have types. A `*` in a request is
//! an ordinary character.
//!
//! This crate deliberately has no I/O, no name resolution, no list of private addresses, and no
//! record of grants. It defines the meaning of capabilities and nothing else.
//!
//! In reading order:
//!
//! - [`Capability`], [`Kind`], [`Request`], [`CapabilitySet`]: the types most callers need
//! - [`dom`], [`storage`], [`state`], [`network`], [`fs`], [`mod@env`], [`process`], [`mod@function`]:
//!   one area of capabilities per module
//! - [`Pattern`], [`Scope`]: `*` and `**`, shared by the areas
//! - [`visible`]: escapes hostile text for a prompt or a log; [`shell_word`] quotes it for pasting
//!
//! # Patterns
//!
//! A pattern consists of segments separated by `/`. Within a segment, `*` matches any sequence of
//! characters; a segment that is only `*` does not match an empty segment. A segment `**` matches
//! any number of segments, including none: `/data/**` covers `/data` itself, so that a grant for a
//! folder allows listing it. `\*` is a literal star and `\\` a literal backslash. In URLs, where a
//! backslash means a slash, a literal star is `%2A`.
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
mod look_alike;
pub mod network;
mod pattern;
pub mod process;
mod request;
mod scope;
mod set;
mod shell_word;
mod skeleton;
pub mod state;
pub mod storage;
mod text;
mod visible;

#[cfg(test)]
mod laws;

pub use capability::Capability;
pub use error::{Error, ErrorKind};
pub use kind::{Access, Kind};
pub use look_alike::look_alikes;
pub use pattern::Pattern;
pub use request::Request;
pub use scope::Scope;
pub use set::CapabilitySet;
pub use shell_word::shell_word;
pub use visible::visible;

/// Longest text of a capability in bytes, both parsed and printed.
///
/// The capability of every valid request is shorter than this; see [`MAX_NAME_LEN`].
pub const MAX_CAPABILITY_LEN: usize = 16 * 1024;

/// Longest concrete name (a path, a key, a selector, the path of a URL) in bytes.
///
/// Printing escapes a byte with at most three, so three times this length plus the rest of a
/// capability must fit in [`MAX_CAPABILITY_LEN`].
pub const MAX_NAME_LEN: usize = 4 * 1024;
