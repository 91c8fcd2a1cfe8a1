//! The archive format: a sandbox exported to a single file, and imported from one.
//!
//! An archive is `MAGIC`, a version, a list of records, and the SHA-256 of everything before the
//! checksum. A seal may follow. Numbers are little-endian; texts and byte strings are preceded by their length. A
//! record is a tag followed by its fields. A directory comes before its entries.
//!
//! The crate is separate so that the parser of a hostile file can be fuzzed without an engine.
//!
//! In reading order: `write`, `read`, `fill` (applies file records to a tree), `record` (tags,
//! numbers, texts), `seal` (proof of origin), `error`.

mod error;
mod fill;
mod read;
mod record;
mod seal;
mod write;

pub use error::Error;
pub use read::{Imported, read};
pub use seal::{ArchiveSeal, SealKey};
pub use write::{Contents, write};

/// The first bytes of every archive. The line ending reveals damage by a transfer in text mode.
pub const MAGIC: &[u8; 16] = b"cofferdam-box\r\n\0";

/// The version that is written, and the only version that is read.
pub const VERSION: u32 = 1;

/// Length of the checksum at the end of an archive, in bytes.
pub const SUM: usize = 32;
