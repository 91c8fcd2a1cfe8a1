//! Functions of WASI about paths.

use cofferdam_abi::call::ToolCall;
use cofferdam_abi::value::Value;

use super::descriptors::opened;
use super::table::{Descriptor, ask, ask_value, flush_path, with, write};
use super::{Errno, FileStat, KIND_DIRECTORY, LAST_MODE, Result, kind_number, status};
use crate::files::OpenFile;

const OPEN_CREATE: u16 = 1;
const OPEN_FOLDER: u16 = 2;
const OPEN_EXCLUSIVE: u16 = 4;
const OPEN_TRUNCATE: u16 = 8;

const RIGHT_READ: u64 = 1 << 1;
const RIGHT_WRITE: u64 = 1 << 6;

const FLAG_APPEND: u16 = 1;
const FOLLOW: u32 = 1;

/// Flags of `file.remove`: an empty folder.
const EMPTY_FOLDER: u8 = 4;

/// Returns the absolute path of a path below a descriptor.
unsafe fn path_of(fd: u32, at: *const u8, len: u32) -> Result<String> {
    // SAFETY: the C library passes `len` bytes.
    let bytes = unsafe { std::slice::from_raw_parts(at, len as usize) };
    let name = std::str::from_utf8(bytes).map_err(|_| Errno::EILSEQ)?;
    with(fd, |descriptor| match descriptor {
        Descriptor::Folder { path, .. } => Ok(join(path, name)),
        Descriptor::Stream(_) | Descriptor::File(_) => Err(Errno::ENOTDIR),
    })
}

fn join(folder: &str, name: &str) -> String {
    match name {
        "" | "." => folder.to_owned(),
        _ if folder.ends_with('/') => format!("{folder}{name}"),
        _ => format!("{folder}/{name}"),
    }
}

/// Returns a number for a name, so that entries of one folder differ.
pub(super) fn inode(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_path_open(
    fd: u32,
    _: u32,
    path: *const u8,
    path_len: u32,
    how: u16,
    rights: u64,
    _: u64,
    flags: u16,
    to: *mut u32,
) -> u16 {
    // SAFETY: as the C library passes them.
    let path = unsafe { path_of(fd, path, path_len) };
    let found = path.and_then(|path| find(path, how, rights, flags & FLAG_APPEND != 0));
    status(found.and_then(|descriptor| opened(descriptor, to)))
}

/// Returns true for names such as `<unknown>` and `<string>`. CPython looks for the line of a syntax
/// error in a file of that name, which nobody should be asked about.
fn names_code_without_a_file(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with('<') && name.ends_with('>')
}

/// Opens a file or folder. The host has whole files: what may be read is read now.
fn find(path: String, how: u16, rights: u64, append: bool) -> Result<Descriptor> {
    flush_path(&path);
    let folder = |path: String| Descriptor::Folder { path, listed: None };
    if how & OPEN_FOLDER != 0 {
        return match look(&path, true)?.kind {
            KIND_DIRECTORY => Ok(folder(path)),
            _ => Err(Errno::ENOTDIR),
        };
    }
    let (readable, writable) = (rights & RIGHT_READ != 0, rights & RIGHT_WRITE != 0);
    if !writable && names_code_without_a_file(&path) {
        return Err(Errno::ENOENT);
    }
    if how & OPEN_EXCLUSIVE != 0 && look(&path, false).is_ok() {
        return Err(Errno::EEXIST);
    }
    let (mut content, mut base) = (Vec::new(), 0);
    if how & OPEN_TRUNCATE != 0 {
        write(&path, false, &[])?;
    } else if readable || !append {
        match ask(ToolCall::FileRead, |w| w.str(&path)) {
            Ok(bytes) => content = bytes,
            Err(Errno::EISDIR) if !writable => return Ok(folder(path)),
            Err(Errno::ENOENT) if how & OPEN_CREATE != 0 => write(&path, true, &[])?,
            Err(errno) => return Err(errno),
        }
    } else {
        // Creates the file, and checks that it may be written.
        write(&path, true, &[])?;
        base = look(&path, true).map_or(0, |stat| stat.size);
    }
    let file = OpenFile::new(path, content, base).opened_for(readable, writable, append);
    Ok(Descriptor::File(file))
}

fn look(path: &str, follow: bool) -> Result<FileStat> {
    let looked = ask_value(ToolCall::FileLook, |w| w.str(path).u8(u8::from(follow)))?;
    let Value::Object(members) = looked else { return Err(Errno::EIO) };
    let mut stat = FileStat::default();
    for (name, value) in members {
        let Value::Number(n) = value else {
            if let Value::String(kind) = value {
                stat.kind = kind_number(&kind);
            }
            continue;
        };
        let nanos = (n * 1e6).max(0.0) as u64;
        match name.as_str() {
            "mode" => LAST_MODE.set(n as u32 & 0o7777),
            "size" => stat.size = n as u64,
            "nlink" => stat.links = n as u64,
            "ino" => stat.inode = n as u64,
            "atimeMs" => stat.accessed = nanos,
            "mtimeMs" => stat.modified = nanos,
            "ctimeMs" => stat.changed = nanos,
            _ => {}
        }
    }
    Ok(stat)
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_path_filestat_get(
    fd: u32,
    flags: u32,
    path: *const u8,
    path_len: u32,
    to: *mut FileStat,
) -> u16 {
    // SAFETY: as the C library passes them.
    let path = unsafe { path_of(fd, path, path_len) };
    let looked = path.and_then(|path| {
        flush_path(&path);
        look(&path, flags & FOLLOW != 0)
    });
    status(looked.map(|stat| {
        // SAFETY: the C library passes room for the structure.
        unsafe { to.write_unaligned(stat) }
    }))
}

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_path_filestat_set_times(
    _: u32,
    _: u32,
    _: *const u8,
    _: u32,
    _: u64,
    _: u64,
    _: u16,
) -> u16 {
    // The host marks files with the time of their last change.
    status(Ok(()))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_path_create_directory(
    fd: u32,
    path: *const u8,
    path_len: u32,
) -> u16 {
    // SAFETY: as the C library passes them.
    let path = unsafe { path_of(fd, path, path_len) };
    status(path.and_then(|path| ask(ToolCall::FolderMake, |w| w.str(&path).u8(0)).map(drop)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_path_remove_directory(
    fd: u32,
    path: *const u8,
    path_len: u32,
) -> u16 {
    // SAFETY: as the C library passes them.
    unsafe { remove(fd, path, path_len, EMPTY_FOLDER) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_path_unlink_file(
    fd: u32,
    path: *const u8,
    path_len: u32,
) -> u16 {
    // SAFETY: as the C library passes them.
    unsafe { remove(fd, path, path_len, 0) }
}

unsafe fn remove(fd: u32, path: *const u8, path_len: u32, flags: u8) -> u16 {
    // SAFETY: as the C library passes them.
    let path = unsafe { path_of(fd, path, path_len) };
    status(path.and_then(|path| ask(ToolCall::FileRemove, |w| w.str(&path).u8(flags)).map(drop)))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_path_rename(
    fd: u32,
    from: *const u8,
    from_len: u32,
    to_fd: u32,
    to: *const u8,
    to_len: u32,
) -> u16 {
    // SAFETY: as the C library passes them.
    let paths = unsafe { (path_of(fd, from, from_len), path_of(to_fd, to, to_len)) };
    let renamed = || {
        let (from, to) = (paths.0?, paths.1?);
        flush_path(&from);
        ask(ToolCall::FileRename, |w| w.str(&from).str(&to)).map(drop)
    };
    status(renamed())
}

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_path_link(
    _: u32,
    _: u32,
    _: *const u8,
    _: u32,
    _: u32,
    _: *const u8,
    _: u32,
) -> u16 {
    status(Err(Errno::ENOTSUP))
}

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_path_symlink(
    _: *const u8,
    _: u32,
    _: u32,
    _: *const u8,
    _: u32,
) -> u16 {
    status(Err(Errno::ENOTSUP))
}

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_path_readlink(
    _: u32,
    _: *const u8,
    _: u32,
    _: *mut u8,
    _: u32,
    _: *mut u32,
) -> u16 {
    // A tool cannot see the target of a link; for `realpath` every path is its own.
    status(Err(Errno::EINVAL))
}
