//! Sandboxes that are kept between calls under a name: one archive each, in a folder beside the
//! store.
//!
//! Apart from the database, because an archive may have hundreds of megabytes and is replaced as a
//! whole. A process that has a sandbox open holds its lock, so that no change of another process is
//! lost; a killed process leaves the archive as it was.

use std::ffi::OsStr;
use std::fmt;
use std::fs::{DirBuilder, File, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::UNIX_EPOCH;

use cofferdam_broker::{Error, Timestamp};

use crate::{failure, place};

/// Most bytes of an archive that are read.
const MAX_ARCHIVE: u64 = 4 << 30;

/// Longest name of a kept sandbox.
const MAX_NAME: usize = 64;

/// Ending of the files that hold archives.
const ENDING: &str = "box";

/// The name of a kept sandbox: letters, digits, `-` and `_`. It is a file name and nothing more.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SandboxName(String);

/// The error returned when a text is not the name of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadSandboxName;

impl fmt::Display for BadSandboxName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "not a name of 1 to {MAX_NAME} letters, digits, - or _")
    }
}

impl std::error::Error for BadSandboxName {}

impl FromStr for SandboxName {
    type Err = BadSandboxName;

    fn from_str(text: &str) -> Result<Self, BadSandboxName> {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        let is_name = (1..=MAX_NAME).contains(&text.len()) && text.bytes().all(is_plain);
        match is_name && !text.starts_with('-') {
            true => Ok(SandboxName(text.to_owned())),
            false => Err(BadSandboxName),
        }
    }
}

impl fmt::Display for SandboxName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A sandbox that this process alone has open. Dropping it releases the lock.
// T-BOX-004: a kept sandbox that two processes change, or that a kill leaves in pieces.
#[derive(Debug)]
pub struct KeptSandbox {
    archive: PathBuf,
    _lock: File,
}

/// A kept sandbox in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedSandbox {
    /// Name of the sandbox.
    pub name: SandboxName,
    /// Length of its archive.
    pub bytes: u64,
    /// Time of the last change.
    pub changed: Timestamp,
}

impl KeptSandbox {
    /// Opens a sandbox beside the store. If another process has it open, calls `waits` and waits
    /// until that process is done.
    pub fn open(store: &Path, name: &SandboxName, waits: impl FnOnce()) -> Result<Self, Error> {
        let folder = folder(store);
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(&folder).map_err(|error| failure::io(&folder, &error))?;
        place::check_folder(&folder)?;
        let path = folder.join(format!("{name}.lock"));
        let lock = place::open(&path)?;
        let failed = |error: std::io::Error| failure::io(&path, &error);
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                waits();
                lock.lock().map_err(failed)?;
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        Ok(KeptSandbox { archive: folder.join(format!("{name}.{ENDING}")), _lock: lock })
    }

    /// Returns the archive, or `None` if the sandbox is new.
    pub fn read(&self) -> Result<Option<Vec<u8>>, Error> {
        let failed = |error: std::io::Error| failure::io(&self.archive, &error);
        if !self.archive.try_exists().map_err(failed)? {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        place::open(&self.archive)?.take(MAX_ARCHIVE).read_to_end(&mut bytes).map_err(failed)?;
        Ok(Some(bytes))
    }

    /// Replaces the archive. Whenever the process or the machine stops, the file has the earlier
    /// content or the new one, and never a part.
    pub fn write(&self, bytes: &[u8]) -> Result<(), Error> {
        let draft = self.archive.with_extension("draft");
        let written = self.replace(&draft, bytes);
        if written.is_err() {
            // The draft may not exist; the error to report is the first one.
            let _ = std::fs::remove_file(&draft);
        }
        written
    }

    fn replace(&self, draft: &Path, bytes: &[u8]) -> Result<(), Error> {
        let mut file = place::open(draft)?;
        let written = file
            .set_len(0)
            .and_then(|()| file.write_all(bytes))
            .and_then(|()| file.sync_all())
            .and_then(|()| std::fs::rename(draft, &self.archive));
        written.map_err(|error| failure::io(&self.archive, &error))?;
        let folder = self.archive.parent().unwrap_or(Path::new("."));
        let synced = File::open(folder).and_then(|folder| folder.sync_all());
        synced.map_err(|error| failure::io(folder, &error))
    }

    /// Removes the archive. Returns false if there is none.
    pub fn remove(self) -> Result<bool, Error> {
        // The lock file stays: another process may wait for it.
        match std::fs::remove_file(&self.archive) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(failure::io(&self.archive, &error)),
        }
    }

    /// Returns the sandboxes that are kept beside the store, sorted by name.
    pub fn list(store: &Path) -> Result<Vec<ListedSandbox>, Error> {
        let folder = folder(store);
        let failed = |error: std::io::Error| failure::io(&folder, &error);
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut listed = Vec::new();
        for entry in entries {
            let path = entry.map_err(failed)?.path();
            let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
            let (true, Ok(name)) = (path.extension() == Some(OsStr::new(ENDING)), stem.parse())
            else {
                continue;
            };
            // Another process may have removed it since.
            if let Ok(found) = std::fs::symlink_metadata(&path) {
                let changed = found.modified().map_err(failed)?;
                let since = changed.duration_since(UNIX_EPOCH).unwrap_or_default();
                let changed = Timestamp::from_micros(since.as_micros() as u64);
                listed.push(ListedSandbox { name, bytes: found.len(), changed });
            }
        }
        listed.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(listed)
    }
}

/// Returns the folder of the sandboxes that are kept beside a store.
fn folder(store: &Path) -> PathBuf {
    store.with_file_name("sandboxes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_plain_file_name() {
        let check = |text: &str, is_name: bool| {
            assert_eq!(text.parse::<SandboxName>().is_ok(), is_name, "{text:?}");
        };
        check("work", true);
        check("Work_2-b", true);
        check("", false);
        check("-rf", false);
        check("a/b", false);
        check("..", false);
        check("a.box", false);
        check("a b", false);
        check(&"x".repeat(64), true);
        check(&"x".repeat(65), false);
    }
}
