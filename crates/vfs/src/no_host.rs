//! Stands for real directories where there are none, such as in a browser.

use std::path::Path;

use crate::tree::Tree;
use crate::{Error, Mount, Time, VPath};

/// A real directory; here there is none, and no value of this type exists.
#[derive(Clone, Debug)]
pub enum HostDir {}

impl HostDir {
    /// Fails: there are no real directories here.
    pub fn open_ambient(_: impl AsRef<Path>) -> std::io::Result<Self> {
        Err(std::io::ErrorKind::Unsupported.into())
    }

    /// Returns the real path of the directory.
    pub fn shown_path(&self) -> &Path {
        match *self {}
    }
}

impl Tree {
    /// Mounts a real directory at a path.
    pub fn mount(&self, _: &VPath, directory: HostDir, _: Mount, _: Time) -> Result<(), Error> {
        match directory {}
    }
}
