//! Functions of WASI about open descriptors.

use cofferdam_abi::call::ToolCall;

use super::table::{Descriptor, ROOT, close, list, open, renumber, send, with};
use super::{
    Errno, FileStat, KIND_CHARACTER, KIND_DIRECTORY, KIND_FILE, LAST_MODE, Piece, Result, paths,
    status,
};
use crate::files::OpenFile;
use crate::host;

/// `struct __wasi_fdstat_t`.
#[repr(C)]
struct DescriptorStat {
    kind: u8,
    flags: u16,
    rights: u64,
    inheriting: u64,
}

const FLAG_APPEND: u16 = 1;
const ALL_RIGHTS: u64 = (1 << 30) - 1;

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_fd_close(fd: u32) -> u16 {
    status(close(fd))
}

/// The name under which the part of the C library that is written in Zig knows the function.
#[unsafe(export_name = "fd_close|wasi_snapshot_preview1")]
extern "C" fn fd_close(fd: u32) -> u16 {
    status(close(fd))
}

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_fd_renumber(from: u32, to: u32) -> u16 {
    status(renumber(from, to))
}

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_fd_sync(fd: u32) -> u16 {
    status(with(fd, |descriptor| match descriptor {
        Descriptor::File(file) => send(file),
        Descriptor::Stream(_) | Descriptor::Folder { .. } => Ok(()),
    }))
}

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_fd_datasync(fd: u32) -> u16 {
    __imported_wasi_snapshot_preview1_fd_sync(fd)
}

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_fd_advise(_: u32, _: u64, _: u64, _: u8) -> u16 {
    status(Ok(()))
}

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_fd_allocate(fd: u32, at: u64, len: u64) -> u16 {
    status(with_file(fd, |file| {
        let wanted = at.saturating_add(len);
        if wanted > file.len() && !file.set_len(wanted) {
            return Err(Errno::ENOSPC);
        }
        Ok(())
    }))
}

/// Runs `f` with an open file.
fn with_file<T>(fd: u32, f: impl FnOnce(&mut OpenFile) -> Result<T>) -> Result<T> {
    with(fd, |descriptor| match descriptor {
        Descriptor::File(file) => f(file),
        Descriptor::Folder { .. } => Err(Errno::EISDIR),
        Descriptor::Stream(_) => Err(Errno::ESPIPE),
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_fd_fdstat_get(fd: u32, to: *mut u8) -> u16 {
    status(with(fd, |descriptor| {
        let (kind, flags) = match descriptor {
            Descriptor::Stream(_) => (KIND_CHARACTER, 0),
            Descriptor::Folder { .. } => (KIND_DIRECTORY, 0),
            Descriptor::File(file) => (KIND_FILE, if file.append { FLAG_APPEND } else { 0 }),
        };
        // The C library takes a stream without the rights to seek for a terminal; ours are none.
        let rights = ALL_RIGHTS;
        let stat = DescriptorStat { kind, flags, rights, inheriting: ALL_RIGHTS };
        // SAFETY: the C library passes room for the structure.
        unsafe { to.cast::<DescriptorStat>().write_unaligned(stat) };
        Ok(())
    }))
}

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_fd_fdstat_set_flags(fd: u32, flags: u16) -> u16 {
    status(with(fd, |descriptor| {
        if let Descriptor::File(file) = descriptor {
            file.append = flags & FLAG_APPEND != 0;
        }
        Ok(())
    }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_fd_filestat_get(
    fd: u32,
    to: *mut FileStat,
) -> u16 {
    let looked = with(fd, |descriptor| {
        LAST_MODE.set(match descriptor {
            Descriptor::Stream(_) => 0o620,
            Descriptor::Folder { .. } => 0o755,
            Descriptor::File(_) => 0o644,
        });
        Ok(match descriptor {
            Descriptor::Stream(_) => {
                FileStat { kind: KIND_CHARACTER, links: 1, ..Default::default() }
            }
            Descriptor::Folder { .. } => {
                FileStat { kind: KIND_DIRECTORY, links: 1, ..Default::default() }
            }
            Descriptor::File(file) => {
                FileStat { kind: KIND_FILE, links: 1, size: file.len(), ..Default::default() }
            }
        })
    });
    status(looked.map(|stat| {
        // SAFETY: the C library passes room for the structure.
        unsafe { to.write_unaligned(stat) }
    }))
}

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_fd_filestat_set_size(fd: u32, len: u64) -> u16 {
    status(with_file(fd, |file| {
        if !file.writable {
            return Err(Errno::EINVAL);
        }
        if file.set_len(len) { Ok(()) } else { Err(Errno::ENOSPC) }
    }))
}

#[unsafe(no_mangle)]
extern "C" fn __imported_wasi_snapshot_preview1_fd_filestat_set_times(
    _: u32,
    _: u64,
    _: u64,
    _: u16,
) -> u16 {
    status(Ok(()))
}

/// Reads into pieces; `next` returns at most that many bytes, and none at the end.
unsafe fn scatter<'a>(
    pieces: *const Piece,
    count: u32,
    mut next: impl FnMut(usize) -> &'a [u8],
) -> u32 {
    let mut total = 0;
    for at in 0..count as usize {
        // SAFETY: the C library passes `count` pieces, each with room for `len` bytes.
        unsafe {
            let piece = &*pieces.add(at);
            let bytes = next(piece.len as usize);
            piece.at.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            total += bytes.len() as u32;
            if bytes.len() < piece.len as usize {
                break;
            }
        }
    }
    total
}

/// Returns the bytes of pieces.
unsafe fn gathered(pieces: *const Piece, count: u32) -> Vec<u8> {
    let mut all = Vec::new();
    for at in 0..count as usize {
        // SAFETY: the C library passes `count` pieces of `len` bytes each.
        unsafe {
            let piece = &*pieces.add(at);
            if piece.len > 0 {
                all.extend_from_slice(std::slice::from_raw_parts(piece.at, piece.len as usize));
            }
        }
    }
    all
}

thread_local! {
    /// Standard input that was received and not read yet.
    static INPUT: std::cell::RefCell<Vec<u8>> = const { std::cell::RefCell::new(Vec::new()) };
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_fd_read(
    fd: u32,
    pieces: *const Piece,
    count: u32,
    done: *mut u32,
) -> u16 {
    let is_stream = with(fd, |descriptor| Ok(matches!(descriptor, Descriptor::Stream(_))));
    let read = match is_stream {
        Err(errno) => Err(errno),
        // SAFETY: as the C library passes them.
        Ok(true) => Ok(unsafe { read_input(pieces, count) }),
        Ok(false) => with_file(fd, |file| {
            if !file.readable {
                return Err(Errno::EBADF);
            }
            let mut at = file.at;
            // SAFETY: as the C library passes them.
            let total = unsafe {
                scatter(pieces, count, |most| {
                    let bytes = file.read(at, most);
                    at += bytes.len() as u64;
                    bytes
                })
            };
            file.at = at;
            Ok(total)
        }),
    };
    status(read.map(|total| {
        // SAFETY: the C library passes room for the number.
        unsafe { *done = total }
    }))
}

unsafe fn read_input(pieces: *const Piece, count: u32) -> u32 {
    if !host::is_live() {
        return 0;
    }
    let mut input = INPUT.take();
    if input.is_empty() {
        // Output comes before the answer, so that a person sees the question.
        input = host::call_now(ToolCall::InputRead, |w| w).payload;
    }
    let mut at = 0;
    // SAFETY: as the C library passes them.
    let total = unsafe {
        scatter(pieces, count, |most| {
            let bytes = &input[at..input.len().min(at + most)];
            at += bytes.len();
            bytes
        })
    };
    INPUT.set(input.split_off(total as usize));
    total
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_fd_pread(
    fd: u32,
    pieces: *const Piece,
    count: u32,
    from: u64,
    done: *mut u32,
) -> u16 {
    let read = with_file(fd, |file| {
        let mut at = from;
        // SAFETY: as the C library passes them.
        Ok(unsafe {
            scatter(pieces, count, |most| {
                let bytes = file.read(at, most);
                at += bytes.len() as u64;
                bytes
            })
        })
    });
    status(read.map(|total| {
        // SAFETY: the C library passes room for the number.
        unsafe { *done = total }
    }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_fd_write(
    fd: u32,
    pieces: *const Piece,
    count: u32,
    done: *mut u32,
) -> u16 {
    // SAFETY: as the C library passes them.
    let bytes = unsafe { gathered(pieces, count) };
    let written = with(fd, |descriptor| match descriptor {
        Descriptor::Stream(stream @ (1 | 2)) => match host::write(*stream, &bytes) {
            true => Ok(()),
            false => Err(Errno::EPIPE),
        },
        Descriptor::Stream(_) | Descriptor::Folder { .. } => Err(Errno::EBADF),
        Descriptor::File(file) => {
            let at = if file.append { file.len() } else { file.at };
            write_at(file, at, &bytes)?;
            file.at = at + bytes.len() as u64;
            Ok(())
        }
    });
    status(written.map(|()| {
        // SAFETY: the C library passes room for the number.
        unsafe { *done = bytes.len() as u32 }
    }))
}

fn write_at(file: &mut OpenFile, at: u64, bytes: &[u8]) -> Result<()> {
    if !file.writable {
        return Err(Errno::EBADF);
    }
    if !file.write(at, bytes) {
        return Err(Errno::ENOSPC);
    }
    if file.is_due() { send(file) } else { Ok(()) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_fd_pwrite(
    fd: u32,
    pieces: *const Piece,
    count: u32,
    at: u64,
    done: *mut u32,
) -> u16 {
    // SAFETY: as the C library passes them.
    let bytes = unsafe { gathered(pieces, count) };
    status(with_file(fd, |file| write_at(file, at, &bytes)).map(|()| {
        // SAFETY: the C library passes room for the number.
        unsafe { *done = bytes.len() as u32 }
    }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_fd_seek(
    fd: u32,
    by: i64,
    from: u8,
    to: *mut u64,
) -> u16 {
    let sought = with_file(fd, |file| {
        let base = match from {
            0 => 0,
            1 => file.at as i64,
            2 => file.len() as i64,
            _ => return Err(Errno::EINVAL),
        };
        let at = base.checked_add(by).filter(|at| *at >= 0).ok_or(Errno::EINVAL)?;
        file.at = at as u64;
        Ok(file.at)
    });
    status(sought.map(|at| {
        // SAFETY: the C library passes room for the number.
        unsafe { *to = at }
    }))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_fd_tell(fd: u32, to: *mut u64) -> u16 {
    status(with_file(fd, |file| Ok(file.at)).map(|at| {
        // SAFETY: the C library passes room for the number.
        unsafe { *to = at }
    }))
}

/// `struct __wasi_prestat_t` of a folder.
#[repr(C)]
struct PreopenedFolder {
    tag: u8,
    name_len: u32,
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_fd_prestat_get(fd: u32, to: *mut u8) -> u16 {
    if fd != ROOT {
        return status(Err(Errno::EBADF));
    }
    // SAFETY: the C library passes room for the structure.
    unsafe {
        to.cast::<PreopenedFolder>().write_unaligned(PreopenedFolder { tag: 0, name_len: 1 })
    };
    status(Ok(()))
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_fd_prestat_dir_name(
    fd: u32,
    to: *mut u8,
    len: u32,
) -> u16 {
    if fd != ROOT || len == 0 {
        return status(Err(Errno::EBADF));
    }
    // SAFETY: the C library passes room for `len` bytes.
    unsafe { *to = b'/' };
    status(Ok(()))
}

/// `struct __wasi_dirent_t`, before the name.
#[repr(C)]
struct FolderEntry {
    next: u64,
    inode: u64,
    name_len: u32,
    kind: u8,
}

#[unsafe(no_mangle)]
unsafe extern "C" fn __imported_wasi_snapshot_preview1_fd_readdir(
    fd: u32,
    to: *mut u8,
    room: u32,
    cookie: u64,
    done: *mut u32,
) -> u16 {
    let unlisted = with(fd, |descriptor| match descriptor {
        Descriptor::Folder { path, listed: None } => Ok(Some(path.clone())),
        Descriptor::Folder { .. } => Ok(None),
        Descriptor::Stream(_) | Descriptor::File(_) => Err(Errno::ENOTDIR),
    });
    let listed = unlisted.and_then(|path| match path {
        None => Ok(()),
        Some(path) => {
            let mut entries = list(&path)?;
            entries.splice(
                0..0,
                [(".".to_owned(), KIND_DIRECTORY), ("..".to_owned(), KIND_DIRECTORY)],
            );
            with(fd, |descriptor| {
                if let Descriptor::Folder { listed, .. } = descriptor {
                    *listed = Some(entries);
                }
                Ok(())
            })
        }
    });
    let packed = listed.and_then(|()| {
        with(fd, |descriptor| match descriptor {
            Descriptor::Folder { listed: Some(entries), .. } => {
                Ok(packed_entries(entries, cookie, room as usize))
            }
            _ => Err(Errno::ENOTDIR),
        })
    });
    status(packed.map(|bytes| {
        // SAFETY: the C library passes `room` bytes, of which at most that many are written.
        unsafe {
            to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            *done = bytes.len() as u32;
        }
    }))
}

/// Packs entries from `cookie` on; the last one is cut off at `room` bytes.
fn packed_entries(entries: &[(String, u8)], cookie: u64, room: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (at, (name, kind)) in entries.iter().enumerate().skip(cookie as usize) {
        let head = FolderEntry {
            next: at as u64 + 1,
            inode: paths::inode(name),
            name_len: name.len() as u32,
            kind: *kind,
        };
        bytes.extend_from_slice(&head.next.to_le_bytes());
        bytes.extend_from_slice(&head.inode.to_le_bytes());
        bytes.extend_from_slice(&head.name_len.to_le_bytes());
        bytes.extend_from_slice(&[head.kind, 0, 0, 0]);
        bytes.extend_from_slice(name.as_bytes());
        if bytes.len() >= room {
            bytes.truncate(room);
            break;
        }
    }
    bytes
}

/// Opens a folder or a file under the first free number.
pub(super) fn opened(descriptor: Descriptor, to: *mut u32) -> Result<()> {
    let fd = open(descriptor)?;
    // SAFETY: the C library passes room for the number.
    unsafe { *to = fd };
    Ok(())
}
