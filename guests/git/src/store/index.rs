//! The index: the files of the next commit, with what is known about them in the work tree.

use cofferdam_guest_sys::FileStatus;

use super::object::{Kind, TreeEntry, mode, write_tree};
use super::odb::Odb;
use super::oid::{LEN, Oid, checksum};
use crate::bytes;
use crate::fault::{At, Result, fatal};

/// Number of bytes of an entry before its path.
const FIXED: usize = 62;
const STAGE: u16 = 0x3000;
const EXTENDED: u16 = 0x4000;
const ASSUME_UNCHANGED: u16 = 0x8000;
/// In the second word of flags: the path was announced with `add -N`.
const INTENT: u16 = 0x2000;
/// The file of the work tree is not looked at.
const SKIP_WORKTREE: u16 = 0x4000;
/// Numbers of the index's format for the fields of a status, in order.
const FIELDS: usize = 10;

/// A file of the index.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub(crate) path: Vec<u8>,
    pub(crate) mode: u32,
    pub(crate) oid: Oid,
    /// 0, or 1 to 3 for the base, our and their side of a conflict.
    pub(crate) stage: u8,
    pub(crate) is_intent: bool,
    pub(crate) is_assumed: bool,
    /// The file of the work tree is not looked at.
    pub(crate) is_skipped: bool,
    /// Times, device, number and size of the file when it was last known to be unchanged.
    pub(crate) known: Known,
}

/// Status of a file when its content was last compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) changed: (u32, u32),
    pub(crate) modified: (u32, u32),
    pub(crate) device: u32,
    pub(crate) inode: u32,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
    pub(crate) size: u32,
}

impl Known {
    /// Takes what the index remembers from a status.
    pub(crate) fn of(status: &FileStatus) -> Known {
        Known {
            changed: split(status.changed),
            modified: split(status.modified),
            device: status.device as u32,
            inode: status.inode as u32,
            uid: status.uid,
            gid: status.gid,
            size: status.size as u32,
        }
    }

    /// Returns true if both describe the same unchanged file.
    pub(crate) fn agrees(&self, other: &Known) -> bool {
        self.modified == other.modified && self.size == other.size && self.inode == other.inode
    }
}

fn split(nanoseconds: u64) -> (u32, u32) {
    ((nanoseconds / 1_000_000_000) as u32, (nanoseconds % 1_000_000_000) as u32)
}

impl Entry {
    /// Creates an entry without knowledge of the work tree.
    pub(crate) fn new(path: Vec<u8>, mode: u32, oid: Oid) -> Entry {
        Entry {
            path,
            mode,
            oid,
            stage: 0,
            is_intent: false,
            is_assumed: false,
            is_skipped: false,
            known: Known::default(),
        }
    }
}

/// The index of a repository.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index {
    /// Sorted by path, then stage.
    pub(crate) entries: Vec<Entry>,
    /// Time at which the index file was written.
    pub(crate) written: (u32, u32),
}

impl Index {
    /// Reads an index file; a missing file is an empty index.
    pub(crate) fn read(file: &[u8]) -> Result<Index> {
        let Some(data) = bytes::read_if_exists(file).at(file)? else {
            return Ok(Index::default());
        };
        let mut index = parse(&data).ok_or_else(|| fatal("index file corrupt"))?;
        for entry in &index.entries {
            crate::tree::checkout::check_path(&entry.path)?;
        }
        if let Ok(status) = cofferdam_guest_sys::stat(file, true) {
            index.written = split(status.modified);
        }
        Ok(index)
    }

    /// Writes the index file.
    pub(crate) fn write(&self, file: &[u8]) -> Result<()> {
        let mut data = b"DIRC".to_vec();
        let is_extended = self.entries.iter().any(|entry| entry.is_intent);
        data.extend(if is_extended { 3u32 } else { 2 }.to_be_bytes());
        data.extend((self.entries.len() as u32).to_be_bytes());
        for entry in &self.entries {
            write_entry(entry, &mut data);
        }
        let sum = checksum(&data);
        data.extend(sum);
        bytes::replace(file, &data).at(file)
    }

    fn place(&self, path: &[u8], stage: u8) -> std::result::Result<usize, usize> {
        self.entries
            .binary_search_by(|entry| entry.path.as_slice().cmp(path).then(entry.stage.cmp(&stage)))
    }

    /// Finds a path that is not in conflict.
    pub(crate) fn get(&self, path: &[u8]) -> Option<&Entry> {
        self.place(path, 0).ok().map(|at| &self.entries[at])
    }

    /// Finds a path that is not in conflict.
    pub(crate) fn get_mut(&mut self, path: &[u8]) -> Option<&mut Entry> {
        self.place(path, 0).ok().map(|at| &mut self.entries[at])
    }

    /// Adds a file, or replaces it; ends a conflict, and removes files that the path would be a
    /// directory of, and the other way round.
    pub(crate) fn put(&mut self, entry: Entry) {
        if entry.stage == 0 {
            self.remove(&entry.path);
        } else if let Ok(at) = self.place(&entry.path, 0) {
            self.entries.remove(at);
        }
        let below = [entry.path.as_slice(), b"/"].concat();
        let is_other = |other: &Entry| {
            let is_above = entry.path.starts_with(&other.path)
                && entry.path.get(other.path.len()) == Some(&b'/');
            !(is_above || other.path.starts_with(&below))
        };
        if entry.stage == 0 {
            self.entries.retain(is_other);
        }
        match self.place(&entry.path, entry.stage) {
            Ok(at) => self.entries[at] = entry,
            Err(at) => self.entries.insert(at, entry),
        }
    }

    /// Removes a path with all its stages; returns true if it was there.
    pub(crate) fn remove(&mut self, path: &[u8]) -> bool {
        let before = self.entries.len();
        let start = self.place(path, 0).unwrap_or_else(|at| at);
        let end = self.entries[start..].iter().take_while(|entry| entry.path == path).count();
        self.entries.drain(start..start + end);
        self.entries.len() != before
    }

    /// Returns true if the index has files below a directory.
    pub(crate) fn has_below(&self, dir: &[u8]) -> bool {
        let dir = [dir, b"/"].concat();
        let at = self.entries.partition_point(|entry| entry.path.as_slice() < dir.as_slice());
        self.entries.get(at).is_some_and(|entry| entry.path.starts_with(&dir))
    }

    /// Returns true if the path is in conflict.
    pub(crate) fn conflicts_at(&self, path: &[u8]) -> bool {
        let at = self.place(path, 0).unwrap_or_else(|at| at);
        self.entries.get(at).is_some_and(|entry| entry.path == path && entry.stage > 0)
    }

    /// Returns the paths in conflict, sorted.
    pub(crate) fn conflicts(&self) -> Vec<Vec<u8>> {
        let conflicts = self.entries.iter().filter(|entry| entry.stage > 0);
        let mut paths: Vec<Vec<u8>> = conflicts.map(|entry| entry.path.clone()).collect();
        paths.dedup();
        paths
    }

    /// Stores the trees of the index and returns the root.
    pub(crate) fn write_tree(&self, odb: &Odb) -> Result<Oid> {
        let files: Vec<&Entry> =
            self.entries.iter().filter(|entry| entry.stage == 0 && !entry.is_intent).collect();
        subtree(odb, &files, 0)
    }
}

fn subtree(odb: &Odb, files: &[&Entry], depth: usize) -> Result<Oid> {
    let mut entries = Vec::new();
    let mut at = 0;
    while at < files.len() {
        let rest = &files[at].path[depth..];
        match rest.iter().position(|b| *b == b'/') {
            None => {
                let (mode, oid) = (files[at].mode, files[at].oid);
                entries.push(TreeEntry { mode, name: rest.to_vec(), oid });
                at += 1;
            }
            Some(len) => {
                let dir = &files[at].path[..=depth + len];
                let count =
                    files[at..].iter().take_while(|file| file.path.starts_with(dir)).count();
                let oid = subtree(odb, &files[at..at + count], depth + len + 1)?;
                entries.push(TreeEntry { mode: mode::TREE, name: rest[..len].to_vec(), oid });
                at += count;
            }
        }
    }
    odb.write(Kind::Tree, &write_tree(entries))
}

fn write_entry(entry: &Entry, data: &mut Vec<u8>) {
    let start = data.len();
    let known = &entry.known;
    let fields: [u32; FIELDS] = [
        known.changed.0,
        known.changed.1,
        known.modified.0,
        known.modified.1,
        known.device,
        known.inode,
        entry.mode,
        known.uid,
        known.gid,
        known.size,
    ];
    fields.iter().for_each(|field| data.extend(field.to_be_bytes()));
    data.extend(entry.oid.0);
    let mut flags = entry.path.len().min(0xfff) as u16 | u16::from(entry.stage) << 12;
    if entry.is_assumed {
        flags |= ASSUME_UNCHANGED;
    }
    let mut more = if entry.is_intent { INTENT } else { 0 };
    if entry.is_skipped {
        more |= SKIP_WORKTREE;
    }
    if more != 0 {
        data.extend((flags | EXTENDED).to_be_bytes());
        data.extend(more.to_be_bytes());
    } else {
        data.extend(flags.to_be_bytes());
    }
    data.extend(&entry.path);
    let len = data.len() - start;
    data.resize(start + (len + 8) / 8 * 8, 0);
}

fn parse(data: &[u8]) -> Option<Index> {
    let body = data.get(..data.len().checked_sub(LEN)?)?;
    let version = word(body, 4)?;
    if !body.starts_with(b"DIRC") || !(2..=4).contains(&version) {
        return None;
    }
    let count = word(body, 8)? as usize;
    let mut index = Index::default();
    let mut at = 12;
    for _ in 0..count {
        let start = at;
        let mut fields = [0; FIELDS];
        for (n, field) in fields.iter_mut().enumerate() {
            *field = word(body, at + n * 4)?;
        }
        let oid = Oid::from_bytes(body.get(at + 40..at + 60)?)?;
        let flags = u16::from_be_bytes(body.get(at + 60..at + FIXED)?.try_into().ok()?);
        at += FIXED;
        let (mut is_intent, mut is_skipped) = (false, false);
        if flags & EXTENDED != 0 {
            let more = u16::from_be_bytes(body.get(at..at + 2)?.try_into().ok()?);
            is_intent = more & INTENT != 0;
            is_skipped = more & SKIP_WORKTREE != 0;
            at += 2;
        }
        let mut path = Vec::new();
        if version == 4 {
            let kept = prefix_length(body, &mut at)?;
            let before = index.entries.last().map_or(&[][..], |last: &Entry| &last.path);
            path.extend_from_slice(before.get(..before.len().checked_sub(kept)?)?);
        }
        let end = at + body.get(at..)?.iter().position(|b| *b == 0)?;
        path.extend_from_slice(&body[at..end]);
        at = if version == 4 { end + 1 } else { start + (end - start + 8) / 8 * 8 };
        index.entries.push(Entry {
            path,
            mode: fields[6],
            oid,
            stage: ((flags & STAGE) >> 12) as u8,
            is_intent,
            is_assumed: flags & ASSUME_UNCHANGED != 0,
            is_skipped,
            known: Known {
                changed: (fields[0], fields[1]),
                modified: (fields[2], fields[3]),
                device: fields[4],
                inode: fields[5],
                uid: fields[7],
                gid: fields[8],
                size: fields[9],
            },
        });
    }
    Some(index)
}

/// Reads the number of bytes that a path of version 4 drops from the path before it.
fn prefix_length(data: &[u8], at: &mut usize) -> Option<usize> {
    let mut byte = *data.get(*at)?;
    *at += 1;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        byte = *data.get(*at)?;
        *at += 1;
        value = value.checked_add(1)?.checked_mul(128)? | usize::from(byte & 0x7f);
    }
    Some(value)
}

fn word(data: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_be_bytes(data.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_replaces_a_directory_and_the_other_way_round() {
        let mut index = Index::default();
        let mut put = |path: &str| {
            index.put(Entry::new(path.into(), mode::FILE, Oid::ZERO));
            index.entries.iter().map(|e| bytes::text(&e.path)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(put("a/b"), "a/b");
        assert_eq!(put("a.c"), "a.c a/b");
        assert_eq!(put("a"), "a a.c");
        assert_eq!(put("a/x/y"), "a.c a/x/y");
    }

    #[test]
    fn hostile_indexes_are_refused() {
        for data in
            [&b""[..], b"DIRC", &[b'D'; 40], b"DIRC\0\0\0\x02\xff\xff\xff\xff00000000000000000000"]
        {
            assert!(parse(data).is_none());
        }
    }
}
