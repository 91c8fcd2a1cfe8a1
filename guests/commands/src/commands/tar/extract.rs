//! Extracts members into the file system, below the directory that was asked for.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use ::tar::{Entry, EntryType};
use cofferdam_guest_sys as sys;

use super::Tar;
use super::read::Member;
use super::settings::Existing;
use crate::bytes::OsStrExt as _;
use crate::files::status;
use crate::output::reason;

/// The state of a place in the file system before a member is extracted to it.
enum Place {
    Free,
    /// The file that is there stays.
    Kept,
}

impl Tar {
    /// Extracts a member. Failures are reported, except those of reading the archive.
    pub(super) fn extract<R: Read>(
        &mut self,
        entry: &mut Entry<'_, R>,
        member: &Member,
    ) -> io::Result<()> {
        let Some(name) = &member.place else { return Ok(()) };
        if name.split(|b| *b == b'/').any(|part| part == b"..") {
            self.complain(&member.name, "Member name contains '..'");
            return Ok(());
        }
        if !self.settings.absolute {
            // Prints the warning; the place itself never starts at the root.
            let _ = self.safer(name);
        }
        let path = self.place(&member.dir, name);
        if path.as_os_str().is_empty() {
            return Ok(());
        }
        if let Err(message) = self.put(entry, member, &path) {
            self.complain(name, &message);
        }
        Ok(())
    }

    fn put<R: Read>(
        &mut self,
        entry: &mut Entry<'_, R>,
        member: &Member,
        path: &Path,
    ) -> Result<(), String> {
        let failed = |what: &str, error: &io::Error| format!("{what}: {}", reason(error));
        if self.is_behind_link(path) {
            return Err("Cannot open: Not a directory".to_owned());
        }
        if let Some(parent) = path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            fs::create_dir_all(parent).map_err(|error| failed("Cannot mkdir", &error))?;
        }
        let header = entry.header();
        let (kind, modified) = (header.entry_type(), header.mtime().unwrap_or(0));
        let mut mode = header.mode().unwrap_or(0o644) & 0o777;
        if !self.settings.permissions {
            mode &= !self.mask;
        }
        if kind.is_dir() {
            return self.directory(path, mode, modified);
        }
        if kind.is_hard_link() && self.is_linked(member, path) {
            return Ok(());
        }
        if matches!(self.clear(path, modified)?, Place::Kept) {
            return Ok(());
        }
        match kind {
            EntryType::Symlink => {
                let to = OsStr::from_bytes(&member.link);
                link(Path::new(to), path)
                    .map_err(|error| failed("Cannot create symlink", &error))?;
                if !self.settings.touch {
                    set_time_of(path, modified);
                }
                self.links.insert(path.to_owned());
            }
            EntryType::Link => self.hard_link(member, path)?,
            EntryType::Fifo => {
                sys::mkfifo(path.as_os_str().as_bytes(), mode)
                    .map_err(|error| failed("Cannot mkfifo", &error))?;
                if !self.settings.touch {
                    set_time_of(path, modified);
                }
            }
            EntryType::Char | EntryType::Block => {
                return Err("Cannot mknod: Operation not permitted".to_owned());
            }
            _ => {
                let open = |error| failed("Cannot open", &error);
                let mut file = File::create(path).map_err(open)?;
                io::copy(entry, &mut file).map_err(|error| failed("Cannot write", &error))?;
                if !self.settings.touch {
                    set_time(&file, modified);
                }
                drop(file);
                let _ = sys::chmod(path.as_os_str().as_bytes(), mode);
            }
        }
        Ok(())
    }

    fn directory(&mut self, path: &Path, mode: u32, modified: u64) -> Result<(), String> {
        if self.links.contains(path) {
            return Err("Cannot mkdir: File exists".to_owned());
        }
        match fs::create_dir(path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists || !path.is_dir() => {
                return Err(format!("Cannot mkdir: {}", reason(&error)));
            }
            Ok(()) | Err(_) => {}
        }
        // The directory stays writable until its files are there.
        let _ = sys::chmod(path.as_os_str().as_bytes(), mode | 0o700);
        self.directories.push((path.to_owned(), mode, modified));
        Ok(())
    }

    /// Sets the modes and times of extracted directories, inner ones first.
    pub(super) fn finish_directories(&mut self) {
        for (path, mode, modified) in std::mem::take(&mut self.directories).into_iter().rev() {
            if !self.settings.touch
                && let Ok(directory) = File::open(&path)
            {
                set_time(&directory, modified);
            }
            let _ = sys::chmod(path.as_os_str().as_bytes(), mode);
        }
    }

    /// Removes the file at a place, unless it is to be kept.
    fn clear(&mut self, path: &Path, modified: u64) -> Result<Place, String> {
        let Ok(found) = fs::symlink_metadata(path) else { return Ok(Place::Free) };
        match self.settings.existing {
            Existing::Refuse => return Err("Cannot open: File exists".to_owned()),
            Existing::Skip => return Ok(Place::Kept),
            Existing::KeepNewer => {
                let time =
                    found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
                if time.is_some_and(|time| time.as_secs() >= modified) {
                    let shown = path.display();
                    eprintln!("tar: Current \u{2018}{shown}\u{2019} is newer or same age");
                    return Ok(Place::Kept);
                }
            }
            Existing::Replace | Existing::Empty => {}
        }
        let removed = match found.is_dir() {
            true if self.settings.existing == Existing::Empty => fs::remove_dir_all(path),
            true => fs::remove_dir(path),
            false => fs::remove_file(path),
        };
        removed.map_err(|error| match found.is_dir() {
            true => "Cannot open: Is a directory".to_owned(),
            false => format!("Cannot unlink: {}", reason(&error)),
        })?;
        self.links.remove(path);
        Ok(Place::Free)
    }

    fn hard_link(&mut self, member: &Member, path: &Path) -> Result<(), String> {
        let to = self.place(&member.dir, &member.link);
        let above = member.link.split(|b| *b == b'/').any(|part| part == b"..");
        if above || to.as_os_str().is_empty() || self.is_behind_link(&to) {
            return Err("link leads outside".to_owned());
        }
        fs::hard_link(&to, path).map_err(|error| {
            format!("Cannot hard link to \u{2018}{}\u{2019}: {}", to.display(), reason(&error))
        })?;
        if self.links.contains(&to) {
            self.links.insert(path.to_owned());
        }
        Ok(())
    }

    /// Returns true if a hard link is there already.
    fn is_linked(&self, member: &Member, path: &Path) -> bool {
        let number = |path: &Path| {
            let found = status(path.as_os_str().as_bytes(), false).ok()?;
            Some((found.device, found.inode))
        };
        number(path).is_some_and(|at| number(&self.place(&member.dir, &member.link)) == Some(at))
    }

    /// Returns the path of an extracted member; without `-P`, it is below the directory.
    fn place(&self, dir: &Path, name: &[u8]) -> PathBuf {
        let mut path = dir.to_owned();
        for component in Path::new(OsStr::from_bytes(name)).components() {
            match component {
                Component::Normal(part) => path.push(part),
                Component::RootDir if self.settings.absolute => path.push("/"),
                Component::CurDir
                | Component::RootDir
                | Component::ParentDir
                | Component::Prefix(_) => {}
            }
        }
        path
    }

    /// Returns true if the path leads through a link of this archive, which may point anywhere
    /// (T-PROC-016).
    fn is_behind_link(&self, path: &Path) -> bool {
        path.ancestors().skip(1).any(|folder| self.links.contains(folder))
    }
}

fn set_time(file: &File, modified: u64) {
    let time = UNIX_EPOCH.checked_add(Duration::from_secs(modified));
    if let Some(time) = time {
        // A file system without times leaves the file as it is.
        let _ = file.set_times(fs::FileTimes::new().set_modified(time));
    }
}

/// Sets the time of a link or pipe, which cannot be opened for that.
fn set_time_of(path: &Path, modified: u64) {
    let Ok(path) = std::ffi::CString::new(path.as_os_str().as_bytes()) else { return };
    let Ok(seconds) = modified.try_into() else { return };
    let time = libc::timespec { tv_sec: seconds, tv_nsec: 0 };
    let times = [time, time];
    // SAFETY: the path is a C string and the times are an array of two, both alive during the call.
    let _ = unsafe {
        libc::utimensat(libc::AT_FDCWD, path.as_ptr(), times.as_ptr(), libc::AT_SYMLINK_NOFOLLOW)
    };
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(target_os = "wasi")]
fn link(to: &Path, at: &Path) -> io::Result<()> {
    let c = |path: &Path| std::ffi::CString::new(path.as_os_str().as_bytes());
    let (to, at) = (c(to)?, c(at)?);
    // SAFETY: both pointers are C strings that outlive the call.
    match unsafe { libc::symlink(to.as_ptr(), at.as_ptr()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}
