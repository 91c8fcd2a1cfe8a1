//! Applies the file records of an archive to a tree, with the rights of a guest.

use cofferdam_vfs::{Access, Errno, Files, Kind, Mode, Open, SetTime, Time, Tree, VPath};

use crate::error::{Error, bad};
use crate::record::{Attributes, Rest};

/// A tree that is being filled from an archive.
pub(crate) struct Fill<'t> {
    tree: &'t Tree,
    now: Time,
    /// Modes and times, applied at the end: a directory without write permission could not be
    /// filled.
    attributes: Vec<(VPath, Attributes)>,
}

impl<'t> Fill<'t> {
    pub(crate) fn new(tree: &'t Tree, now: Time) -> Self {
        Fill { tree, now, attributes: Vec::new() }
    }

    fn files(&self) -> Files<'t> {
        self.tree.as_guest(self.now)
    }

    /// Checks that the parent of `path` is an existing directory that is not reached through a
    /// link.
    fn check_folder(&self, path: &VPath) -> Result<(), Error> {
        let Some(folder) = path.parent() else { return bad("/: not a file") };
        match self.files().resolve(folder.as_str())? {
            found if found == folder => Ok(()),
            _ => bad(format!("{}: is behind a link", path.as_str())),
        }
    }

    pub(crate) fn directory(&mut self, path: &VPath, attributes: Attributes) -> Result<(), Error> {
        if path.parent().is_some() {
            self.check_folder(path)?;
            match self.files().make_directory(path.as_str(), Mode::DIRECTORY) {
                Ok(()) => {}
                // A new tree already has `/home` and similar directories.
                Err(error) if error.errno() == Errno::Exists => self.check_own_directory(path)?,
                Err(error) => return Err(error.into()),
            }
        }
        self.attributes.push((path.clone(), attributes));
        Ok(())
    }

    fn check_own_directory(&self, path: &VPath) -> Result<(), Error> {
        let found = self.files().resolve(path.as_str())?;
        let stat = self.files().stat(path.as_str())?;
        let may_write = self.files().access(path.as_str(), Access::Write);
        if found != *path || stat.kind != Kind::Directory || may_write.is_err() {
            return bad(format!("{}: not a directory that can be filled", path.as_str()));
        }
        Ok(())
    }

    pub(crate) fn file(
        &mut self,
        path: &VPath,
        attributes: Attributes,
        rest: &mut Rest<'_>,
    ) -> Result<(), Error> {
        self.check_folder(path)?;
        let (size, count) = (rest.number()?, rest.number()?);
        let file = self.files().open(path.as_str(), Open::to_write().create_new())?;
        for _ in 0..count {
            let (offset, mut bytes) = (rest.number()?, rest.bytes()?);
            if offset.checked_add(bytes.len() as u64).is_none_or(|end| end > size) {
                return bad(format!("{}: content past its end", path.as_str()));
            }
            let mut at = offset;
            while !bytes.is_empty() {
                let len = file.write_at(at, bytes, self.now)?;
                if len == 0 {
                    return bad(format!("{}: cannot be written", path.as_str()));
                }
                at += len as u64;
                bytes = &bytes[len..];
            }
        }
        file.set_size(size, self.now)?;
        self.attributes.push((path.clone(), attributes));
        Ok(())
    }

    pub(crate) fn fifo(&mut self, path: &VPath, attributes: Attributes) -> Result<(), Error> {
        self.check_folder(path)?;
        self.files().make_fifo(path.as_str(), Mode::FILE)?;
        self.attributes.push((path.clone(), attributes));
        Ok(())
    }

    pub(crate) fn link(&self, path: &VPath, target: &str) -> Result<(), Error> {
        self.check_folder(path)?;
        Ok(self.files().make_link(target, path.as_str())?)
    }

    pub(crate) fn name(&self, at: &VPath, of: &VPath) -> Result<(), Error> {
        self.check_folder(at)?;
        self.check_folder(of)?;
        Ok(self.files().link(of.as_str(), at.as_str())?)
    }

    pub(crate) fn finish(self) -> Result<(), Error> {
        for (path, attributes) in self.attributes.iter().rev() {
            let Attributes { mode, accessed, modified } = *attributes;
            let (accessed, modified) = (SetTime::At(accessed), SetTime::At(modified));
            self.files().set_times(path.as_str(), accessed, modified)?;
            self.files().set_mode(path.as_str(), mode)?;
        }
        Ok(())
    }
}
