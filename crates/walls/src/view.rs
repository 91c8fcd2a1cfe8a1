//! The sandbox's files as the supervisor sees them: finds out whether a path of the program leads
//! to something that is mounted, or to something that was never granted.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

use crate::call::{Follow, GuestPath};

/// Most links that are followed; the kernel's own limit.
const MAX_LINKS: usize = 40;

/// Most names of a path, with those of the links on its way.
const MAX_NAMES: usize = 4096;

/// The tree of a sandbox, seen from outside.
pub(crate) struct View {
    root: OwnedFd,
    /// Device of the root's own filesystem, which holds the places of mounts and nothing else.
    skeleton: u64,
    /// Folders below which the kernel's own answer is always right.
    known: Vec<PathBuf>,
    /// Folders below those in which missing files are asked about.
    windows: Vec<PathBuf>,
    /// Paths that were found inside since the tree was last changed.
    found: Mutex<Found>,
}

/// Paths that were found, with their links followed and not.
#[derive(Default)]
struct Found {
    followed: HashSet<OsString>,
    plain: HashSet<OsString>,
}

impl Found {
    fn of(&mut self, follow: Follow) -> &mut HashSet<OsString> {
        match follow {
            Follow::Link => &mut self.followed,
            Follow::Never => &mut self.plain,
        }
    }
}

/// Most paths that are remembered.
const MAX_FOUND: usize = 256;

/// The place that a path of the program leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// Something that the sandbox has, or a missing file in a folder that it has.
    Inside,
    /// Something that was never mounted: an absolute path of the host.
    Outside(PathBuf),
}

/// A file of the sandbox that is about to be started as a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executable {
    /// Path in the sandbox, links followed.
    pub path: PathBuf,
    /// Path as the program named it, and the links on the way, outermost first.
    pub names: Vec<PathBuf>,
    /// True if the permissions of the file let its owner or others start it.
    pub is_marked: bool,
    pub(crate) identity: (u64, u64),
}

impl Executable {
    /// Returns true if two paths lead to one file, as hard links do.
    pub fn is_same_file(&self, other: &Executable) -> bool {
        self.identity == other.identity
    }
}

impl View {
    pub(crate) fn new(
        root: OwnedFd,
        known: Vec<PathBuf>,
        windows: Vec<PathBuf>,
    ) -> io::Result<Self> {
        let skeleton = rustix::fs::fstat(&root)?.st_dev;
        Ok(View { root, skeleton, known, windows, found: Mutex::default() })
    }

    /// Finds the place of a path. When in doubt, the kernel's answer is the right one: it knows
    /// the mounts.
    pub(crate) fn locate(&self, pid: u32, path: &GuestPath) -> Place {
        let Some(absolute) = absolute(pid, path) else { return Place::Inside };
        if self.is_known(&absolute) {
            return Place::Inside;
        }
        // Half of the time of an answer is looking the path up. One that was found is looked up
        // again only after a change: a wrong guess costs a question, and the mounts decide.
        if lock(&self.found).of(path.follow).contains(absolute.as_os_str()) {
            return Place::Inside;
        }
        if self.open(&absolute, path.follow).is_ok() {
            let mut found = lock(&self.found);
            let found = found.of(path.follow);
            if found.len() >= MAX_FOUND {
                found.clear();
            }
            found.insert(absolute.into_owned().into_os_string());
            return Place::Inside;
        }
        match self.walk(&absolute, path.follow) {
            Some(Walked::Missing(outside)) => Place::Outside(outside),
            Some(Walked::Found(..) | Walked::MissingInside(_)) | None => Place::Inside,
        }
    }

    /// Forgets the paths that were found, because the tree changes.
    pub(crate) fn forget(&self) {
        let mut found = lock(&self.found);
        found.followed.clear();
        found.plain.clear();
    }

    /// Finds the program that a path leads to; `None` if the kernel will refuse it anyway.
    pub(crate) fn executable(&self, pid: u32, path: &GuestPath) -> Option<Executable> {
        self.program_at(&absolute(pid, path)?)
    }

    /// Finds the program at an absolute path.
    pub(crate) fn program_at(&self, path: &Path) -> Option<Executable> {
        match self.walk(path, Follow::Link)? {
            Walked::Found(path, names) => {
                let fd = self.open(&path, Follow::Never).ok()?;
                let found = fs::File::from(fd).metadata().ok()?;
                let identity = (found.dev(), found.ino());
                let is_marked = found.mode() & 0o111 != 0;
                found.is_file().then_some(Executable { path, names, is_marked, identity })
            }
            Walked::Missing(_) | Walked::MissingInside(_) => None,
        }
    }

    /// Returns true for a path without `..` below a folder that is known.
    fn is_known(&self, path: &Path) -> bool {
        self.known.iter().any(|known| is_below(path, known))
            && !path.components().any(|part| part == Component::ParentDir)
            && !self.windows.iter().any(|window| path.starts_with(window))
    }

    /// Returns the path that a path leads to, links followed; `None` if that is not known. The
    /// last name may be missing.
    pub(crate) fn resolve(&self, pid: u32, path: &GuestPath) -> Option<PathBuf> {
        match self.walk(&absolute(pid, path)?, path.follow)? {
            Walked::Found(path, _) | Walked::Missing(path) | Walked::MissingInside(path) => {
                Some(path)
            }
        }
    }

    /// Opens a file of the sandbox for reading, without following a link.
    pub(crate) fn open_to_read(&self, path: &Path) -> io::Result<fs::File> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
        let path = path.strip_prefix("/").unwrap_or(path);
        let resolve = ResolveFlags::IN_ROOT | ResolveFlags::NO_MAGICLINKS;
        Ok(rustix::fs::openat2(&self.root, path, flags, Mode::empty(), resolve)?.into())
    }

    fn open(&self, path: &Path, follow: Follow) -> Result<OwnedFd, Errno> {
        let flags = match follow {
            Follow::Link => OFlags::PATH | OFlags::CLOEXEC,
            Follow::Never => OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW,
        };
        let path = path.strip_prefix("/").unwrap_or(path);
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        rustix::fs::openat2(&self.root, path, flags, Mode::empty(), ResolveFlags::IN_ROOT)
    }

    /// Follows a path name by name, with its links.
    fn walk(&self, path: &Path, follow: Follow) -> Option<Walked> {
        let mut rest: Vec<_> = path.components().rev().map(|c| c.as_os_str().to_owned()).collect();
        let mut at = PathBuf::from("/");
        let mut is_skeleton = true;
        let mut names = vec![path.to_owned()];
        let mut steps = 0;
        while let Some(name) = rest.pop() {
            steps += 1;
            if steps > MAX_NAMES {
                return None;
            }
            match Component::Normal(&name) {
                _ if name == "/" => at = PathBuf::from("/"),
                _ if name == "." => continue,
                _ if name == ".." => drop(at.pop()),
                _ => {
                    let next = at.join(&name);
                    let Ok(found) = self.open(&next, Follow::Never) else {
                        at = next;
                        rest.iter().rev().for_each(|name| at.push(name));
                        return Some(match is_skeleton {
                            true => Walked::Missing(at),
                            false => Walked::MissingInside(at),
                        });
                    };
                    let about = rustix::fs::fstat(&found).ok()?;
                    let kind = FileType::from_raw_mode(about.st_mode);
                    let is_last = rest.is_empty();
                    if !kind.is_symlink() || (is_last && follow == Follow::Never) {
                        is_skeleton = about.st_dev == self.skeleton;
                        at = next;
                        continue;
                    }
                    if names.len() > MAX_LINKS {
                        return None;
                    }
                    let target = rustix::fs::readlinkat(&found, "", Vec::new()).ok()?;
                    let target = PathBuf::from(OsString::from_vec(target.into_bytes()));
                    let parts = target.components().rev().map(|c| c.as_os_str().to_owned());
                    rest.extend(parts);
                    if is_last {
                        names.push(at.join(&target));
                    }
                }
            }
            if rest.last().is_some_and(|name| name != "/") {
                // A link was followed: the folder that its target begins in decides.
                is_skeleton = self.is_skeleton(&at);
            }
        }
        Some(Walked::Found(at, names))
    }

    fn is_skeleton(&self, at: &Path) -> bool {
        let found = self.open(at, Follow::Never).map(fs::File::from);
        found.ok().and_then(|file| file.metadata().ok()).is_some_and(|m| m.dev() == self.skeleton)
    }
}

enum Walked {
    /// Path without links, and the names on the way.
    Found(PathBuf, Vec<PathBuf>),
    /// Path to something that the root's own filesystem does not have.
    Missing(PathBuf),
    /// Path to something that a mount does not have.
    MissingInside(PathBuf),
}

/// Returns true if a path is a folder, or begins with it, as it is written.
fn is_below(path: &Path, folder: &Path) -> bool {
    let rest = path.as_os_str().as_bytes().strip_prefix(folder.as_os_str().as_bytes());
    rest.is_some_and(|rest| rest.first().is_none_or(|byte| *byte == b'/'))
}

/// Returns the path from the root of the sandbox; `None` if it begins in no folder.
fn absolute(pid: u32, path: &GuestPath) -> Option<Cow<'_, Path>> {
    if path.text.is_absolute() {
        return Some(Cow::Borrowed(&path.text));
    }
    let base = match path.directory {
        None => format!("/proc/{pid}/cwd"),
        Some(number) => format!("/proc/{pid}/fd/{number}"),
    };
    let base = fs::read_link(base).ok()?;
    base.is_absolute().then(|| Cow::Owned(base.join(&path.text)))
}

/// A process of the sandbox.
pub(crate) struct Process {
    number: String,
    pub(crate) resident_pages: u64,
}

impl View {
    /// Lists the processes of the sandbox.
    pub(crate) fn processes(&self) -> io::Result<Vec<Process>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let proc = rustix::fs::openat(&self.root, "proc", flags, Mode::empty())?;
        let mut found = Vec::new();
        for entry in rustix::fs::Dir::read_from(&proc)? {
            let entry = entry?;
            let Ok(number) = entry.file_name().to_str() else { continue };
            if !number.bytes().all(|byte| byte.is_ascii_digit()) {
                continue;
            }
            // A process that ended meanwhile uses nothing.
            let Ok(text) = self.about(number, "statm") else { continue };
            let resident = text.split(' ').nth(1).and_then(|pages| pages.parse().ok());
            let resident_pages = resident.unwrap_or(0);
            found.push(Process { number: number.to_owned(), resident_pages });
        }
        Ok(found)
    }

    /// Returns the memory of a process in bytes, with its part of pages that it shares.
    pub(crate) fn share_of_memory(&self, process: &Process) -> Option<u64> {
        let text = self.about(&process.number, "smaps_rollup").ok()?;
        let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
        let kibibytes: u64 = line.trim().split(' ').next()?.parse().ok()?;
        Some(kibibytes << 10)
    }

    fn about(&self, number: &str, file: &str) -> io::Result<String> {
        let flags = OFlags::RDONLY | OFlags::CLOEXEC;
        let path = format!("proc/{number}/{file}");
        let file = rustix::fs::openat(&self.root, path, flags, Mode::empty())?;
        io::read_to_string(fs::File::from(file))
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_has_itself_and_what_is_below_it() {
        let check = |path: &str, expect: bool| {
            assert_eq!(is_below(Path::new(path), Path::new("/usr")), expect, "{path}");
        };
        check("/usr", true);
        check("/usr/lib/x", true);
        check("/usrlocal", false);
        check("/us", false);
        check("//usr/lib", false);
    }

    #[test]
    fn path_is_found_until_the_tree_changes() {
        let folder = std::env::temp_dir().join(format!("cofferdam-view-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("a"), "").unwrap();
        let view = View::new(fs::File::open(&folder).unwrap().into(), Vec::new(), Vec::new());
        let view = view.unwrap();
        let path = GuestPath { directory: None, text: "/a".into(), follow: Follow::Link };
        let locate = || view.locate(std::process::id(), &path);
        assert_eq!(locate(), Place::Inside);
        fs::remove_file(folder.join("a")).unwrap();
        assert_eq!(locate(), Place::Inside);
        view.forget();
        assert_eq!(locate(), Place::Outside("/a".into()));
        fs::remove_dir_all(&folder).unwrap();
    }
}
