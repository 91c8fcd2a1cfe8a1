//! Builds the tree of a sandbox in its mount namespace, and makes it the root.
//!
//! The part that every sandbox has is built before the plan is known. What the new root covers
//! meanwhile is reached through folders that were opened before.

mod build;
mod hidden;
mod private;
mod processes;

use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::missing::{Missing, Piece};
use crate::plan::{Bind, Code, Content, Entry, Plan, Writing};
use crate::sys::mount::{self, Cloning, Depth, NO_DEVICES, NO_EXEC, NO_SUID, READ_ONLY};
use crate::world;

use build::Build;
use private::PrivateFiles;

pub(crate) use hidden::Hidden;
pub(crate) use processes::has_harmless_memory_files;

/// Folders of which the first that exists is the place of the new root while it is built, and the
/// second that of the private files.
pub(crate) const PLACES: [&str; 5] = ["/mnt", "/media", "/srv", "/tmp", "/opt"];

/// Folder of the private files while the tree is built.
const SCRATCH: &str = ".scratch";

/// Flags of every filesystem that is made.
const FLAGS: libc::c_ulong = libc::MS_NOSUID | libc::MS_NODEV;

/// Inodes of the tree itself: folders, links and places of mounts.
const MAX_NODES: u64 = 20_000;

/// The tree of a sandbox while it is built.
pub(crate) struct Tree {
    /// The new root.
    build: Build,
    private: PrivateFiles,
    /// Folders of the host that are covered meanwhile, by their paths.
    covered: Vec<(PathBuf, OwnedFd)>,
}

impl Tree {
    /// Builds the part of the tree that every sandbox has.
    pub(crate) fn begin() -> Result<Self, Missing> {
        let failed = |step: &'static str| Missing::at(Piece::Mounts, step);
        let entries = world::system();
        let (place, scratch, covered) = choose_places();
        let sources = sources(&covered, &entries)?;
        let options = format!("mode=755,size=16m,nr_inodes={MAX_NODES}");
        mount::mount(c"tmpfs", &place, FLAGS, &options).map_err(failed("the root"))?;
        let mut build = Build::new(place);
        for (entry, source) in entries.iter().zip(sources) {
            if entry.content != Content::Private {
                let added = build.add(entry, source);
                added.map_err(|(piece, error)| at_entry(piece, entry, &error))?;
            }
        }
        let private = PrivateFiles::make(scratch, build.root()).map_err(failed("private files"))?;
        let tree = Tree { build, private, covered };
        tree.set_cloning(Cloning::Refused).map_err(failed("the root"))?;
        Ok(tree)
    }

    /// Sets if clones of the folders around the tree and the private files contain them.
    fn set_cloning(&self, cloning: Cloning) -> io::Result<()> {
        mount::set_cloning(self.private.scratch(), cloning)?;
        mount::set_cloning(self.build.root(), cloning)
    }

    /// Adds the entries of a plan, and makes the tree the root of this process.
    pub(crate) fn enter(mut self, plan: &Plan) -> Result<(), Missing> {
        let Plan { entries, limits, hidden, .. } = plan;
        let failed = |step: &'static str| Missing::at(Piece::Mounts, step);
        // T-NAT-007: a mount of the host's root would show the program's own files as code.
        let mut sources = sources(&self.covered, entries)?;
        self.set_cloning(Cloning::Allowed).map_err(failed("the root"))?;
        let lower = self.lower(entries).map_err(failed("an overlay"))?;
        // Windows lead to folders of the root's own filesystem, also where another one covers it.
        for (entry, source) in entries.iter().zip(&mut sources) {
            if entry.content == Content::Window {
                let made = window(&self.build.place(&entry.at));
                *source = Some(made.map_err(failed("a window"))?);
            }
        }
        self.private.limit(limits).map_err(failed("private files"))?;
        for (at, source) in self.private.take_folders() {
            let attached = self.build.attach_private(&at, source, plan.own_code);
            attached.map_err(|error| at_path(Piece::Mounts, &at, &error))?;
        }
        processes::close(&self.build.place(Path::new("/proc")), limits.tasks())
            .map_err(Missing::at(Piece::Processes, "limits"))?;
        // Entries are made in windows, so they are closed last.
        let mut windows = Vec::new();
        for (index, (entry, source)) in entries.iter().zip(sources).enumerate() {
            if let (Content::Window, Some(source)) = (&entry.content, &source) {
                windows.extend(source.try_clone());
            }
            let at = self.build.place(&entry.at);
            let scratch = self.private.scratch().join(format!("plan-{index}"));
            match (&entry.content, lower.iter().find(|(known, _)| *known == index)) {
                (Content::Private, _) => private::folder(&scratch)
                    .and_then(|source| self.build.attach_private(&entry.at, source, plan.own_code))
                    .map_err(|error| (Piece::Mounts, error)),
                (Content::Overlay(_), Some((_, lower))) => self
                    .build
                    .make_room(&at)
                    .and_then(|()| overlay(lower, &scratch, &at, plan.own_code))
                    .map_err(|error| (Piece::Overlay, error)),
                (_, _) => self.build.add(entry, source),
            }
            .map_err(|(piece, error)| at_entry(piece, entry, &error))?;
            let shown = match &entry.content {
                Content::Host(Bind { source, writing, .. }) => Some((source, *writing)),
                Content::Overlay(source) => Some((source, Writing::Refused)),
                Content::Folder
                | Content::Link(_)
                | Content::Text(_)
                | Content::Copy(_)
                | Content::Window
                | Content::Private
                | Content::Device(_)
                | Content::Processes => None,
            };
            if let Some((source, writing)) = shown {
                let hidden = Hidden::below(hidden, source);
                hidden.cover(&at, writing).map_err(failed("hidden files"))?;
            }
        }
        for window in windows {
            mount::set_attributes(window.as_fd(), READ_ONLY, 0, Depth::One)
                .map_err(failed("a window"))?;
        }
        self.private.leave().map_err(failed("private files"))?;
        self.covered.clear();
        std::env::set_current_dir(self.build.root()).map_err(failed("the root"))?;
        mount::pivot_here().map_err(failed("pivot_root"))?;
        close_tree().map_err(failed("the root"))
    }

    /// Opens the folders below overlays, which are mounted by their paths; by index.
    fn lower(&self, entries: &[Entry]) -> io::Result<Vec<(usize, Lower)>> {
        let mut found = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let Content::Overlay(source) = &entry.content else { continue };
            let lower = match find(&self.covered, source) {
                (None, path) => Lower::Named(path.to_owned()),
                (Some(folder), path) => {
                    let flags = OFlags::PATH | OFlags::CLOEXEC;
                    Lower::Open(rustix::fs::openat(folder, path, flags, Mode::empty())?)
                }
            };
            found.push((index, lower));
        }
        Ok(found)
    }
}

/// Folders of the host that are covered, by their paths.
type Covered = [(PathBuf, OwnedFd)];

/// Chooses the places of the root and of the private files; returns them with the folders that
/// they cover.
fn choose_places() -> (PathBuf, PathBuf, Vec<(PathBuf, OwnedFd)>) {
    let mut usable = PLACES.iter().map(PathBuf::from).filter(|place| place.is_dir());
    let place = usable.next().unwrap_or_else(|| PathBuf::from("/tmp"));
    // Outside the new root it goes with the old one; detaching it by itself takes a millisecond.
    let scratch = usable.next().unwrap_or_else(|| place.join(SCRATCH));
    let mut covered = Vec::new();
    for at in [&place, &scratch] {
        if let Ok(folder) = rustix::fs::open(at, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()) {
            covered.push((at.clone(), folder));
        }
    }
    (place, scratch, covered)
}

/// Clones the mounts of all sources.
fn sources(covered: &Covered, entries: &[Entry]) -> Result<Vec<Option<OwnedFd>>, Missing> {
    let clone = |entry: &Entry| {
        let source = match &entry.content {
            Content::Host(Bind { source, .. }) | Content::Device(source) => source,
            Content::Folder
            | Content::Link(_)
            | Content::Text(_)
            | Content::Copy(_)
            | Content::Overlay(_)
            | Content::Window
            | Content::Private
            | Content::Processes => return Ok(None),
        };
        let (folder, path) = find(covered, source);
        let cloned = mount::clone(folder.map(AsFd::as_fd), path, Depth::Tree);
        let failed =
            |error| Missing::new(Piece::Mounts, format_args!("{}: {error}", source.display()));
        cloned.map(Some).map_err(failed)
    };
    entries.iter().map(clone).collect()
}

/// Returns the folder in which a path of the host is looked up: a path that is covered begins in
/// the folder below the cover.
fn find<'a>(covered: &'a Covered, source: &'a Path) -> (Option<&'a OwnedFd>, &'a Path) {
    let below =
        |(at, folder): &'a (PathBuf, OwnedFd)| Some((Some(folder), source.strip_prefix(at).ok()?));
    match covered.iter().find_map(below) {
        Some((folder, rest)) if rest.as_os_str().is_empty() => (folder, Path::new(".")),
        Some(found) => found,
        None => (None, source),
    }
}

/// The folder below an overlay.
enum Lower {
    Named(PathBuf),
    Open(OwnedFd),
}

impl Lower {
    fn path(&self) -> PathBuf {
        match self {
            Lower::Named(path) => path.clone(),
            Lower::Open(folder) => format!("/proc/self/fd/{}", folder.as_raw_fd()).into(),
        }
    }
}

fn at_entry(piece: Piece, entry: &Entry, error: &io::Error) -> Missing {
    at_path(piece, &entry.at, error)
}

fn at_path(piece: Piece, at: &Path, error: &io::Error) -> Missing {
    Missing::new(piece, format_args!("{}: {error}", at.display()))
}

/// Makes the mount of the root, without those below it, read-only.
fn close_tree() -> io::Result<()> {
    let root = fs::File::open("/")?;
    mount::set_attributes(root.as_fd(), READ_ONLY | NO_SUID | NO_DEVICES | NO_EXEC, 0, Depth::One)
}

/// Makes a folder of the root's own filesystem, and clones the mount with it.
fn window(at: &Path) -> io::Result<OwnedFd> {
    fs::create_dir_all(at)?;
    mount::clone(None, at, Depth::One)
}

/// Makes missing folders below the root's own filesystem.
pub(crate) fn make_folders(skeleton: &OwnedFd, at: &Path) -> io::Result<()> {
    let mut path = PathBuf::new();
    for component in at.components() {
        let Component::Normal(name) = component else { continue };
        path.push(name);
        match rustix::fs::mkdirat(skeleton, &path, Mode::from(0o755)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Returns the attributes that a bind sets and clears.
pub(crate) fn attributes(bind: &Bind) -> (u64, u64) {
    let mut set = NO_SUID | NO_DEVICES;
    if bind.writing == Writing::Refused {
        set |= READ_ONLY;
    }
    match bind.code {
        Code::Refused => (set | NO_EXEC, 0),
        Code::Allowed => (set, NO_EXEC),
    }
}

/// Sets the attributes of a cloned mount. A host mount may lock `noexec`, which then stays.
pub(crate) fn set_attributes(source: &OwnedFd, set: u64, clear: u64) -> io::Result<()> {
    match mount::set_attributes(source.as_fd(), set, clear, Depth::Tree) {
        Err(error) if clear != 0 && error.raw_os_error() == Some(libc::EPERM) => {
            mount::set_attributes(source.as_fd(), set, 0, Depth::Tree)
        }
        other => other,
    }
}

fn overlay(lower: &Lower, scratch: &Path, at: &Path, code: Code) -> io::Result<()> {
    let (upper, work) = (scratch.join("upper"), scratch.join("work"));
    fs::create_dir(scratch)?;
    fs::create_dir(&upper)?;
    fs::create_dir(&work)?;
    fs::create_dir_all(at)?;
    // A comma or colon would begin another option or layer.
    let text = |path: &Path| match path.to_str() {
        Some(text) if !text.contains([',', ':', '\\']) => Ok(text.to_owned()),
        _ => Err(io::Error::other("a path with a comma, colon or backslash cannot be an overlay")),
    };
    let (lower, upper, work) = (text(&lower.path())?, text(&upper)?, text(&work)?);
    let options = format!("userxattr,lowerdir={lower},upperdir={upper},workdir={work}");
    let no_code = match code {
        Code::Refused => libc::MS_NOEXEC,
        Code::Allowed => 0,
    };
    mount::mount(c"overlay", at, libc::MS_NOSUID | libc::MS_NODEV | no_code, &options)
}

/// Returns a path of the sandbox below its root.
pub(crate) fn below(root: &Path, path: &Path) -> PathBuf {
    root.join(path.strip_prefix("/").unwrap_or(path))
}
