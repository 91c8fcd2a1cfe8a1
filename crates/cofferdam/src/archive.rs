//! A sandbox as one file, and back.
//!
//! `MAGIC`, a version, records, and the SHA-256 of all before it. Numbers are little-endian, texts
//! and bytes have their length before them. A record is a tag and what belongs to it; a directory
//! comes before what is in it.

use std::collections::{BTreeMap, HashMap};

use cofferdam_kernel::resources::Area;
use cofferdam_vfs::{Mode, Node, Open, SetTime, Stat, Time, Tree, VPath};
use sha2::{Digest, Sha256};

use crate::error::{Error, ErrorKind};
use crate::files;
use crate::life::Snapshot;
use crate::limits::Limits;

const MAGIC: &[u8; 16] = b"cofferdam-box\r\n\0";
const VERSION: u32 = 1;
const SUM: usize = 32;

/// Most variables that are taken, and their longest text together.
const MAX_VARIABLES: usize = 10_000;
const MAX_VARIABLE_BYTES: usize = 1 << 20;

/// Records, by the first byte of each.
mod tag {
    pub(super) const VARIABLE: u8 = 1;
    pub(super) const STORED: u8 = 2;
    pub(super) const DIRECTORY: u8 = 3;
    pub(super) const FILE: u8 = 4;
    pub(super) const LINK: u8 = 5;
    /// Another name of a file that came before.
    pub(super) const NAME: u8 = 6;
    /// Where programs begin; the last record.
    pub(super) const CWD: u8 = 7;
}

/// What an archive holds besides files.
pub(crate) struct Imported {
    pub(crate) local: Area,
    pub(crate) variables: BTreeMap<String, String>,
    pub(crate) cwd: String,
}

/// Writes a snapshot; the error says what has no place in an archive.
pub(crate) fn write(snapshot: &Snapshot) -> Result<Vec<u8>, String> {
    let mut out = Out(Vec::new());
    out.0.extend_from_slice(MAGIC);
    out.0.extend_from_slice(&VERSION.to_le_bytes());
    for (name, value) in snapshot.variables.iter() {
        out.tag(tag::VARIABLE).text(name).text(value);
    }
    for key in snapshot.local.keys() {
        let text = snapshot.local.get(&key).unwrap_or_default();
        out.tag(tag::STORED).text(&key).text(text);
    }
    let mut named: HashMap<u64, VPath> = HashMap::new();
    for walked in snapshot.files.walk() {
        let walked = walked.map_err(|e| e.to_string())?;
        if walked.system {
            continue;
        }
        let (path, stat) = (walked.path.as_str(), &walked.stat);
        match &walked.node {
            Node::Directory => drop(out.tag(tag::DIRECTORY).text(path).attributes(stat)),
            Node::Link(target) => drop(out.tag(tag::LINK).text(path).text(target)),
            Node::File(_) if named.contains_key(&stat.ino.0) => {
                out.tag(tag::NAME).text(path).text(named[&stat.ino.0].as_str());
            }
            Node::File(extents) => {
                if stat.links > 1 {
                    named.insert(stat.ino.0, walked.path.clone());
                }
                let count = extents.iter().count() as u64;
                out.tag(tag::FILE).text(path).attributes(stat).number(stat.size).number(count);
                for (offset, bytes) in extents.iter() {
                    out.number(offset).bytes(bytes);
                }
            }
            // Devices are the system's, and what is mounted is somebody else's.
            Node::Device(_) | Node::Mount => {}
        }
    }
    out.tag(tag::CWD).text(&snapshot.cwd);
    let sum = Sha256::digest(&out.0);
    out.0.extend_from_slice(&sum);
    Ok(out.0)
}

struct Out(Vec<u8>);

impl Out {
    fn tag(&mut self, tag: u8) -> &mut Self {
        self.0.push(tag);
        self
    }

    fn number(&mut self, number: u64) -> &mut Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64).0.extend_from_slice(bytes);
        self
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.bytes(text.as_bytes())
    }

    fn attributes(&mut self, stat: &Stat) -> &mut Self {
        let bits = u64::from(stat.mode.bits());
        self.number(bits).number(stat.accessed.0).number(stat.modified.0)
    }
}

/// Puts what an archive holds into a tree that nobody uses yet and nothing is mounted in. The
/// checksum is looked at before anything else; it protects from damage, not from malice, so all
/// that follows is checked as if a guest had said it.
pub(crate) fn read(bytes: &[u8], tree: &Tree, limits: &Limits) -> Result<Imported, Error> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else { return bad("not an export of a sandbox") };
    let Some((body, sum)) = rest.split_at_checked(rest.len().saturating_sub(SUM)) else {
        return bad("cut off");
    };
    let Some((version, body)) = body.split_first_chunk() else { return bad("cut off") };
    let version = u32::from_le_bytes(*version);
    if version != VERSION {
        return bad(format!("version {version}; this program reads version {VERSION}"));
    }
    if Sha256::digest(&bytes[..bytes.len() - SUM]).as_slice() != sum {
        return bad("damaged: its checksum is another one");
    }
    let mut into = Into { tree, limits, attributes: Vec::new() };
    let mut from = From(body);
    let mut found = Imported { local: Area::default(), variables: BTreeMap::new(), cwd: "".into() };
    let mut variable_bytes = 0;
    while !from.0.is_empty() {
        match from.tag()? {
            tag::VARIABLE => {
                let (name, value) = (from.text()?, from.text()?);
                let is_fit = !name.is_empty() && !name.contains(['=', '\0']);
                if !is_fit || value.contains('\0') {
                    return bad(format!("variable {name:?}: not one that can be"));
                }
                variable_bytes += name.len() + value.len();
                let is_full = found.variables.len() >= MAX_VARIABLES;
                if is_full || variable_bytes > MAX_VARIABLE_BYTES {
                    return bad("too many variables");
                }
                found.variables.insert(name.to_owned(), value.to_owned());
            }
            tag::STORED => {
                let (key, text) = (from.text()?, from.text()?);
                if found.local.set(key, text).is_err() {
                    return bad("more local storage than a sandbox has");
                }
            }
            tag::DIRECTORY => {
                let (path, attributes) = (path(from.text()?)?, from.attributes()?);
                into.directory(&path, attributes)?;
            }
            tag::FILE => {
                let (path, attributes) = (path(from.text()?)?, from.attributes()?);
                into.file(&path, attributes, &mut from)?;
            }
            tag::LINK => {
                let (path, target) = (path(from.text()?)?, from.text()?);
                into.link(&path, target)?;
            }
            tag::NAME => {
                let (at, of) = (path(from.text()?)?, path(from.text()?)?);
                into.name(&at, &of)?;
            }
            tag::CWD => {
                let cwd = path(from.text()?)?;
                if !from.0.is_empty() {
                    return bad("something comes after its end");
                }
                found.cwd = cwd.as_str().to_owned();
            }
            other => return bad(format!("a record of the unknown kind {other}")),
        }
    }
    if found.cwd.is_empty() {
        return bad("without an end");
    }
    into.finish()?;
    Ok(found)
}

fn bad<T>(what: impl std::fmt::Display) -> Result<T, Error> {
    Err(Error::new(ErrorKind::Setting, format!("archive: {what}")))
}

/// A path as an export writes it: absolute, no `.` and `..`, no slash too many.
fn path(text: &str) -> Result<VPath, Error> {
    match VPath::new(text) {
        Ok(path) if path.as_str() == text => Ok(path),
        Ok(_) | Err(_) => bad(format!("{text:?}: not a plain absolute path")),
    }
}

struct Attributes {
    mode: Mode,
    accessed: Time,
    modified: Time,
}

/// A tree that is being filled.
struct Into<'t> {
    tree: &'t Tree,
    limits: &'t Limits,
    /// Set at the end: a directory that may not be written to could not be filled.
    attributes: Vec<(VPath, Attributes)>,
}

impl Into<'_> {
    fn files(&self) -> cofferdam_vfs::Files<'_> {
        self.tree.as_guest(files::now())
    }

    fn refused(&self, error: &cofferdam_vfs::Error) -> Error {
        files::refused(self.tree, self.limits, error)
    }

    /// The folder of a path must be there, as a folder and not behind a link.
    fn check_folder(&self, path: &VPath) -> Result<(), Error> {
        let Some(folder) = path.parent() else { return bad("/: not a file") };
        match self.files().resolve(folder.as_str()) {
            Ok(found) if found == folder => Ok(()),
            Ok(_) => bad(format!("{}: lies behind a link", path.as_str())),
            Err(error) => Err(self.refused(&error)),
        }
    }

    fn directory(&mut self, path: &VPath, attributes: Attributes) -> Result<(), Error> {
        if path.parent().is_some() {
            self.check_folder(path)?;
            let made = self.files().make_directory(path.as_str(), Mode::DIRECTORY);
            match made {
                Ok(()) => {}
                // The home and the like are there already.
                Err(error) if error.errno() == cofferdam_vfs::Errno::Exists => {
                    self.check_own_directory(path)?;
                }
                Err(error) => return Err(self.refused(&error)),
            }
        }
        self.attributes.push((path.clone(), attributes));
        Ok(())
    }

    fn check_own_directory(&self, path: &VPath) -> Result<(), Error> {
        let found = self.files().resolve(path.as_str()).map_err(|e| self.refused(&e))?;
        let stat = self.files().stat(path.as_str()).map_err(|e| self.refused(&e))?;
        let may_write = self.files().access(path.as_str(), cofferdam_vfs::Access::Write);
        if found != *path || stat.kind != cofferdam_vfs::Kind::Directory || may_write.is_err() {
            return bad(format!("{}: not a directory that can be filled", path.as_str()));
        }
        Ok(())
    }

    fn file(
        &mut self,
        path: &VPath,
        attributes: Attributes,
        from: &mut From<'_>,
    ) -> Result<(), Error> {
        self.check_folder(path)?;
        let (size, count) = (from.number()?, from.number()?);
        let how = Open::to_write().create_new();
        let file = self.files().open(path.as_str(), how).map_err(|e| self.refused(&e))?;
        for _ in 0..count {
            let (offset, mut bytes) = (from.number()?, from.bytes()?);
            if offset.checked_add(bytes.len() as u64).is_none_or(|end| end > size) {
                return bad(format!("{}: content past its end", path.as_str()));
            }
            let mut at = offset;
            while !bytes.is_empty() {
                let written = file.write_at(at, bytes, files::now());
                let len = written.map_err(|e| self.refused(&e))?;
                if len == 0 {
                    return bad(format!("{}: cannot be written", path.as_str()));
                }
                at += len as u64;
                bytes = &bytes[len..];
            }
        }
        file.set_size(size, files::now()).map_err(|e| self.refused(&e))?;
        self.attributes.push((path.clone(), attributes));
        Ok(())
    }

    fn link(&self, path: &VPath, target: &str) -> Result<(), Error> {
        self.check_folder(path)?;
        self.files().make_link(target, path.as_str()).map_err(|e| self.refused(&e))
    }

    fn name(&self, at: &VPath, of: &VPath) -> Result<(), Error> {
        self.check_folder(at)?;
        self.check_folder(of)?;
        self.files().link(of.as_str(), at.as_str()).map_err(|e| self.refused(&e))
    }

    fn finish(self) -> Result<(), Error> {
        for (path, attributes) in self.attributes.iter().rev() {
            let Attributes { mode, accessed, modified } = *attributes;
            let (accessed, modified) = (SetTime::At(accessed), SetTime::At(modified));
            let set = self
                .files()
                .set_times(path.as_str(), accessed, modified)
                .and_then(|()| self.files().set_mode(path.as_str(), mode));
            set.map_err(|e| self.refused(&e))?;
        }
        Ok(())
    }
}

/// What is left to be read.
struct From<'a>(&'a [u8]);

impl<'a> From<'a> {
    fn tag(&mut self) -> Result<u8, Error> {
        let Some((tag, rest)) = self.0.split_first() else { return bad("cut off") };
        self.0 = rest;
        Ok(*tag)
    }

    fn number(&mut self) -> Result<u64, Error> {
        let Some((number, rest)) = self.0.split_first_chunk() else { return bad("cut off") };
        self.0 = rest;
        Ok(u64::from_le_bytes(*number))
    }

    fn bytes(&mut self) -> Result<&'a [u8], Error> {
        let len = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        let Some((bytes, rest)) = self.0.split_at_checked(len) else { return bad("cut off") };
        self.0 = rest;
        Ok(bytes)
    }

    fn text(&mut self) -> Result<&'a str, Error> {
        match std::str::from_utf8(self.bytes()?) {
            Ok(text) => Ok(text),
            Err(_) => bad("a text that is not UTF-8"),
        }
    }

    fn attributes(&mut self) -> Result<Attributes, Error> {
        let bits = self.number()?;
        let mode = Mode::new(u32::try_from(bits & 0o7777).unwrap_or(0));
        Ok(Attributes { mode, accessed: Time(self.number()?), modified: Time(self.number()?) })
    }
}
