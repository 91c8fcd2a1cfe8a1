//! The only file that touches folders and modes.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use cofferdam_broker::Error;

use crate::failure;

/// Where a user's store is: `$XDG_DATA_HOME/cofferdam/store.db`, or below `~/.local/share`. None
/// for a user without a home.
pub fn user_path() -> Option<PathBuf> {
    let folder = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        // The standard says that a relative path is to be ignored.
        path.is_absolute().then_some(path)
    };
    let data = folder("XDG_DATA_HOME").or_else(|| Some(folder("HOME")?.join(".local/share")))?;
    Some(data.join("cofferdam/store.db"))
}

/// Makes sure that the file is there, and that it is its owner's alone.
pub(crate) fn prepare(path: &Path) -> Result<(), Error> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(folder).map_err(|error| failure::io(folder, &error))?;
    }
    let file = open(path)?;
    let mode = file.metadata().map_err(|error| failure::io(path, &error))?.permissions().mode();
    if mode & 0o077 != 0 {
        // SQLite gives the files beside it the mode of this one.
        let result = file.set_permissions(Permissions::from_mode(0o600));
        result.map_err(|error| failure::io(path, &error))?;
    }
    Ok(())
}

/// Opens a file for reading and writing, made for its owner alone where it is not there.
pub(crate) fn open(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    options.open(path).map_err(|error| failure::io(path, &error))
}

/// The file beside the store with this at the end of its name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
