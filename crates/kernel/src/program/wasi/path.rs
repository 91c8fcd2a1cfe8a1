//! Calls that take a path. Paths are confined to the directory they start from.
//!
//! Meets T-PROC-005.

use std::borrow::Cow;
use std::task::{Context, Poll};

use cofferdam_vfs::{At, Follow, Kind, Mode, Open, OpenFile, PATH_MAX, Stat, raw};

use super::descriptors::ALL_FLAGS;
use super::stat::follow;
use super::{Done, Moved, done};
use crate::program::descriptor::{APPEND, Description, Descriptor, NONBLOCK, Object, SCRIPT_BASE};
use crate::program::device::Device;
use crate::program::errno::Errno;
use crate::program::fifo;
use crate::program::memory::Memory;
use crate::program::pipe::{Reader, Writer};
use crate::program::process::Process;
use crate::program::rights::Rights;
use crate::shared::lock::lock;

/// A path and the directory it starts from: the root if there is none.
pub(super) struct Start<'a> {
    directory: Option<&'a OpenFile>,
    path: Cow<'a, str>,
}

impl Start<'_> {
    pub(super) fn at(&self, last: Follow) -> At<'_> {
        match self.directory {
            Some(directory) => At::beneath(directory, &self.path).follow(last),
            None => At::root(&self.path).follow(last),
        }
    }
}

/// Reads a path of a call, starting from a directory with the needed rights.
pub(super) fn resolve<'a>(
    p: &'a Process,
    m: &'a Memory<'_>,
    fd: u64,
    (at, len): (u64, u64),
    rights: Rights,
) -> Result<Start<'a>, Errno> {
    let descriptor = p.descriptors.get(fd)?;
    let directory = descriptor.directory()?;
    if !descriptor.base.covers(rights) {
        return Err(Errno::NotCapable);
    }
    let path = m.path(at, len, PATH_MAX)?;
    if path.contains('\0') {
        return Err(Errno::IllegalSequence);
    }
    if path.is_empty() {
        return Err(Errno::NotFound);
    }
    Ok(match p.begins_in_cwd && descriptor.preopen.is_some() {
        true => Start { directory: None, path: from_cwd(p, &path).into() },
        false => Start { directory: Some(directory), path },
    })
}

/// Returns the path that a program means. Programs made for WASI have no working directory: `a/b`
/// and `/a/b` arrive as the same text, and so do `.` and `/`. A program that the shell started in a
/// directory means that directory, unless the first name exists in the root.
fn from_cwd(p: &Process, path: &str) -> String {
    let first = path.split('/').next().unwrap_or(path);
    let is_of_root = !matches!(first, "." | "..")
        && p.system.files(p.pid).stat(At::root(&format!("/{first}"))).is_ok();
    match is_of_root {
        true => format!("/{path}"),
        false => format!("{}/{path}", p.cwd.trim_end_matches('/')),
    }
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn create_directory(p: &Process, m: &Memory<'_>, fd: u64, path: (u64, u64)) -> Done {
    let start = resolve(p, m, fd, path, Rights::PATH_CREATE_DIRECTORY)?;
    let mode: Mode = p.mode(0o777);
    p.change("mkdir", start.at(Follow::Never))?;
    Ok(p.system.files(p.pid).make_directory(start.at(Follow::Never), mode)?)
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn remove_directory(p: &Process, m: &Memory<'_>, fd: u64, path: (u64, u64)) -> Done {
    let start = resolve(p, m, fd, path, Rights::PATH_REMOVE_DIRECTORY)?;
    p.change("rmdir", start.at(Follow::Never))?;
    Ok(p.system.files(p.pid).remove_directory(start.at(Follow::Never))?)
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn unlink(p: &Process, m: &Memory<'_>, fd: u64, path: (u64, u64)) -> Done {
    let start = resolve(p, m, fd, path, Rights::PATH_UNLINK_FILE)?;
    p.change("unlink", start.at(Follow::Never))?;
    Ok(p.system.files(p.pid).remove_file(start.at(Follow::Never))?)
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn rename(
    p: &Process,
    m: &Memory<'_>,
    fd: u64,
    path: (u64, u64),
    to_fd: u64,
    to_path: (u64, u64),
) -> Done {
    let from = resolve(p, m, fd, path, Rights::PATH_RENAME_SOURCE)?;
    let to = resolve(p, m, to_fd, to_path, Rights::PATH_RENAME_TARGET)?;
    p.change("rename from", from.at(Follow::Never))?;
    p.change("rename to", to.at(Follow::Never))?;
    Ok(p.system.files(p.pid).rename(from.at(Follow::Never), to.at(Follow::Never))?)
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn link(
    p: &Process,
    m: &Memory<'_>,
    fd: u64,
    flags: u64,
    path: (u64, u64),
    to_fd: u64,
    to_path: (u64, u64),
) -> Done {
    let from = resolve(p, m, fd, path, Rights::PATH_LINK_SOURCE)?;
    let to = resolve(p, m, to_fd, to_path, Rights::PATH_LINK_TARGET)?;
    p.change("link", to.at(Follow::Never))?;
    Ok(p.system.files(p.pid).link(from.at(follow(flags)), to.at(Follow::Never))?)
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn symlink(
    p: &Process,
    m: &Memory<'_>,
    (text_at, text_len): (u64, u64),
    fd: u64,
    path: (u64, u64),
) -> Done {
    let start = resolve(p, m, fd, path, Rights::PATH_SYMLINK)?;
    let text = m.path(text_at, text_len, PATH_MAX)?;
    // WASI treats an absolute link as leaving the directory. In the sandbox such a link is
    // harmless, and commands make them as they do everywhere.
    if text.starts_with('/') && !p.is_command {
        return Err(Errno::NotCapable);
    }
    p.change("symlink", start.at(Follow::Never))?;
    Ok(p.system.files(p.pid).make_link(&text, start.at(Follow::Never))?)
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn read_link(
    p: &Process,
    m: &mut Memory<'_>,
    fd: u64,
    path: (u64, u64),
    (at, len): (u64, u64),
    out: u64,
) -> Done {
    let text = {
        let start = resolve(p, m, fd, path, Rights::PATH_READLINK)?;
        p.system.files(p.pid).read_link(start.at(Follow::Never))?
    };
    let target = raw::bytes(&text);
    let cut = target.len().min(usize::try_from(len).unwrap_or(usize::MAX));
    m.u32(out)?;
    m.write(at, &target[..cut])?;
    m.write(out, &(cut as u32).to_le_bytes())
}

/// Arguments of `path_open`.
pub(super) struct Opening {
    pub(super) fd: u64,
    pub(super) dirflags: u64,
    pub(super) path: (u64, u64),
    pub(super) oflags: u64,
    pub(super) base: u64,
    pub(super) inheriting: u64,
    pub(super) fdflags: u64,
    pub(super) out: u64,
}

const CREATE: u64 = 1;
const DIRECTORY: u64 = 2;
const EXCLUSIVE: u64 = 4;
const TRUNCATE: u64 = 8;

/// Opens a path; waits if a named pipe has no process at its other end.
#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn poll_open(
    p: &mut Process,
    m: &mut Memory<'_>,
    cx: &mut Context<'_>,
    how: Opening,
) -> Moved {
    let descriptor = match p.opening.take() {
        Some(opening) => Ok(Opened::Waits(opening)),
        None => begin(p, m, &how),
    };
    let descriptor = match descriptor {
        Ok(Opened::Waits(opening)) => match opening.poll(cx) {
            Poll::Ready(()) => Ok(stream(opening.into_object(), &how)),
            Poll::Pending => {
                p.opening = Some(opening);
                return Poll::Pending;
            }
        },
        Ok(Opened::Now(descriptor)) => Ok(descriptor),
        Err(errno) => Err(errno),
    };
    done(descriptor.and_then(|descriptor| {
        let fd = p.descriptors.add(descriptor, 0)?;
        m.write(how.out, &fd.to_le_bytes())
    }))
}

enum Opened {
    Now(Descriptor),
    /// A named pipe.
    Waits(fifo::Opening),
}

fn begin(p: &Process, m: &Memory<'_>, how: &Opening) -> Result<Opened, Errno> {
    m.u32(how.out)?;
    if how.oflags & !0b1111 != 0 || how.fdflags & !ALL_FLAGS != 0 {
        return Err(Errno::Invalid);
    }
    let mut needed = Rights::PATH_OPEN;
    if how.oflags & CREATE != 0 {
        needed = needed.or(Rights::PATH_CREATE_FILE);
    }
    if how.oflags & TRUNCATE != 0 {
        needed = needed.or(Rights::PATH_FILESTAT_SET_SIZE);
    }
    let start = resolve(p, m, how.fd, how.path, needed)?;
    let allowed = p.descriptors.get(how.fd)?.inheriting;
    let (base, inheriting) = (Rights(how.base), Rights(how.inheriting));
    if !allowed.covers(base.and(Rights::ALL)) || !allowed.covers(inheriting.and(Rights::ALL)) {
        return Err(Errno::NotCapable);
    }
    let (files, at, open) =
        (p.system.files(p.pid), start.at(follow(how.dirflags)), options(p, how, base));
    let outside = files.outside(at);
    if let Some(outside) = &outside {
        let what = if outside.is_there { "write" } else { "create" };
        if open.changes(outside.is_there) {
            p.note_change(what, &outside.path)?;
        }
    }
    let file = files.open(at, open)?;
    let (object, base, inheriting) = match file.kind() {
        Kind::Directory => {
            (Object::Directory(file), base.and(Rights::DIRECTORY), inheriting.and(Rights::ALL))
        }
        Kind::Device(id) => match Device::of(id).ok_or(Errno::NoDevice)? {
            Device::Descriptor(fd) => return again(p, fd).map(Opened::Now),
            Device::Terminal => return terminal(p).map(Opened::Now),
            Device::Fifo if base.has_any(Rights::FD_READ.or(Rights::FD_WRITE)) => {
                return Ok(open_fifo(p, how, &file.stat()?));
            }
            device => {
                let stat = file.stat()?;
                (Object::Device(device, stat), base.and(Rights::FILE), Rights::default())
            }
        },
        Kind::File | Kind::Link | Kind::Other => {
            (Object::File(file), base.and(Rights::FILE), Rights::default())
        }
    };
    let outside = outside.map(|outside| outside.path);
    let description = Description::opened(object, how.fdflags as u16, outside);
    Ok(Opened::Now(Descriptor { description, base, inheriting, preopen: None }))
}

/// Opening both ends, or without blocking, does not wait for another process.
fn open_fifo(p: &Process, how: &Opening, stat: &Stat) -> Opened {
    let node = (stat.device, stat.ino);
    let pipe = lock(&p.system.fifos).of(node, || p.system.pipe_capacity());
    let base = Rights(how.base);
    match (base.covers(Rights::FD_READ), base.covers(Rights::FD_WRITE)) {
        (true, true) => {
            let both = Object::PipeBoth(Reader::open(&pipe), Writer::open(&pipe));
            Opened::Now(stream(both, how))
        }
        (true, false) if how.fdflags & u64::from(NONBLOCK) != 0 => {
            Opened::Now(stream(Object::PipeRead(Reader::open(&pipe)), how))
        }
        (true, false) => Opened::Waits(fifo::Opening::to_read(&pipe)),
        (false, _) => Opened::Waits(fifo::Opening::to_write(&pipe)),
    }
}

fn stream(object: Object, how: &Opening) -> Descriptor {
    let description = Description::new(object, how.fdflags as u16);
    let base = Rights(how.base).and(Rights::STREAM);
    Descriptor { description, base, inheriting: Rights::default(), preopen: None }
}

/// Converts rights and flags into the way in which files are opened.
fn options(p: &Process, how: &Opening, base: Rights) -> Open {
    let writes = Rights::FD_WRITE.or(Rights::FD_ALLOCATE).or(Rights::FD_FILESTAT_SET_SIZE);
    let is_directory = how.oflags & DIRECTORY != 0;
    let mut open = Open::default().mode(p.mode(0o666));
    if base.has_any(Rights::FD_READ.or(Rights::FD_READDIR)) {
        open = open.and_read();
    }
    // A program that opens a directory with all rights it may have does not intend to write to it.
    if base.has_any(if is_directory { Rights::FD_WRITE } else { writes }) {
        open = open.and_write();
    }
    if how.fdflags & u64::from(APPEND) != 0 {
        open = open.append();
    }
    if how.oflags & CREATE != 0 {
        open = match how.oflags & EXCLUSIVE != 0 {
            true => open.create_new(),
            false => open.create(),
        };
    }
    if how.oflags & TRUNCATE != 0 {
        open = open.truncate();
    }
    if is_directory {
        open = open.directory();
    }
    open
}

/// Opens `/dev/stdin` and the like: a copy of the process's own descriptor.
fn again(p: &Process, fd: u32) -> Result<Descriptor, Errno> {
    let of_script = match fd {
        0..=2 => Err(Errno::NotFound),
        fd => p.descriptors.get(u64::from(fd) + u64::from(SCRIPT_BASE)),
    };
    let descriptor = of_script.or_else(|_| p.descriptors.get(fd.into()));
    let descriptor = descriptor.map_err(|_| Errno::NotFound)?;
    Ok(Descriptor { preopen: None, ..descriptor.clone() })
}

/// Opens `/dev/tty`: a copy of the first descriptor that is a terminal.
fn terminal(p: &Process) -> Result<Descriptor, Errno> {
    let mut all = p.descriptors.numbers().filter_map(|fd| p.descriptors.get(fd.into()).ok());
    let found = all.find(|descriptor| descriptor.description.is_terminal);
    let found = found.ok_or(Errno::NoDevice)?;
    Ok(Descriptor { preopen: None, ..found.clone() })
}
