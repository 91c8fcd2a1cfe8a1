//! A summary of the store in a small file beside it, for processes that run one tool.
//!
//! Opening SQLite takes a millisecond, a fifth of such a process, and most of them only learn that
//! nothing was granted to their tool. The outline tells them: it names the tools that have grants.
//! It says nothing about the grants themselves, so an outdated one could hide a grant, but never
//! give one.
//!
//! An outline is never outdated. A change of grants removes it before the change is committed, and
//! it is made under SQLite's lock for writing, from the committed state. A crash of the machine may
//! undo the removal, and a backup may bring another file; an outline is therefore valid for one start
//! of the machine and for one state of the store's file.

use std::collections::HashSet;
use std::fs::{File, Metadata};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use cofferdam_broker::Key;
use rusqlite::{Connection, OptionalExtension, Transaction};

use crate::place;
use crate::store::generation;

/// First bytes of the file; the last one is the version of its form.
const MAGIC: &[u8; 8] = b"cofdout\x01";

/// Says that an outline has facts, or that every run has to open the store.
const USABLE: u8 = 1;
const USELESS: u8 = 0;

/// Most tools that are named. A store with more is opened by every process, as if without an outline.
const MAX_TOOLS: usize = 500;

/// Longest file that is read.
const MAX_BYTES: u64 = 256 * 1024;

/// Changes at every start of the machine.
const BOOT: &str = "/proc/sys/kernel/random/boot_id";

/// Facts about a store, valid until the file is removed.
#[derive(Debug)]
pub(crate) struct Outline {
    path: PathBuf,
    number: FileNumber,
    /// Kept open, so that a later outline cannot have the same number.
    _file: File,
    pub(crate) key: Key,
    pub(crate) generation: u64,
    /// Identities of tools that have grants of their own.
    tools: HashSet<String>,
}

/// Device and number of a file.
type FileNumber = (u64, u64);

impl Outline {
    /// Reads the outline of a store. Returns `None` if there is none, if it is not valid, or if every
    /// run has to open the store: because of grants for all tools, requests that were denied for
    /// good, restrictions, or very many tools with grants.
    pub(crate) fn read(store: &Path) -> Option<Self> {
        let (file, bytes) = valid(store)?;
        let mut fields = Fields(&bytes);
        if fields.take(1)? != [USABLE] {
            return None;
        }
        let number = file_number(&file.metadata().ok()?);
        let key = fields.take(size_of::<Key>())?.try_into().ok()?;
        let generation = u64::from_le_bytes(fields.take(8)?.try_into().ok()?);
        let mut tools = HashSet::new();
        while !fields.0.is_empty() {
            tools.insert(fields.text()?.to_owned());
        }
        Some(Self { path: file_of(store), number, _file: file, key, generation, tools })
    }

    /// Returns false if the grants may have changed since the outline was read.
    pub(crate) fn is_current(&self) -> bool {
        let found = std::fs::symlink_metadata(&self.path);
        found.is_ok_and(|found| file_number(&found) == self.number)
    }

    /// Returns true if a tool has grants of its own.
    pub(crate) fn names(&self, tool: &str) -> bool {
        self.tools.contains(tool)
    }

    /// Returns true if any tool has grants of its own.
    pub(crate) fn names_any(&self) -> bool {
        !self.tools.is_empty()
    }
}

/// Removes the outline of a store. For a transaction that writes grants, before it is committed.
pub(crate) fn remove(store: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(file_of(store)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Returns true if a store has an outline of its current state, also if it is one that
/// [`Outline::read`] does not return.
pub(crate) fn exists(store: &Path) -> bool {
    valid(store).is_some()
}

/// Opens the outline of a store, and returns it with what follows its stamp. Returns `None` if there
/// is none, or if it belongs to another state.
fn valid(store: &Path) -> Option<(File, Vec<u8>)> {
    let file = place::open_existing(&file_of(store)).ok()?;
    let mut bytes = Vec::new();
    (&file).take(MAX_BYTES).read_to_end(&mut bytes).ok()?;
    let mut fields = Fields(&bytes);
    let is_valid = fields.take(MAGIC.len())? == MAGIC && fields.text()? == stamp(store)?;
    let rest = fields.0.to_vec();
    is_valid.then_some((file, rest))
}

fn file_number(found: &Metadata) -> FileNumber {
    (found.dev(), found.ino())
}

/// Writes the outline. The transaction must hold the lock for writing and must not have written.
/// A failure leaves no outline, which costs time and nothing else.
pub(crate) fn write(store: &Path, transaction: &Transaction<'_>) -> rusqlite::Result<()> {
    let Some(stamp) = stamp(store) else { return Ok(()) };
    let mut bytes = MAGIC.to_vec();
    put(&mut bytes, &stamp);
    let tools = tools(transaction)?;
    match tools {
        Some(tools) if !concerns_all(transaction)? => {
            bytes.push(USABLE);
            let key: Key = transaction.query_row("SELECT key FROM meta", [], |row| row.get(0))?;
            bytes.extend(key);
            bytes.extend(generation(transaction)?.to_le_bytes());
            tools.iter().for_each(|tool| put(&mut bytes, tool));
        }
        Some(_) | None => bytes.push(USELESS),
    }
    if bytes.len() as u64 <= MAX_BYTES {
        let _ = place::replace(&file_of(store), &bytes);
    }
    Ok(())
}

/// Returns true if the store holds something that every run has to know.
fn concerns_all(connection: &Connection) -> rusqlite::Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM grants WHERE tool IS NULL AND NOT gone)
        OR EXISTS (SELECT 1 FROM requests WHERE standing = 'denied')
        OR EXISTS (SELECT 1 FROM restrictions)";
    connection.query_row(sql, [], |row| row.get(0))
}

/// Returns the tools that have grants, or `None` if there are too many of them.
fn tools(connection: &Connection) -> rusqlite::Result<Option<Vec<String>>> {
    // From one tool to the next: a tool may have any number of grants.
    let sql = "SELECT tool FROM grants WHERE NOT gone AND tool > ?1 ORDER BY tool LIMIT 1";
    let mut next = connection.prepare(sql)?;
    let mut found: Vec<String> = Vec::new();
    loop {
        let last = found.last().map_or("", String::as_str);
        match next.query_row([last], |row| row.get(0)).optional()? {
            Some(_) if found.len() == MAX_TOOLS => return Ok(None),
            Some(tool) => found.push(tool),
            None => return Ok(Some(found)),
        }
    }
}

/// Returns a text that differs after a start of the machine, and after a change of the store's file
/// other than by a log beside it.
fn stamp(store: &Path) -> Option<String> {
    let found = std::fs::symlink_metadata(store).ok()?;
    // Opening the store mends or reports the rest.
    if !place::is_private(store, &found) {
        return None;
    }
    let boot = std::fs::read_to_string(BOOT).ok()?;
    let (dev, ino, len) = (found.dev(), found.ino(), found.len());
    let (seconds, nanos) = (found.mtime(), found.mtime_nsec());
    Some(format!("{} {dev} {ino} {len} {seconds}.{nanos}", boot.trim_end()))
}

fn file_of(store: &Path) -> PathBuf {
    place::beside(store, "-outline")
}

fn put(bytes: &mut Vec<u8>, text: &str) {
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
}

/// The rest of a file that is being read.
struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = u32::from_le_bytes(self.take(4)?.try_into().ok()?);
        std::str::from_utf8(self.take(usize::try_from(length).ok()?)?).ok()
    }
}
