//! Parents, children and paths of directories in the tree.

use crate::inode::Body;
use crate::state::{ROOT, State};
use crate::{Errno, Ino, VPath};

impl State {
    /// Returns every directory from `top` down, parents before children.
    pub(crate) fn directories(&self, top: Ino) -> Vec<Ino> {
        let mut found = vec![top];
        let mut at = 0;
        while let Some(directory) = found.get(at) {
            at += 1;
            let Ok(directory) = self.directory(*directory) else { continue };
            let children = directory.entries().map(|entry| entry.ino);
            found.extend(children.filter(|ino| self.directory(*ino).is_ok()));
        }
        found
    }

    /// Returns the parent of a directory and the name of the directory in it.
    pub(crate) fn parent(&self, ino: Ino) -> Result<(Ino, &str), Errno> {
        match &self.get(ino)?.body {
            Body::Directory(directory) => Ok((directory.parent, &directory.name)),
            Body::Mount { parent, name, .. } => Ok((*parent, name)),
            Body::File(_) | Body::Lower(_) | Body::Link(_) | Body::Device(_) => {
                Err(Errno::NotDirectory)
            }
        }
    }

    /// Returns the names from the root to a directory; `ENOENT` if it was removed.
    pub(crate) fn names_to(&self, mut ino: Ino) -> Result<Vec<&str>, Errno> {
        let mut names = Vec::new();
        while ino != ROOT {
            if self.get(ino)?.names == 0 {
                return Err(Errno::NotFound);
            }
            let (parent, name) = self.parent(ino)?;
            names.push(name);
            ino = parent;
        }
        names.reverse();
        Ok(names)
    }

    pub(crate) fn path(&self, ino: Ino) -> Result<VPath, Errno> {
        VPath::from_names(self.names_to(ino)?)
    }

    /// Returns true if a directory is `top` or below it.
    pub(crate) fn is_within(&self, mut ino: Ino, top: Ino) -> bool {
        while ino != top && ino != ROOT {
            match self.parent(ino) {
                Ok((parent, _)) => ino = parent,
                Err(_) => return false,
            }
        }
        ino == top
    }
}
