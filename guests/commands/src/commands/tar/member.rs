//! Adds files to an archive: the selection, the header and the content of each.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};

use ::tar::{EntryType, Header};
use cofferdam_guest_sys::FileStatus;

use super::Tar;
use super::list::Listed;
use super::settings::{LeavesOut, Owner};
use super::transform::Target;
use super::writer::Writer;
use crate::bytes::{OsStrExt as _, OsStringExt as _, join};
use crate::files::{Kind, owner_name, parse_mode, status};
use crate::output::{Output, reason};

/// Deepest nesting of directories.
const MAX_DEPTH: usize = 256;

/// The places that adding a file writes to.
pub(super) struct Sink<'a, 'w> {
    pub(super) archive: &'a mut Writer<'w>,
    pub(super) out: &'a mut Output,
    /// Names are listed on standard error, because the archive is standard output.
    pub(super) to_error: bool,
    /// Times of members that are in the archive already, in seconds.
    pub(super) known: std::collections::HashMap<Vec<u8>, u64>,
}

impl Tar {
    /// Adds all files that the command line names.
    pub(super) fn add_all(&mut self, sink: &mut Sink<'_, '_>) -> io::Result<()> {
        for (dir, rule) in std::mem::take(&mut self.settings.names) {
            self.add(sink, dir.as_os_str().as_bytes(), &rule.text, 0)?;
        }
        Ok(())
    }

    fn add(
        &mut self,
        sink: &mut Sink<'_, '_>,
        dir: &[u8],
        name: &[u8],
        depth: usize,
    ) -> io::Result<()> {
        let path = if dir.is_empty() { name.to_vec() } else { join(dir, name) };
        let bare = name.strip_suffix(b"/").filter(|bare| !bare.is_empty()).unwrap_or(name);
        if self.settings.exclude.iter().any(|rule| rule.covers(bare)) || depth > MAX_DEPTH {
            return Ok(());
        }
        let found = match status(&path, self.settings.dereference) {
            Ok(found) => found,
            Err(error) => {
                self.complain(name, &format!("Cannot stat: {}", reason(&error)));
                return Ok(());
            }
        };
        if self.archive == Some((found.device, found.inode)) {
            eprintln!("tar: {}: file is the archive; not dumped", super::list::escaped(name));
            return Ok(());
        }
        let kind = Kind::of(found.mode);
        let seconds = found.modified / 1_000_000_000;
        let old = self.settings.newer.is_some_and(|newer| seconds < newer);
        if old && kind != Kind::Directory {
            return Ok(());
        }
        let safe = self.safer(bare);
        let Some(mut stored) = self.settings.transform.apply(&safe, Target::Member) else {
            return Ok(());
        };
        if kind == Kind::Directory && !stored.ends_with(b"/") {
            stored.push(b'/');
        }
        if sink.known.get(&stored).is_none_or(|known| seconds > *known) {
            self.add_one(sink, &path, bare, &stored, &found)?;
        }
        if kind == Kind::Directory && self.settings.recursion {
            self.add_below(sink, dir, bare, &path, depth)?;
        }
        if self.settings.remove {
            self.remove(&path, bare, kind);
        }
        Ok(())
    }

    /// Adds the files of a directory.
    fn add_below(
        &mut self,
        sink: &mut Sink<'_, '_>,
        dir: &[u8],
        bare: &[u8],
        path: &[u8],
        depth: usize,
    ) -> io::Result<()> {
        let mut names: Vec<Vec<u8>> = match fs::read_dir(OsStr::from_bytes(path)) {
            Ok(entries) => entries.flatten().map(|entry| entry.file_name().into_vec()).collect(),
            Err(error) => {
                self.complain(bare, &format!("Cannot open: {}", reason(&error)));
                return Ok(());
            }
        };
        names.sort();
        match self.tag(path) {
            Some((tag, LeavesOut::Content)) => names.retain(|name| *name == tag),
            Some((_, LeavesOut::Under | LeavesOut::All)) => return Ok(()),
            None => {}
        }
        for child in names {
            self.add(sink, dir, &join(bare, &child), depth + 1)?;
        }
        Ok(())
    }

    /// Returns the tag of a directory that is left out, and the part that is.
    fn tag(&self, path: &[u8]) -> Option<(Vec<u8>, LeavesOut)> {
        self.settings.tags.iter().find_map(|tag| {
            let mut file = File::open(OsStr::from_bytes(&join(path, &tag.name))).ok()?;
            let mut start = vec![0; tag.start.len()];
            file.read_exact(&mut start).ok()?;
            (start == tag.start).then(|| (tag.name.clone(), tag.leaves_out))
        })
    }

    fn add_one(
        &mut self,
        sink: &mut Sink<'_, '_>,
        path: &[u8],
        bare: &[u8],
        stored: &[u8],
        found: &FileStatus,
    ) -> io::Result<()> {
        let kind = Kind::of(found.mode);
        if kind == Kind::Directory
            && self.tag(path).is_some_and(|(_, leaves_out)| leaves_out == LeavesOut::All)
        {
            return Ok(());
        }
        let mut header = self.header(found)?;
        let (mut link, mut file) = (Vec::new(), None);
        let number = (found.device, found.inode);
        let linked = found.links > 1 && kind != Kind::Directory && !self.settings.hard_dereference;
        if let Some(first) = self.linked.get(&number).filter(|_| linked) {
            header.set_entry_type(EntryType::Link);
            link = self.settings.transform.apply(first, Target::HardLink).unwrap_or_default();
        } else {
            match kind {
                Kind::Directory => header.set_entry_type(EntryType::Directory),
                Kind::Pipe => header.set_entry_type(EntryType::Fifo),
                Kind::Link => {
                    header.set_entry_type(EntryType::Symlink);
                    let to = fs::read_link(OsStr::from_bytes(path))?;
                    let to = to.as_os_str().as_bytes();
                    link = self.settings.transform.apply(to, Target::Symlink).unwrap_or_default();
                }
                Kind::Regular => match File::open(OsStr::from_bytes(path)) {
                    Ok(opened) => {
                        header.set_size(found.size);
                        file = Some(opened);
                    }
                    Err(error) => {
                        self.complain(bare, &format!("Cannot open: {}", reason(&error)));
                        return Ok(());
                    }
                },
                Kind::Socket => {
                    eprintln!("tar: {}: socket ignored", super::list::escaped(bare));
                    return Ok(());
                }
                // The null device is the only one; a sandbox cannot make others.
                Kind::Block | Kind::Character => {
                    header.set_entry_type(EntryType::Char);
                    header.set_device_major(1)?;
                    header.set_device_minor(3)?;
                }
            }
            if linked {
                let name = self.safer(bare);
                self.linked.insert(number, name);
            }
        }
        if self.settings.verbose > 0 {
            let end: &[u8] = if kind == Kind::Directory { b"/" } else { b"" };
            // The name as it was given, with its leading slash.
            let shown = match self.settings.show_transformed {
                true => stored.to_vec(),
                false if bare.ends_with(b"/") => bare.to_vec(),
                false => [bare, end].concat(),
            };
            let size = if file.is_some() { found.size } else { 0 };
            let listed = Listed { header: &header, name: &shown, link: &link, size };
            let long = self.settings.verbose > 1;
            self.show(&listed, long, sink.to_error, sink.out)?;
        }
        match file {
            Some(file) => {
                // The header promises the size, even if the file changes meanwhile.
                let mut padded = file.chain(io::repeat(0)).take(found.size);
                sink.archive.add(&mut header, stored, &link, &mut padded)
            }
            None => sink.archive.add(&mut header, stored, &link, &mut io::empty()),
        }
    }

    /// Returns the header of a file, without its name, kind and size.
    fn header(&self, found: &FileStatus) -> io::Result<Header> {
        let mut header = Header::new_gnu();
        let settings = &self.settings;
        let directory = Kind::of(found.mode) == Kind::Directory;
        let mode = found.mode & 0o7777;
        let given = settings.mode.as_ref().and_then(|text| parse_mode(text, mode, directory, 0));
        header.set_mode(given.unwrap_or(mode));
        let own = |given: &Option<Owner>, id: u32| match given {
            Some(given) => given.clone(),
            None => Owner { name: owner_name(id), id: u64::from(id) },
        };
        let (owner, group) = (own(&settings.owner, found.uid), own(&settings.group, found.gid));
        header.set_uid(owner.id);
        header.set_gid(group.id);
        let modified = found.modified / 1_000_000_000;
        header.set_mtime(match settings.modified {
            Some(given) if settings.clamp => modified.min(given),
            Some(given) => given,
            None => modified,
        });
        if !settings.numeric {
            header.set_username(&owner.name)?;
            header.set_groupname(&group.name)?;
        }
        header.set_size(0);
        Ok(header)
    }

    fn remove(&mut self, path: &[u8], name: &[u8], kind: Kind) {
        let path = OsStr::from_bytes(path);
        let removed = match kind {
            Kind::Directory => fs::remove_dir(path),
            Kind::Regular
            | Kind::Link
            | Kind::Pipe
            | Kind::Socket
            | Kind::Block
            | Kind::Character => fs::remove_file(path),
        };
        if let Err(error) = removed {
            let what = if kind == Kind::Directory { "rmdir" } else { "unlink" };
            self.complain(name, &format!("Cannot {what}: {}", reason(&error)));
        }
    }
}
