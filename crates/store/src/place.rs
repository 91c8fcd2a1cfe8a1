//! Folders and file modes: the only file of this crate that touches the file system directly.

use std::fs::{DirBuilder, File, OpenOptions, Permissions};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use cofferdam_broker::Error;

use crate::failure;

/// Returns the path of the user's store: `$XDG_DATA_HOME/cofferdam/store.db`, or the same below
/// `~/.local/share`. Returns `None` for a user without a home.
pub fn user_path() -> Option<PathBuf> {
    let folder = |name: &str| {
        let path = PathBuf::from(std::env::var_os(name)?);
        // The XDG specification requires relative paths to be ignored.
        path.is_absolute().then_some(path)
    };
    let data = folder("XDG_DATA_HOME").or_else(|| Some(folder("HOME")?.join(".local/share")))?;
    Some(data.join("cofferdam/store.db"))
}

/// Creates the file and its folder if needed, and restricts the file to its owner.
pub(crate) fn secure_file(path: &Path) -> Result<(), Error> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(folder).map_err(|error| failure::io(folder, &error))?;
    }
    let file = open(path)?;
    let mode = file.metadata().map_err(|error| failure::io(path, &error))?.permissions().mode();
    if mode & 0o077 != 0 {
        // SQLite gives its companion files the mode of this one.
        let result = file.set_permissions(Permissions::from_mode(0o600));
        result.map_err(|error| failure::io(path, &error))?;
    }
    Ok(())
}

/// Opens a file for reading and writing; creates it for its owner alone if needed.
pub(crate) fn open(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    options.open(path).map_err(|error| failure::io(path, &error))
}

/// Returns the path of the store with `suffix` appended.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
