//! Opening files: the options, the checks and the creation of missing files.

use crate::at::At;
use crate::content::Content;
use crate::files::Files;
use crate::inode::Body;
use crate::open_file::{OpenFile, Target};
use crate::place::{Found, MountPlace, Place};
use crate::resolve::{Goal, resolve};
use crate::state::State;
use crate::{Access, Errno, Error, Follow, Ino, Kind, Mode};

/// Options for opening a file.
///
/// The default opens an existing node, to read its attributes or to use it as a base for paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    pub(crate) read: bool,
    pub(crate) write: bool,
    pub(crate) append: bool,
    pub(crate) create: Create,
    pub(crate) truncate: bool,
    pub(crate) directory: bool,
    pub(crate) mode: Mode,
}

/// Treatment of a missing file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Create {
    Never,
    IfMissing,
    /// Creates the file and fails if it exists.
    Always,
}

impl Default for Open {
    fn default() -> Self {
        Open {
            read: false,
            write: false,
            append: false,
            create: Create::Never,
            truncate: false,
            directory: false,
            mode: Mode::FILE,
        }
    }
}

impl Open {
    /// Opens for reading content or listing entries.
    pub fn to_read() -> Self {
        Open { read: true, ..Open::default() }
    }

    /// Opens for changing the content.
    pub fn to_write() -> Self {
        Open { write: true, ..Open::default() }
    }

    /// Returns true if opening with these options changes the file or permits changing it.
    /// `is_there` tells whether the file exists.
    pub fn changes(self, is_there: bool) -> bool {
        match is_there {
            true => self.write || self.truncate,
            false => self.create != Create::Never,
        }
    }

    /// Adds reading.
    pub fn and_read(self) -> Self {
        Open { read: true, ..self }
    }

    /// Adds writing.
    pub fn and_write(self) -> Self {
        Open { write: true, ..self }
    }

    /// Makes every write go to the end.
    pub fn append(self) -> Self {
        Open { append: true, ..self }
    }

    /// Creates the file if it is missing.
    pub fn create(self) -> Self {
        Open { create: Create::IfMissing, ..self }
    }

    /// Creates the file and fails if the name exists, even as a dangling link.
    pub fn create_new(self) -> Self {
        Open { create: Create::Always, ..self }
    }

    /// Empties the file.
    pub fn truncate(self) -> Self {
        Open { truncate: true, ..self }
    }

    /// Fails unless the node is a directory.
    pub fn directory(self) -> Self {
        Open { directory: true, ..self }
    }

    /// Sets the permission bits of a created file.
    pub fn mode(self, mode: Mode) -> Self {
        Open { mode, ..self }
    }
}

impl Files<'_> {
    /// Opens a file or directory.
    pub fn open<'a>(self, at: impl Into<At<'a>>, how: Open) -> Result<OpenFile, Error> {
        let at = at.into();
        let file = self.on(at, |at| self.open_at(at, how))?;
        // For a file of an overlay: fails now, not at the first read, if the real file is gone.
        self.on(at, |_| file.open_lower())?;
        Ok(file)
    }

    fn open_at(self, at: At<'_>, how: Open) -> Result<OpenFile, Errno> {
        if how.directory && how.create != Create::Never {
            return Err(Errno::Invalid);
        }
        let goal = match how.create {
            Create::Always => Goal::Create(Follow::Never),
            Create::IfMissing => Goal::Create(at.last),
            Create::Never => Goal::Node(at.last),
        };
        let target = match resolve(self, at, goal)? {
            Found::Node(mut state, place) => {
                let ino = self.open_in_tree(&mut state, &place, how)?;
                let kind = state.get(ino)?.kind();
                state.hold(ino);
                Target::node(ino, kind)
            }
            Found::Mounted(place) => self.open_mounted(place, how)?,
        };
        Ok(OpenFile::new(self, target, how, at.path))
    }

    fn open_in_tree(self, state: &mut State, place: &Place, how: Open) -> Result<Ino, Errno> {
        let Some(ino) = place.child else {
            return match how.create {
                Create::Never => Err(Errno::NotFound),
                Create::IfMissing | Create::Always => {
                    self.make(state, place, Body::File(Content::default()), how.mode)
                }
            };
        };
        if how.create == Create::Always {
            return Err(Errno::Exists);
        }
        let inode = state.get(ino)?;
        let is_directory = inode.kind() == Kind::Directory;
        if how.directory && !is_directory {
            return Err(Errno::NotDirectory);
        }
        if is_directory && (how.write || how.truncate || how.create != Create::Never) {
            return Err(Errno::IsDirectory);
        }
        if inode.kind() == Kind::Link {
            return Err(Errno::Loop);
        }
        if how.read {
            self.may(inode, Access::Read)?;
        }
        if how.write || how.truncate {
            self.may(inode, Access::Write)?;
            self.may_write(inode)?;
        }
        if how.truncate && inode.kind() == Kind::File {
            state.set_content(ino, Content::default(), self.now)?;
        }
        Ok(ino)
    }

    fn open_mounted(self, place: MountPlace, how: Open) -> Result<Target, Errno> {
        let kind = match (place.stat, how.create) {
            (None, Create::Never) => return Err(Errno::NotFound),
            (None, Create::IfMissing | Create::Always) => Kind::File,
            (Some(_), Create::Always) => return Err(Errno::Exists),
            (Some(stat), Create::Never | Create::IfMissing) => stat.kind,
        };
        if how.directory && kind != Kind::Directory {
            return Err(Errno::NotDirectory);
        }
        match kind {
            Kind::Directory if how.write || how.truncate => Err(Errno::IsDirectory),
            Kind::Directory if how.create != Create::Never => Err(Errno::IsDirectory),
            Kind::Directory => Ok(Target::mounted_directory(place.spot)),
            Kind::Device(id) => Ok(Target::MountedDevice(place.spot, id)),
            Kind::Link => Err(Errno::Loop),
            Kind::Other => Err(Errno::NoDevice),
            Kind::File => {
                let file = place.spot.backend.open(self.caller, &place.spot.inside, how)?;
                Ok(Target::Mounted(file))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, Time, Tree};

    fn tree() -> Tree {
        let tree = Tree::new(Limits::default(), Time(1));
        let files = tree.as_guest(Time(2));
        files.write_file("/file", b"abc").unwrap();
        files.make_directory("/dir", Mode::DIRECTORY).unwrap();
        files.make_link("file", "/link").unwrap();
        files.make_link("new", "/dangling").unwrap();
        files.write_file("/locked", b"abc").unwrap();
        files.set_mode("/locked", Mode::new(0o400)).unwrap();
        tree
    }

    fn check(path: &str, how: Open, expect: Result<u64, Errno>) {
        let tree = tree();
        let opened = tree.as_guest(Time(3)).open(path, how);
        assert_eq!(opened.map(|f| f.stat().unwrap().size).map_err(|e| e.errno()), expect);
    }

    #[test]
    fn a_file_opens_for_what_its_mode_allows() {
        check("/file", Open::to_read(), Ok(3));
        check("/file", Open::to_write().truncate(), Ok(0));
        check("/locked", Open::to_read(), Ok(3));
        check("/locked", Open::to_write(), Err(Errno::Access));
    }

    #[test]
    fn create_makes_what_a_link_names_but_create_new_does_not() {
        check("/dangling", Open::to_write(), Err(Errno::NotFound));
        check("/dangling", Open::to_write().create(), Ok(0));
        check("/dangling", Open::to_write().create_new(), Err(Errno::Exists));
    }

    #[test]
    fn a_directory_is_not_written_and_a_file_is_no_directory() {
        check("/dir", Open::to_read().directory(), Ok(0));
        check("/dir", Open::to_write(), Err(Errno::IsDirectory));
        check("/dir", Open::to_read().create(), Err(Errno::IsDirectory));
        check("/file", Open::to_read().directory(), Err(Errno::NotDirectory));
        check("/file/", Open::to_read(), Err(Errno::NotDirectory));
        check("/new/", Open::to_write().create(), Err(Errno::IsDirectory));
    }

    #[test]
    fn a_link_that_is_not_followed_does_not_open() {
        let tree = tree();
        let at = At::root("/link").follow(Follow::Never);
        let error = tree.as_guest(Time(3)).open(at, Open::to_read()).unwrap_err();
        assert_eq!(error.to_string(), "/link: too many levels of symbolic links");
    }

    #[test]
    fn a_file_made_without_permissions_is_open_all_the_same() {
        check("/new", Open::to_write().create().mode(Mode::new(0)), Ok(0));
    }
}
