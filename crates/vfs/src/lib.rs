//! The files of a sandbox: a virtual tree in host memory, with copy-on-write snapshots.
//!
//! Guests reach it only through the kernel, which takes [`Files`] from a [`Tree`] on behalf of a
//! guest or of the host and works with paths ([`At`]) and open files ([`OpenFile`]). The caller
//! supplies the time; nothing here reads a clock. Only `host.rs` touches the real machine: it
//! mounts real directories.
//!
//! In reading order:
//!
//! - vocabulary: `errno`, `error`, `path`, `stat`, `limits`, `interrupt`
//! - data structures: `radix` and `names` (persistent maps), `chunk`, `content`, `directory`,
//!   `inode`, `state`, `entries`, `lineage`
//! - path resolution: `at`, `rest`, `place`, `resolve`
//! - operations: `tree`, `files`, `make`, `remove`, `attributes`, `open`, `open_file`, `transfer`,
//!   `listing`, `walk`
//! - files outside the tree: `backend`, `provider`, `mount`, `overlay`, `changes`, `apply`, `host`

#[cfg(test)]
#[path = "../tests/scratch/mod.rs"]
mod scratch;

mod apply;
mod at;
mod attributes;
mod backend;
mod changes;
mod chunk;
mod content;
mod directory;
mod entries;
mod errno;
mod error;
mod files;
#[cfg(unix)]
mod host;
mod inode;
mod interrupt;
mod limits;
mod lineage;
mod listing;
mod make;
mod mount;
mod names;
#[cfg(not(unix))]
mod no_host;
mod open;
mod open_file;
mod overlay;
mod path;
mod place;
mod provider;
mod radix;
pub mod raw;
mod remove;
mod resolve;
mod rest;
mod stat;
mod state;
mod transfer;
mod tree;
mod walk;

pub use at::{At, Follow};
pub use backend::Caller;
pub use changes::{Change, Difference};
pub use errno::Errno;
pub use error::Error;
pub use files::{Files, Outside};
#[cfg(unix)]
pub use host::HostDir;
pub use interrupt::Interrupt;
pub use limits::{Limits, Usage};
pub use listing::{DirEntry, LISTING_MAX};
pub use mount::Mount;
#[cfg(not(unix))]
pub use no_host::HostDir;
pub use open::Open;
pub use open_file::{OpenFile, Seek};
pub use path::{LINKS_MAX, NAME_MAX, PATH_MAX, VPath};
pub use provider::{Item, Provider};
pub use stat::{Access, DeviceId, Ino, Kind, Mode, SetTime, Stat, Time};
pub use tree::{Snapshot, Tree};
pub use walk::{Extents, Node, Walked};
