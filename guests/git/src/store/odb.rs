//! The database of objects: loose files and packs.

use std::cell::{Cell, OnceCell};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

use super::object::{Commit, Kind, Tag, TreeEntry, mode, parse_tree};
use super::oid::Oid;
use super::pack::{MAX_OBJECT, Pack};
use crate::bytes::{self, join};
use crate::fault::{At, Result, fatal};

/// Shortest abbreviation of an identity.
pub(crate) const ABBREVIATION: usize = 7;

/// Number of databases that one may borrow objects from.
const MAX_ALTERNATES: usize = 16;

/// Deltas between packs that are followed. git writes none; two packs could refer to each other.
const MAX_OUTSIDE: usize = 16;

/// The database of objects of one repository.
pub(crate) struct Odb {
    /// Directories of objects: the repository's own first, then those it borrows from.
    dirs: Vec<Vec<u8>>,
    packs: OnceCell<Vec<Pack>>,
    /// Deltas between packs that are being followed.
    outside: Cell<usize>,
}

impl Odb {
    /// Opens the database in a directory `objects`.
    pub(crate) fn new(objects: Vec<u8>) -> Odb {
        let mut dirs = vec![objects];
        let mut at = 0;
        while at < dirs.len() && dirs.len() < MAX_ALTERNATES {
            let list = fs::read(bytes::path(&join(&dirs[at], b"info/alternates")));
            for line in list.unwrap_or_default().split(|b| *b == b'\n') {
                if !line.is_empty() && !line.starts_with(b"#") {
                    let dir = bytes::normal(&join(&dirs[at], line));
                    if !dirs.contains(&dir) {
                        dirs.push(dir);
                    }
                }
            }
            at += 1;
        }
        Odb { dirs, packs: OnceCell::new(), outside: Cell::new(0) }
    }

    fn packs(&self) -> &[Pack] {
        self.packs.get_or_init(|| {
            let mut packs = Vec::new();
            for dir in &self.dirs {
                let Ok(list) = fs::read_dir(bytes::path(&join(dir, b"pack"))) else { continue };
                let mut names: Vec<Vec<u8>> = list
                    .flatten()
                    .map(|entry| bytes::raw(entry.path().as_os_str()).to_vec())
                    .filter(|name| name.ends_with(b".idx"))
                    .collect();
                names.sort();
                packs.extend(names.iter().filter_map(|name| Pack::open(name).ok()));
            }
            packs
        })
    }

    fn loose_file(dir: &[u8], oid: Oid) -> Vec<u8> {
        let hex = oid.to_string();
        join(dir, format!("{}/{}", &hex[..2], &hex[2..]).as_bytes())
    }

    /// Returns true if the database has the object.
    pub(crate) fn has(&self, oid: Oid) -> bool {
        let is_loose = |dir: &Vec<u8>| bytes::path(&Odb::loose_file(dir, oid)).exists();
        self.dirs.iter().any(is_loose) || self.packs().iter().any(|pack| pack.find(oid).is_some())
    }

    /// Reads an object.
    pub(crate) fn read(&self, oid: Oid) -> Result<(Kind, Vec<u8>)> {
        for dir in &self.dirs {
            let file = Odb::loose_file(dir, oid);
            if let Some(data) = bytes::read_if_exists(&file).at(&file)? {
                return inflate(&data)
                    .ok_or_else(|| fatal(format!("loose object {oid} is corrupt")));
            }
        }
        for pack in self.packs() {
            if let Some(at) = pack.find(oid) {
                return pack.read(at, &|base| self.read_outside(base));
            }
        }
        Err(fatal(format!("unable to read {oid}")))
    }

    /// Reads the base of a delta in another pack.
    fn read_outside(&self, oid: Oid) -> Result<(Kind, Vec<u8>)> {
        let depth = self.outside.get();
        if depth >= MAX_OUTSIDE {
            return Err(fatal(format!("object {oid} is corrupt: its packs refer to each other")));
        }
        self.outside.set(depth + 1);
        let found = self.read(oid);
        self.outside.set(depth);
        found
    }

    fn read_as(&self, oid: Oid, kind: Kind) -> Result<Vec<u8>> {
        let (found, data) = self.read(oid)?;
        if found != kind {
            return Err(fatal(format!("{oid} is a {}, not a {}", found.name(), kind.name())));
        }
        // T-PROC-017: content that does not have its hash could contain itself, and a walk would not end.
        if kind != Kind::Blob && Oid::of(kind.name(), &data) != oid {
            return Err(fatal(format!("object {oid} is corrupt: its content has another hash")));
        }
        Ok(data)
    }

    /// Reads a blob.
    pub(crate) fn blob(&self, oid: Oid) -> Result<Vec<u8>> {
        self.read_as(oid, Kind::Blob)
    }

    /// Reads a commit.
    pub(crate) fn commit(&self, oid: Oid) -> Result<Commit> {
        Commit::parse(&self.read_as(oid, Kind::Commit)?)
    }

    /// Reads a tag.
    pub(crate) fn tag(&self, oid: Oid) -> Result<Tag> {
        Tag::parse(&self.read_as(oid, Kind::Tag)?)
    }

    /// Reads a tree. The empty tree need not be stored.
    pub(crate) fn tree(&self, oid: Oid) -> Result<Vec<TreeEntry>> {
        if oid.is_zero() || oid == Oid::of("tree", b"") {
            return Ok(Vec::new());
        }
        parse_tree(&self.read_as(oid, Kind::Tree)?)
    }

    /// Finds a path in a tree.
    pub(crate) fn entry(&self, tree: Oid, path: &[u8]) -> Result<Option<TreeEntry>> {
        let mut found = TreeEntry { mode: mode::TREE, name: Vec::new(), oid: tree };
        for part in path.split(|b| *b == b'/').filter(|part| !part.is_empty()) {
            if found.mode != mode::TREE {
                return Ok(None);
            }
            match self.tree(found.oid)?.into_iter().find(|entry| entry.name == part) {
                Some(entry) => found = entry,
                None => return Ok(None),
            }
        }
        Ok(Some(found))
    }

    /// Stores an object and returns its identity.
    pub(crate) fn write(&self, kind: Kind, data: &[u8]) -> Result<Oid> {
        let oid = Oid::of(kind.name(), data);
        if self.has(oid) {
            return Ok(oid);
        }
        let file = Odb::loose_file(&self.dirs[0], oid);
        let dir = bytes::parent(&file);
        let store = || -> std::io::Result<()> {
            fs::create_dir_all(bytes::path(dir))?;
            let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(format!("{} {}\0", kind.name(), data.len()).as_bytes())?;
            encoder.write_all(data)?;
            // Two processes may store objects at the same time.
            let pid = cofferdam_guest_sys::myself().map_or(0, |me| me.pid);
            let temporary = join(dir, format!("tmp_obj_{pid}").as_bytes());
            fs::write(bytes::path(&temporary), encoder.finish()?)?;
            cofferdam_guest_sys::chmod(&temporary, 0o444)?;
            fs::rename(bytes::path(&temporary), bytes::path(&file))
        };
        store().at(&file)?;
        Ok(oid)
    }

    /// Returns the objects whose identity begins with these digits.
    pub(crate) fn beginning_with(&self, digits: &str) -> BTreeSet<Oid> {
        let mut found = BTreeSet::new();
        for dir in &self.dirs {
            let Ok(list) = fs::read_dir(bytes::path(&join(dir, &digits.as_bytes()[..2]))) else {
                continue;
            };
            for entry in list.flatten() {
                let name = [&digits.as_bytes()[..2], bytes::raw(&entry.file_name())].concat();
                if name.starts_with(digits.as_bytes()) {
                    found.extend(Oid::parse(&name));
                }
            }
        }
        for pack in self.packs() {
            found.extend(pack.oids().filter(|oid| oid.to_string().starts_with(digits)));
        }
        found
    }

    /// Returns the shortest unique abbreviation, of at least `least` digits.
    pub(crate) fn short_by(&self, oid: Oid, least: usize) -> String {
        let hex = oid.to_string();
        let others = self.beginning_with(&hex[..least.clamp(4, 40)]);
        let is_unique = |len: &usize| {
            !others.iter().any(|other| *other != oid && other.to_string()[..*len] == hex[..*len])
        };
        let len = (least.clamp(4, 40)..40).find(is_unique).unwrap_or(40);
        hex[..len].to_owned()
    }

    /// Returns the abbreviation that git prints. Its length grows with the number of objects.
    pub(crate) fn short(&self, oid: Oid) -> String {
        let packed: usize = self.packs().iter().map(Pack::count).sum();
        let bits = (usize::BITS - packed.leading_zeros()) as usize;
        self.short_by(oid, bits.div_ceil(2).max(ABBREVIATION))
    }
}

fn inflate(data: &[u8]) -> Option<(Kind, Vec<u8>)> {
    let mut content = Vec::new();
    ZlibDecoder::new(data).take(MAX_OBJECT).read_to_end(&mut content).ok()?;
    let end = content.iter().position(|b| *b == 0)?;
    let (kind, size) = std::str::from_utf8(&content[..end]).ok()?.split_once(' ')?;
    let (kind, size) = (Kind::parse(kind.as_bytes())?, size.parse::<usize>().ok()?);
    content.drain(..=end);
    (content.len() == size).then_some((kind, content))
}
