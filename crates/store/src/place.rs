//! Folders and file modes: the only file of this crate that touches the file system directly.

use std::fs::{DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use cofferdam_broker::Error;
use cofferdam_caps::shell_word;

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
///
/// Refuses a folder or file that another user could have written, because whoever writes the store
/// makes grants.
pub(crate) fn secure_file(path: &Path) -> Result<(), Error> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    };
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder.create(folder).map_err(|error| failure::io(folder, &error))?;
    check_folder(folder)?;
    let file = open(path)?;
    let mode = file.metadata().map_err(|error| failure::io(path, &error))?.permissions().mode();
    if mode & 0o077 != 0 {
        // SQLite gives its companion files the mode of this one.
        let result = file.set_permissions(Permissions::from_mode(0o600));
        result.map_err(|error| failure::io(path, &error))?;
    }
    for suffix in ["-wal", "-shm"] {
        let companion = beside(path, suffix);
        if let Ok(found) = std::fs::symlink_metadata(&companion) {
            check_owner(&companion, &found)?;
        }
    }
    Ok(())
}

/// Refuses a folder that another user could have written.
pub(crate) fn check_folder(folder: &Path) -> Result<(), Error> {
    let found = std::fs::symlink_metadata(folder).map_err(|error| failure::io(folder, &error))?;
    check_owner(folder, &found)?;
    if found.mode() & 0o022 != 0 {
        let hint = format!("chmod 700 {}", shell_word(&folder.display().to_string()));
        return Err(failure::untrusted(folder, "other users can write to this folder", &hint));
    }
    Ok(())
}

/// Opens a file for reading and writing; creates it for its owner alone if needed. Refuses a link,
/// and a file of another user.
pub(crate) fn open(path: &Path) -> Result<File, Error> {
    if let Ok(found) = std::fs::symlink_metadata(path) {
        check_owner(path, &found)?;
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    // Also where a link was put there since.
    options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    checked(path, &options)
}

/// Opens a file for reading. Refuses a link, and a file of another user.
pub(crate) fn open_existing(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    checked(path, &options)
}

/// Opens a file for appending; creates it for its owner alone if needed. Refuses a link, and a file
/// of another user.
pub(crate) fn open_to_append(path: &Path) -> Result<File, Error> {
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o600);
    options.custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
    checked(path, &options)
}

fn checked(path: &Path, options: &OpenOptions) -> Result<File, Error> {
    let file = options.open(path).map_err(|error| failure::io(path, &error))?;
    check_owner(path, &file.metadata().map_err(|error| failure::io(path, &error))?)?;
    Ok(file)
}

/// Puts a file for its owner alone in place of another one, whole or not at all.
pub(crate) fn replace(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let new = beside(path, &format!("-{}", std::process::id()));
    let mut options = OpenOptions::new();
    options.write(true).create_new(true).mode(0o600);
    let written = options.open(&new).and_then(|mut file| file.write_all(content));
    let placed = written.and_then(|()| std::fs::rename(&new, path));
    if placed.is_err() {
        let _ = std::fs::remove_file(&new);
    }
    placed
}

/// Returns true if a file belongs to this user alone, and so does its folder.
pub(crate) fn is_private(path: &Path, found: &Metadata) -> bool {
    let folder = path.parent().is_some_and(|folder| check_folder(folder).is_ok());
    folder && check_owner(path, found).is_ok() && found.mode() & 0o077 == 0
}

// T-PERM-017: a store that another user writes.
fn check_owner(path: &Path, found: &Metadata) -> Result<(), Error> {
    if found.is_symlink() {
        let hint = "name the real folder: XDG_DATA_HOME=/path/of/yours";
        return Err(failure::untrusted(path, "is a symbolic link", hint));
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        let hint = "use a folder of your own: XDG_DATA_HOME=/path/of/yours";
        return Err(failure::untrusted(path, "belongs to another user", hint));
    }
    Ok(())
}

/// Returns the path of the store with `suffix` appended.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}
