//! The sandbox's files behind permits.

use cofferdam_broker::{Action, Obstacle, Particulars, Permit};
use cofferdam_caps::fs::FilePath;
use cofferdam_caps::{Access, Request};
use cofferdam_vfs::{
    self as vfs, At, DirEntry, Errno, Error, Follow, Interrupt, Kind, Mode, Open, Stat, Time, Tree,
    VPath,
};

use super::walk::Walk;
use crate::program::furniture::HOME;

/// Most entries that a listing, a recursive removal or a move has.
pub(super) const MAX_ENTRIES: usize = 100_000;

/// Files of a sandbox as its tools use them, at one moment.
///
/// A path alone opens nothing, and neither does an action that was not checked:
///
/// ```compile_fail
/// use cofferdam_kernel::permitted::Files;
/// use cofferdam_vfs::VPath;
///
/// fn read(files: &Files<'_>, path: VPath) {
///     let _ = files.read(path, 100);
/// }
/// ```
///
/// ```compile_fail
/// use cofferdam_kernel::permitted::{Files, ReadFile};
///
/// fn read(files: &Files<'_>, action: ReadFile) {
///     let _ = files.read(action, 100);
/// }
/// ```
///
/// A permit to read does not write, a permit is used up by its first use, and the tree itself
/// cannot be reached:
///
/// ```compile_fail
/// use cofferdam_broker::Permit;
/// use cofferdam_kernel::permitted::{Files, ReadFile};
///
/// fn write(files: &Files<'_>, permit: Permit<ReadFile>) {
///     let _ = files.write(permit, b"text");
/// }
/// ```
///
/// ```compile_fail
/// use cofferdam_broker::Permit;
/// use cofferdam_kernel::permitted::{Files, ReadFile};
///
/// fn twice(files: &Files<'_>, permit: Permit<ReadFile>) {
///     let _ = files.read(permit, 100);
///     let _ = files.read(permit, 100);
/// }
/// ```
///
/// ```compile_fail
/// use cofferdam_kernel::permitted::Files;
///
/// fn tree<'a>(files: &Files<'a>) -> &'a cofferdam_vfs::Tree {
///     files.tree
/// }
/// ```
pub struct Files<'a> {
    tree: &'a Tree,
    now: Time,
    until: &'a Interrupt,
}

/// Reading, listing or looking at one path.
pub struct ReadFile {
    target: Target,
    /// The files, to see whether there is anything to ask about.
    tree: Tree,
    now: Time,
}

/// Writing a file, or making a folder, at one path.
pub struct WriteFile {
    target: Target,
    outside: bool,
}

/// Making the missing folders of a path, each checked by its own name.
pub struct MakeFolders {
    /// The whole path. It is checked first and even if it exists, so that a refusal tells nothing
    /// about the folders on the way.
    last: Target,
    /// Missing folders on the way, from the top.
    missing: Vec<Target>,
    /// Missing folders that were checked.
    checked: usize,
    outside: bool,
}

/// Removing a path and, if recursive, everything below it.
pub struct RemoveFile {
    target: Target,
    below: Walk,
    outside: bool,
    how: Removal,
}

/// Moving a path with everything below it.
///
/// A move makes content appear under another name, which the tool may be allowed to read. So a
/// move needs permission to read and to write what moves, and to write the new name.
// T-PERM-004: content moved to a readable place.
pub struct RenameFile {
    from: Target,
    to: Target,
    below: Walk,
    /// Requests to check before the next entry is listed, the next one last.
    next: Vec<Request>,
    outside: bool,
}

/// Extent of a removal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Removal {
    /// One file or link.
    File,
    /// One empty folder.
    Folder,
    /// Everything below, too.
    Recursive,
}

/// A resolved path, and the error if there is no such path.
///
/// The name is checked either way, so that a tool learns nothing about files it may not see
/// (T-PERM-003).
struct Target {
    checked: FilePath,
    found: Result<VPath, Error>,
}

fn read(path: &FilePath) -> Request {
    Request::Fs { access: Access::Read, path: path.clone() }
}

fn write(path: &FilePath) -> Request {
    Request::Fs { access: Access::Write, path: path.clone() }
}

impl Action for ReadFile {
    fn request(&self) -> Request {
        read(&self.target.checked)
    }

    fn particulars(&self) -> Particulars {
        let found = self.target.found.as_ref().map_err(Error::errno);
        let files = self.tree.as_guest(self.now);
        let seen = found.and_then(|path| files.stat(path).map_err(|error| error.errno()));
        match seen {
            Err(Errno::NotFound) => Particulars::default().obstacle(Obstacle::NotThere),
            Ok(stat) if stat.kind == Kind::Directory => Particulars::default().folder(),
            Ok(_) | Err(_) => Particulars::default(),
        }
    }
}

impl Action for WriteFile {
    fn request(&self) -> Request {
        write(&self.target.checked)
    }

    fn acts_outside(&self) -> bool {
        self.outside
    }
}

impl Action for MakeFolders {
    fn particulars(&self) -> Particulars {
        let path = self.last.checked.as_str();
        Particulars::default().words(&format!("create the folder {path}"))
    }

    fn request(&self) -> Request {
        write(&self.last.checked)
    }

    fn further(&mut self) -> Option<Request> {
        let folder = self.missing.get(self.checked)?;
        self.checked += 1;
        Some(write(&folder.checked))
    }

    fn acts_outside(&self) -> bool {
        self.outside
    }
}

impl Action for RemoveFile {
    fn particulars(&self) -> Particulars {
        let path = self.target.checked.as_str();
        // Entries are listed only after the root was permitted, so their number is not known.
        Particulars::default().words(&match self.how {
            Removal::File | Removal::Folder => format!("delete {path}"),
            Removal::Recursive => format!("delete {path} and everything below it"),
        })
    }

    fn request(&self) -> Request {
        write(&self.target.checked)
    }

    fn further(&mut self) -> Option<Request> {
        self.below.next().map(write)
    }

    fn acts_outside(&self) -> bool {
        self.below.is_complete() && (self.outside || self.below.reaches_outside())
    }
}

impl Action for RenameFile {
    fn particulars(&self) -> Particulars {
        let (from, to) = (self.from.checked.as_str(), self.to.checked.as_str());
        Particulars::default().words(&format!("rename {from} to {to}"))
    }

    fn request(&self) -> Request {
        write(&self.from.checked)
    }

    fn further(&mut self) -> Option<Request> {
        if let Some(request) = self.next.pop() {
            return Some(request);
        }
        let path = self.below.next()?;
        self.next.push(read(path));
        Some(write(path))
    }

    fn acts_outside(&self) -> bool {
        self.below.is_complete() && (self.outside || self.below.reaches_outside())
    }
}

/// Resolving paths. Nothing of a file's content or of a folder's entries leaves an action.
impl<'a> Files<'a> {
    pub(super) fn new(tree: &'a Tree, now: Time, until: &'a Interrupt) -> Self {
        Files { tree, now, until }
    }

    /// Resolves a path to read. A relative path begins in the home folder.
    pub fn to_read(&self, path: &str, follow: Follow) -> Result<ReadFile, cofferdam_caps::Error> {
        let (tree, now) = (self.tree.clone(), self.now);
        Ok(ReadFile { target: self.target(path, follow)?, tree, now })
    }

    /// Resolves a path to write.
    pub fn to_write(&self, path: &str, follow: Follow) -> Result<WriteFile, cofferdam_caps::Error> {
        let target = self.target(path, follow)?;
        Ok(WriteFile { outside: self.is_outside(&target), target })
    }

    /// Finds the missing folders of a path.
    pub fn to_make(&self, path: &str) -> Result<MakeFolders, cofferdam_caps::Error> {
        let absolute = lexical(&absolute(path));
        let last = self.target(&absolute, Follow::Link)?;
        let mut missing = Vec::new();
        for end in (1..=absolute.len())
            .filter(|end| absolute[*end..].starts_with('/') || *end == absolute.len())
        {
            let at = &absolute[..end];
            if self.guest().stat(at).is_ok_and(|stat| stat.kind == Kind::Directory) {
                continue;
            }
            missing.push(self.target(at, Follow::Never)?);
        }
        let outside = missing.iter().any(|target| self.is_outside(target));
        Ok(MakeFolders { last, missing, checked: 0, outside })
    }

    /// Resolves a path to remove. Entries below it are listed while they are checked.
    pub(crate) fn to_remove(
        &self,
        path: &str,
        how: Removal,
    ) -> Result<RemoveFile, cofferdam_caps::Error> {
        let target = self.target(path, Follow::Never)?;
        let below = match (&target.found, how) {
            (Ok(root), Removal::Recursive) => self.below(root),
            (Ok(_) | Err(_), Removal::File | Removal::Folder | Removal::Recursive) => {
                Walk::nothing()
            }
        };
        Ok(RemoveFile { outside: self.is_outside(&target), target, below, how })
    }

    /// Resolves a path to move, and its new name. Entries below it are listed while they are
    /// checked.
    pub fn to_rename(&self, from: &str, to: &str) -> Result<RenameFile, cofferdam_caps::Error> {
        let from = self.target(from, Follow::Never)?;
        let to = self.target(to, Follow::Never)?;
        let below = match &from.found {
            Ok(root) => self.below(root),
            Err(_) => Walk::nothing(),
        };
        let outside = self.is_outside(&from) || self.is_outside(&to);
        let next = vec![write(&to.checked), read(&from.checked)];
        Ok(RenameFile { from, to, below, next, outside })
    }

    fn guest(&self) -> vfs::Files<'a> {
        self.tree.as_guest(self.now).until(self.until)
    }

    // T-PERM-002: a link or `..` that leaves a granted folder.
    fn target(&self, path: &str, follow: Follow) -> Result<Target, cofferdam_caps::Error> {
        let absolute = absolute(path);
        Ok(match self.guest().resolve_far(At::root(&absolute).follow(follow)) {
            Ok(found) => Target { checked: found.as_str().parse()?, found: Ok(found) },
            Err((error, reached)) => {
                // The path behind a link is checked like one that exists (T-PERM-003).
                let checked = reached.unwrap_or_else(|| lexical(&absolute));
                Target { checked: checked.parse()?, found: Err(error) }
            }
        })
    }

    /// Returns true if a write to the target changes a folder of the host.
    fn is_outside(&self, target: &Target) -> bool {
        VPath::new(target.checked.as_str()).is_ok_and(|path| self.guest().changes_outside(&path))
    }

    fn below(&self, root: &VPath) -> Walk {
        Walk::new(self.tree.clone(), self.now, self.until.clone(), root.clone())
    }
}

/// Touching files, each with a permit.
impl Files<'_> {
    /// Returns the content of a file of at most `most` bytes.
    pub fn read(&self, permit: Permit<ReadFile>, most: usize) -> Result<Vec<u8>, Error> {
        self.guest().read_file(&permit.into_action().target.found?, most)
    }

    /// Returns the entries of a folder, sorted by name and cut at a limit.
    pub fn list(&self, permit: Permit<ReadFile>) -> Result<Vec<(String, Kind)>, Error> {
        let path = permit.into_action().target.found?;
        let folder = self.guest().open(&path, Open::to_read().directory())?;
        let (mut listed, mut from) = (Vec::new(), 0);
        while listed.len() <= MAX_ENTRIES {
            self.check_time(&path)?;
            let entries = folder.entries(from, vfs::LISTING_MAX, self.now)?;
            let Some(last) = entries.last() else { break };
            from = last.next;
            let named = entries.into_iter().filter(is_named);
            listed.extend(named.map(|entry| (entry.name, entry.kind)));
        }
        listed.truncate(MAX_ENTRIES);
        listed.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        Ok(listed)
    }

    /// Returns the status of a file.
    pub fn stat(&self, permit: Permit<ReadFile>) -> Result<Stat, Error> {
        self.guest().stat(&permit.into_action().target.found?)
    }

    /// Replaces the content of a file, or makes the file.
    pub fn write(&self, permit: Permit<WriteFile>, content: &[u8]) -> Result<(), Error> {
        self.guest().write_file(&permit.into_action().target.found?, content)
    }

    /// Appends to a file, or makes the file.
    pub fn append(&self, permit: Permit<WriteFile>, content: &[u8]) -> Result<(), Error> {
        let path = permit.into_action().target.found?;
        let open = Open::to_write().append().create().mode(Mode::FILE);
        let file = self.guest().open(&path, open)?;
        let mut rest = content;
        while !rest.is_empty() {
            let written = file.write(rest, self.now)?;
            rest = &rest[written.min(rest.len())..];
        }
        Ok(())
    }

    /// Makes a folder.
    pub fn make_folder(&self, permit: Permit<WriteFile>) -> Result<(), Error> {
        self.guest().make_directory(&permit.into_action().target.found?, Mode::DIRECTORY)
    }

    /// Makes the missing folders of a path, from the top.
    pub fn make_folders(&self, permit: Permit<MakeFolders>) -> Result<(), Error> {
        let mut folders = permit.into_action().missing.into_iter();
        // Below a folder that is missing, a path cannot be resolved before the folder is made.
        folders.try_for_each(|folder| {
            self.guest().make_directory(folder.checked.as_str(), Mode::DIRECTORY)
        })
    }

    /// Removes a file or folder.
    pub fn remove(&self, permit: Permit<RemoveFile>) -> Result<(), Error> {
        let (files, action) = (self.guest(), permit.into_action());
        let root = action.target.found?;
        // Children come after their parents, so from the end on every folder is empty.
        for below in action.below.finish()?.iter().rev() {
            self.check_time(&root)?;
            match below.kind {
                Kind::Directory => files.remove_directory(&below.path)?,
                Kind::File | Kind::Link | Kind::Device(_) | Kind::Other => {
                    files.remove_file(&below.path)?
                }
            }
        }
        let is_folder = match action.how {
            Removal::File => false,
            Removal::Folder => true,
            Removal::Recursive => files.stat(&root)?.kind == Kind::Directory,
        };
        match is_folder {
            true => files.remove_directory(&root),
            false => files.remove_file(&root),
        }
    }

    /// Sets the permission bits.
    pub fn set_mode(&self, permit: Permit<WriteFile>, mode: Mode) -> Result<(), Error> {
        self.guest().set_mode(&permit.into_action().target.found?, mode)
    }

    /// Moves a file or folder.
    pub fn rename(&self, permit: Permit<RenameFile>) -> Result<(), Error> {
        let action = permit.into_action();
        // Entries that were not listed were not checked.
        action.below.finish()?;
        self.guest().rename(&action.from.found?, &action.to.found?)
    }
}

impl Files<'_> {
    /// Fails if the run is over.
    fn check_time(&self, path: &VPath) -> Result<(), Error> {
        self.until.check().map_err(|errno| Error::new(errno, path.as_str()))
    }
}

pub(super) fn is_named(entry: &DirEntry) -> bool {
    entry.name != "." && entry.name != ".."
}

/// Returns an absolute path; a relative one begins in [`HOME`].
fn absolute(path: &str) -> String {
    match path.starts_with('/') {
        true => path.to_owned(),
        false => format!("{HOME}/{path}"),
    }
}

/// Returns the path without `.` and `..`, as far as the text alone tells.
fn lexical(path: &str) -> String {
    let mut names: Vec<&str> = Vec::new();
    for name in path.split('/') {
        match name {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name),
        }
    }
    format!("/{}", names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::lexical;

    #[test]
    fn dots_are_removed_and_never_lead_above_the_root() {
        assert_eq!(lexical("/a/./b/../c"), "/a/c");
        assert_eq!(lexical("/../../x"), "/x");
        assert_eq!(lexical("/"), "/");
    }
}
