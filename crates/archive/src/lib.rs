//! A sandbox as one file, and back.
//!
//! `MAGIC`, a version, records, and the SHA-256 of all before it. Numbers are little-endian, texts
//! and bytes have their length before them. A record is a tag and what belongs to it; a directory
//! comes before what is in it.
//!
//! A crate of its own so that what takes a hostile file apart can be fuzzed without an engine.
//!
//! In reading order: `write`, `read`, `fill` (what is read, into a tree), `record` (tags, numbers,
//! texts), `error`.

mod error;
mod fill;
mod read;
mod record;
mod write;

pub use error::Error;
pub use read::{Imported, read};
pub use write::{Contents, write};

/// The first bytes of every archive. The line ends show damage by a transfer as text.
pub const MAGIC: &[u8; 16] = b"cofferdam-box\r\n\0";

/// The version that is written, and the only one that is read.
pub const VERSION: u32 = 1;

/// Bytes of the checksum at the end.
pub const SUM: usize = 32;
