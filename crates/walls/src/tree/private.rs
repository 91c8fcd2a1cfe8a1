//! The filesystem of the program's own files, which is made before the plan is known.

use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use super::FLAGS;
use crate::plan::Limits;
use crate::sys::mount::{self, Depth};
use crate::world;

/// The private files of a sandbox, mounted outside of its tree.
pub(super) struct PrivateFiles {
    scratch: PathBuf,
    /// Folders that every sandbox has, cloned and attached nowhere, by their paths in it.
    folders: Vec<(PathBuf, OwnedFd)>,
    /// True if the folder is below the new root.
    is_inside: bool,
}

impl PrivateFiles {
    /// Makes the filesystem, with the limits that most plans have.
    pub(super) fn make(scratch: PathBuf, root: &Path) -> io::Result<Self> {
        let is_inside = scratch.starts_with(root);
        if is_inside {
            fs::create_dir(&scratch)?;
        }
        mount::mount(c"tmpfs", &scratch, FLAGS, &options(&Limits::default()))?;
        let mut folders = Vec::new();
        for (index, entry) in world::private().into_iter().enumerate() {
            folders.push((entry.at, folder(&scratch.join(index.to_string()))?));
        }
        Ok(PrivateFiles { scratch, folders, is_inside })
    }

    /// Sets the limits of a plan.
    pub(super) fn limit(&self, limits: &Limits) -> io::Result<()> {
        let usual = options(&Limits::default());
        let options = options(limits);
        match options == usual {
            true => Ok(()),
            false => mount::mount(c"tmpfs", &self.scratch, FLAGS | libc::MS_REMOUNT, &options),
        }
    }

    pub(super) fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// Returns the folders that every sandbox has.
    pub(super) fn take_folders(&mut self) -> Vec<(PathBuf, OwnedFd)> {
        std::mem::take(&mut self.folders)
    }

    /// Removes the folder from the tree. Elsewhere it goes with the old root.
    pub(super) fn leave(self) -> io::Result<()> {
        if self.is_inside {
            mount::detach(&self.scratch)?;
            fs::remove_dir(&self.scratch)?;
        }
        Ok(())
    }
}

fn options(limits: &Limits) -> String {
    format!("mode=755,size={},nr_inodes={}", limits.file_bytes, limits.file_count)
}

/// Makes a folder of private files, and clones the mount with it.
pub(super) fn folder(scratch: &Path) -> io::Result<OwnedFd> {
    fs::create_dir(scratch)?;
    mount::clone(None, scratch, Depth::One)
}
