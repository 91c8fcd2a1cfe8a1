//! The files of a sandbox, as the library fills and lists them.

use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use cofferdam_vfs::{self as vfs, Errno, Mode, Time, Tree};

use crate::error::{Error, ErrorKind};
use crate::limits::{Limit, Limits};

use cofferdam_kernel::furniture::PROGRAMS_AT;

pub(crate) use cofferdam_kernel::furniture::HOME;

/// Creates the tree of an empty sandbox: a home, a folder for temporary files, devices and
/// commands.
pub(crate) fn fresh(limits: &Limits) -> Tree {
    // The empty tree is built once and forked, since a fork costs the same for any content.
    static EMPTY: OnceLock<Tree> = OnceLock::new();
    let empty = EMPTY.get_or_init(|| {
        let tree = Tree::new(vfs::Limits::NONE, now());
        for directory in [HOME, "/tmp"] {
            tree.as_host(now())
                .make_directories(directory, Mode::DIRECTORY)
                .expect("an empty tree has room");
        }
        cofferdam_kernel::furniture::furnish(&tree, now()).expect("an empty tree has room");
        tree
    });
    let tree = empty.fork();
    // Files that every sandbox has do not count against the limits.
    let used = tree.usage();
    tree.set_limits(vfs::Limits {
        bytes: limits.fs_bytes.saturating_add(used.bytes),
        nodes: limits.file_count.saturating_add(used.nodes),
        ..vfs::Limits::default()
    });
    tree
}

/// Writes a file and creates the folders above it. A relative path is relative to [`HOME`].
pub(crate) fn write(tree: &Tree, limits: &Limits, path: &str, bytes: &[u8]) -> Result<(), Error> {
    let absolute = absolute(path, HOME);
    let files = tree.as_guest(now());
    let folder = absolute.rsplit_once('/').map_or("/", |(folder, _)| folder);
    let written = match folder {
        "" | "/" => Ok(()),
        folder => files.make_directories(folder, Mode::DIRECTORY),
    }
    .and_then(|()| files.write_file(absolute.as_str(), bytes));
    written.map_err(|error| write_error(tree, limits, &error))
}

/// Returns true if there is a folder at this path.
pub(crate) fn is_folder(tree: &Tree, path: &str) -> bool {
    tree.as_host(now()).stat(path).is_ok_and(|stat| stat.kind == vfs::Kind::Directory)
}

/// Most entries that are listed of one folder.
const MAX_LISTED: usize = 10_000;

/// One entry of a folder in the sandbox; see [`Sandbox::list`](crate::Sandbox::list).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct FolderEntry {
    /// Name in the folder.
    pub name: String,
    /// True for a folder; false for a file, a link or a device.
    pub is_folder: bool,
}

/// Returns the entries of a folder, sorted by name.
pub(crate) fn list(tree: &Tree, path: &str) -> Result<Vec<FolderEntry>, vfs::Error> {
    let (files, now) = (tree.as_guest(now()), now());
    let folder = files.open(path, vfs::Open::to_read().directory())?;
    let (mut listed, mut from) = (Vec::new(), 0);
    while listed.len() < MAX_LISTED {
        let entries = folder.entries(from, vfs::LISTING_MAX, now)?;
        let Some(last) = entries.last() else { break };
        from = last.next;
        let named = entries.into_iter().filter(|entry| entry.name != "." && entry.name != "..");
        listed.extend(named.map(|entry| FolderEntry {
            is_folder: entry.kind == vfs::Kind::Directory,
            name: entry.name,
        }));
    }
    listed.truncate(MAX_LISTED);
    listed.sort_unstable();
    Ok(listed)
}

/// Returns the error of a write that failed: a limit of the sandbox, or the file itself.
pub(crate) fn write_error(tree: &Tree, limits: &Limits, error: &vfs::Error) -> Error {
    match error.errno() {
        Errno::NoSpace => {
            let (limit, allowed) = match tree.usage().nodes >= tree.limits().nodes {
                true => (Limit::FileCount, limits.file_count),
                false => (Limit::FsBytes, limits.fs_bytes),
            };
            Error::limit(limit, allowed, error.to_string())
        }
        _ => Error::file(error),
    }
}

/// Installs a program as a command of the shell. Guests can run it but not change it.
// T-PROC-011: a program in the place of a command.
#[inline(never)] // see `archive::read`
pub(crate) fn program(tree: &Tree, name: &str, bytes: &[u8]) -> Result<(), Error> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "._-+".contains(c);
    if name.is_empty() || name.starts_with(['.', '-']) || !name.chars().all(is_name) {
        let text = format!("{name:?}: not a command name; use letters, digits and . _ - +");
        return Err(Error::new(ErrorKind::BadOption, text));
    }
    if cofferdam_abi::commands::is_command(name) {
        let text = format!("{name}: the shell has a command of this name; choose another name");
        return Err(Error::new(ErrorKind::BadOption, text));
    }
    let (files, at) = (tree.as_host(now()), format!("{PROGRAMS_AT}/{name}"));
    let put = files
        .make_directories(PROGRAMS_AT, Mode::DIRECTORY)
        .and_then(|()| files.write_file(at.as_str(), bytes))
        .and_then(|()| files.set_mode(at.as_str(), Mode::new(0o755)));
    Ok(put?)
}

/// Adds the folder of [`program`] to `PATH`.
pub(crate) fn add_to_path(env: &mut std::collections::BTreeMap<String, String>) {
    let path = env.entry("PATH".into()).or_default();
    if !path.split(':').any(|folder| folder == PROGRAMS_AT) {
        let rest = std::mem::take(path);
        *path = if rest.is_empty() { PROGRAMS_AT.into() } else { format!("{PROGRAMS_AT}:{rest}") };
    }
}

/// Creates a symbolic link and the folders above it.
pub(crate) fn link(tree: &Tree, path: &str, target: &str) -> Result<(), Error> {
    let files = tree.as_guest(now());
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let made = match folder {
        "" => Ok(()),
        folder => files.make_directories(folder, Mode::DIRECTORY),
    };
    Ok(made.and_then(|()| files.make_link(target, path))?)
}

/// Makes a path absolute; a relative path is relative to `folder`.
pub(crate) fn absolute(path: &str, folder: &str) -> String {
    match path.starts_with('/') {
        true => path.to_owned(),
        false => format!("{}/{path}", folder.trim_end_matches('/')),
    }
}

pub(crate) fn now() -> Time {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Time(since.as_nanos() as u64)
}
