//! The new root of a sandbox while entries are added to it.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode};
use rustix::io::Errno;

use super::{attributes, below, processes, set_attributes};
use crate::missing::Piece;
use crate::plan::{Code, Content, Entry};
use crate::sys::mount::{self, NO_DEVICES, NO_EXEC, NO_SUID};
use crate::world::MAX_COPY;

/// The new root, with what is known about it: most of its cost is the number of calls.
pub(super) struct Build {
    root: PathBuf,
    /// Folders that are there.
    folders: HashSet<PathBuf>,
    /// Room for a file that is copied, and for a byte that tells if it is longer.
    room: Vec<u8>,
}

impl Build {
    pub(super) fn new(root: PathBuf) -> Self {
        let folders = HashSet::from([root.clone()]);
        Build { root, folders, room: vec![0; MAX_COPY as usize + 1] }
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the place of a path of the sandbox.
    pub(super) fn place(&self, at: &Path) -> PathBuf {
        below(&self.root, at)
    }

    /// Adds an entry that needs no private files.
    pub(super) fn add(
        &mut self,
        entry: &Entry,
        source: Option<OwnedFd>,
    ) -> Result<(), (Piece, io::Error)> {
        let at = self.place(&entry.at);
        let mounts = |error| (Piece::Mounts, error);
        self.make_parents(&at).map_err(mounts)?;
        match (&entry.content, source) {
            (Content::Folder, _) | (Content::Window, None) => {
                fs::create_dir_all(&at).map_err(mounts)
            }
            (Content::Window, Some(source)) => {
                self.attach(source, (NO_SUID | NO_DEVICES | NO_EXEC, 0), &at).map_err(mounts)
            }
            (Content::Link(target), _) => symlink(target, &at).map_err(mounts),
            (Content::Text(text), _) => fs::write(&at, text).map_err(mounts),
            (Content::Copy(source), _) => self.copy(source, &at).map_err(mounts),
            (Content::Host(bind), Some(source)) => {
                self.attach(source, attributes(bind), &at).map_err(mounts)
            }
            (Content::Device(_), Some(source)) => {
                self.attach(source, (NO_SUID | NO_EXEC, 0), &at).map_err(mounts)
            }
            (Content::Processes, _) => {
                processes::mount(&at).map_err(|error| (Piece::Processes, error))
            }
            (Content::Host(_) | Content::Device(_), None)
            | (Content::Private | Content::Overlay(_), _) => Ok(()),
        }
    }

    /// Attaches a folder of private files, which holds no code unless that is allowed.
    pub(super) fn attach_private(
        &mut self,
        at: &Path,
        source: OwnedFd,
        code: Code,
    ) -> io::Result<()> {
        let at = self.place(at);
        self.make_parents(&at)?;
        let no_code = match code {
            Code::Refused => NO_EXEC,
            Code::Allowed => 0,
        };
        self.attach(source, (NO_SUID | NO_DEVICES | no_code, 0), &at)
    }

    /// Makes the parents of a place that a mount covers next.
    pub(super) fn make_room(&mut self, at: &Path) -> io::Result<()> {
        self.make_parents(at)?;
        self.folders.retain(|folder| !folder.starts_with(at));
        Ok(())
    }

    fn make_parents(&mut self, at: &Path) -> io::Result<()> {
        match at.parent() {
            Some(parent) if !self.folders.contains(parent) => {
                if !parent.is_dir() {
                    fs::create_dir_all(parent)?;
                }
                self.folders.insert(parent.to_owned());
                Ok(())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Copies a small file of the host. One that is gone, grew, or is closed to this user is not
    /// there.
    fn copy(&mut self, source: &Path, at: &Path) -> io::Result<()> {
        let mut length = 0;
        let Ok(mut file) = File::open(source) else { return Ok(()) };
        while let Some(room) = self.room.get_mut(length..).filter(|room| !room.is_empty()) {
            match file.read(room) {
                Ok(read) => {
                    let is_end = read < room.len();
                    length += read;
                    // A file gives as much as there is room for, or all that is left.
                    if is_end {
                        break;
                    }
                }
                Err(_) => return Ok(()),
            }
        }
        match length as u64 > MAX_COPY {
            true => Ok(()),
            false => fs::write(at, &self.room[..length]),
        }
    }

    /// Attaches a cloned mount, and makes the file or folder that it covers.
    fn attach(&mut self, source: OwnedFd, (set, clear): (u64, u64), at: &Path) -> io::Result<()> {
        let kind = FileType::from_raw_mode(rustix::fs::fstat(&source)?.st_mode);
        let made = match kind.is_dir() {
            true => rustix::fs::mkdir(at, Mode::from(0o755)),
            false => rustix::fs::mknodat(CWD, at, FileType::RegularFile, Mode::from(0o644), 0),
        };
        match made {
            // On a mount that cannot be written to, it is there or the next call fails.
            Ok(()) | Err(Errno::EXIST | Errno::ROFS) => {}
            Err(error) => return Err(error.into()),
        }
        set_attributes(&source, set, clear)?;
        mount::attach(source.as_fd(), at)?;
        // Folders that the mount covers are no longer there.
        self.folders.retain(|folder| !folder.starts_with(at));
        Ok(())
    }
}
