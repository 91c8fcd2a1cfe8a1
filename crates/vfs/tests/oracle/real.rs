//! The same operations on a real directory, by plain system calls.

use std::fs::File;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;

use cofferdam_vfs::{Kind, Stat};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use crate::ops::{How, Op};
use crate::scratch::Scratch;

#[derive(Debug, PartialEq)]
pub(crate) enum Answer {
    Done,
    Bytes(Vec<u8>),
    /// Kind, and for anything but a directory the number of names and the size.
    Stat(char, u64, u64),
}

impl From<()> for Answer {
    fn from((): ()) -> Self {
        Answer::Done
    }
}

impl Answer {
    pub(crate) fn stat(stat: Stat) -> Self {
        match stat.kind {
            Kind::File => Answer::Stat('f', stat.links, stat.size),
            Kind::Link => Answer::Stat('l', stat.links, stat.size),
            Kind::Directory => Answer::Stat('d', 0, 0),
            Kind::Device(_) | Kind::Other => unreachable!("never made here"),
        }
    }
}

/// Path, kind, number of names, bytes.
pub(crate) type Dump = Vec<(String, char, u64, Vec<u8>)>;

pub(crate) struct Real {
    place: Scratch,
    root: File,
}

impl Real {
    pub(crate) fn new() -> Self {
        let place = Scratch::new();
        let root = File::open(place.path()).unwrap();
        Real { place, root }
    }

    pub(crate) fn path(&self) -> &std::path::Path {
        self.place.path()
    }

    pub(crate) fn run(&self, op: &Op) -> Result<Answer, &'static str> {
        self.answer(op).map_err(name)
    }

    fn open(&self, path: &str, flags: OFlags) -> Result<File, Errno> {
        Ok(rustix::fs::openat(&self.root, path, flags, Mode::from(0o644))?.into())
    }

    fn answer(&self, op: &Op) -> Result<Answer, Errno> {
        use rustix::fs;
        let root = &self.root;
        Ok(match op {
            Op::MakeDirectory(path) => fs::mkdirat(root, path.as_str(), Mode::from(0o755))?.into(),
            Op::Write { path, data, how } => {
                let flags = match how {
                    How::Existing => OFlags::empty(),
                    How::Create => OFlags::CREATE,
                    How::CreateNew => OFlags::CREATE | OFlags::EXCL,
                    How::Truncate => OFlags::CREATE | OFlags::TRUNC,
                    How::Append => OFlags::APPEND,
                };
                self.open(path, OFlags::WRONLY | flags)?.write_all(data).unwrap();
                Answer::Done
            }
            Op::Read(path) => {
                let mut bytes = Vec::new();
                let mut file = self.open(path, OFlags::RDONLY)?;
                file.read_to_end(&mut bytes).map_err(|e| Errno::from_io_error(&e).unwrap())?;
                Answer::Bytes(bytes)
            }
            Op::RemoveFile(path) => fs::unlinkat(root, path.as_str(), AtFlags::empty())?.into(),
            Op::RemoveDirectory(path) => {
                fs::unlinkat(root, path.as_str(), AtFlags::REMOVEDIR)?.into()
            }
            Op::Rename(a, b) => fs::renameat(root, a.as_str(), root, b.as_str())?.into(),
            Op::Link(a, b) => {
                fs::linkat(root, a.as_str(), root, b.as_str(), AtFlags::empty())?.into()
            }
            Op::MakeLink { target, path } => {
                fs::symlinkat(target.as_str(), root, path.as_str())?.into()
            }
            Op::ReadLink(path) => {
                Answer::Bytes(fs::readlinkat(root, path.as_str(), Vec::new())?.into_bytes())
            }
            Op::Stat(path, follow) => {
                let flags = if *follow { AtFlags::empty() } else { AtFlags::SYMLINK_NOFOLLOW };
                stat(fs::statat(root, path.as_str(), flags)?)
            }
            Op::Truncate(path, size) => {
                fs::ftruncate(self.open(path, OFlags::WRONLY)?, *size)?.into()
            }
            Op::OpenDirectory(path, follow) => {
                let flags = if *follow { OFlags::empty() } else { OFlags::NOFOLLOW };
                stat(fs::fstat(self.open(path, OFlags::RDONLY | OFlags::DIRECTORY | flags)?)?)
            }
            Op::Fork => Answer::Done,
        })
    }

    /// Returns path, kind, number of names and bytes of every node, sorted.
    pub(crate) fn dump(&self) -> Dump {
        let mut dump = vec![("/".to_string(), 'd', 0, Vec::new())];
        let mut stack = vec![self.place.path().to_path_buf()];
        while let Some(directory) = stack.pop() {
            for entry in directory.read_dir().unwrap() {
                let path = entry.unwrap().path();
                let name = format!("/{}", path.strip_prefix(&self.place).unwrap().display());
                let found = rustix::fs::lstat(&path).unwrap();
                let (sort, links) = match stat(found) {
                    Answer::Stat(sort, links, _) => (sort, links),
                    Answer::Done | Answer::Bytes(_) => unreachable!("a stat is a stat"),
                };
                let bytes = match sort {
                    'f' => std::fs::read(&path).unwrap(),
                    'l' => path.read_link().unwrap().as_os_str().as_bytes().to_vec(),
                    _ => {
                        stack.push(path);
                        Vec::new()
                    }
                };
                dump.push((name, sort, links, bytes));
            }
        }
        dump.sort();
        dump
    }
}

/// Converts attributes. The casts are needed because field types differ between platforms.
#[allow(clippy::unnecessary_cast)]
fn stat(stat: rustix::fs::Stat) -> Answer {
    let (links, size) = (stat.st_nlink as u64, stat.st_size as u64);
    match FileType::from_raw_mode(stat.st_mode as _) {
        FileType::RegularFile => Answer::Stat('f', links, size),
        FileType::Symlink => Answer::Stat('l', links, size),
        FileType::Directory => Answer::Stat('d', 0, 0),
        other => unreachable!("{other:?} was never made"),
    }
}

fn name(errno: Errno) -> &'static str {
    let names = [
        (Errno::BUSY, "EBUSY"),
        (Errno::EXIST, "EEXIST"),
        (Errno::INVAL, "EINVAL"),
        (Errno::ISDIR, "EISDIR"),
        (Errno::LOOP, "ELOOP"),
        (Errno::NAMETOOLONG, "ENAMETOOLONG"),
        (Errno::NOENT, "ENOENT"),
        (Errno::NOTDIR, "ENOTDIR"),
        (Errno::NOTEMPTY, "ENOTEMPTY"),
        (Errno::PERM, "EPERM"),
    ];
    names.iter().find(|(known, _)| *known == errno).map_or("another", |(_, name)| name)
}
