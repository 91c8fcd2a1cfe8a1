//! WASI preview 1 over the sandbox's files, one file per area.
//!
//! Every pointer is checked before it is used, and every length before anything is allocated. A
//! call that has to wait returns `Pending` and is repeated with the same arguments; its progress is
//! in the process.
//!
//! Meets T-PROC-004.

mod args;
mod clock;
mod descriptors;
mod directory;
mod path;
mod poll;
mod read;
mod stat;
mod write;

#[cfg(test)]
mod tests;

use std::task::{Context, Poll};

use cofferdam_cell::{Import, Leave};

use crate::program::errno::Errno;
use crate::program::memory::Memory;
use crate::program::process::Process;
use crate::program::signal;
use crate::program::table::Sent;
use crate::shared::lock::lock;

/// Result of a call that never waits.
type Done = Result<(), Errno>;

/// Result of a call that may wait; only writing can end the process.
type Moved = Poll<Result<(), Failure>>;

/// Reason why a call does not return zero.
enum Failure {
    /// The call returns this errno.
    Errno(Errno),
    /// The process ends.
    Leave(Leave),
}

impl From<Errno> for Failure {
    fn from(errno: Errno) -> Self {
        Failure::Errno(errno)
    }
}

/// Completes a call that does not end the process.
fn done(done: Done) -> Moved {
    Poll::Ready(done.map_err(Failure::Errno))
}

/// Bytes moved before a long call checks whether the run is over.
const STEP: usize = 2 << 20;

/// Serves one call.
pub(crate) fn serve(
    process: &mut Process,
    import: Import,
    args: &[u64],
    memory: &mut Memory<'_>,
    cx: &mut Context<'_>,
) -> Poll<Result<u32, Leave>> {
    let moved = dispatch(process, import, args, memory, cx);
    let Poll::Ready(moved) = moved else { return Poll::Pending };
    process.progress = 0;
    process.forget_timer();
    Poll::Ready(match moved {
        Ok(()) => Ok(0),
        Err(Failure::Errno(errno)) => {
            process.system.note(errno);
            Ok(errno as u32)
        }
        Err(Failure::Leave(leave)) => Err(leave),
    })
}

/// Functions that only this one calls are not inlined in a browser, which compiles a function whole
/// when it is first called: a first result would wait for the code of all imports.
fn dispatch(
    p: &mut Process,
    import: Import,
    a: &[u64],
    m: &mut Memory<'_>,
    cx: &mut Context<'_>,
) -> Moved {
    // The engine passes as many arguments as the function takes.
    let a = |n: usize| a.get(n).copied().unwrap_or(0);
    done(match import {
        Import::FdRead => return read::poll_read(p, m, cx, a(0), (a(1), a(2)), None, a(3)),
        Import::FdPread => return read::poll_read(p, m, cx, a(0), (a(1), a(2)), Some(a(3)), a(4)),
        Import::FdWrite => return write::poll_write(p, m, cx, a(0), (a(1), a(2)), None, a(3)),
        Import::FdPwrite => {
            return write::poll_write(p, m, cx, a(0), (a(1), a(2)), Some(a(3)), a(4));
        }
        Import::PollOneoff => return poll::poll_oneoff(p, m, cx, a(0), a(1), a(2), a(3)),
        Import::RandomGet => return poll_random(p, m, cx, a(0), a(1)),
        Import::SchedYield => return poll_yield(p, cx),
        Import::ProcRaise => return raise(p, a(0)),
        Import::ArgsGet => args::get(&p.argv, m, a(0), a(1)),
        Import::ArgsSizesGet => args::sizes(&p.argv, m, a(0), a(1)),
        Import::EnvironGet => args::get(&p.env, m, a(0), a(1)),
        Import::EnvironSizesGet => args::sizes(&p.env, m, a(0), a(1)),
        Import::ClockResGet => clock::resolution(m, a(0), a(1)),
        Import::ClockTimeGet => clock::time(p, m, a(0), a(2)),
        Import::FdAdvise => descriptors::advise(p, a(0), a(1), a(2), a(3)),
        Import::FdAllocate => descriptors::allocate(p, a(0), a(1), a(2)),
        Import::FdClose => descriptors::close(p, a(0)),
        Import::FdDatasync | Import::FdSync => descriptors::sync(p, import, a(0)),
        Import::FdFdstatGet => descriptors::stat(p, m, a(0), a(1)),
        Import::FdFdstatSetFlags => descriptors::set_flags(p, a(0), a(1)),
        Import::FdFdstatSetRights => descriptors::set_rights(p, a(0), a(1), a(2)),
        Import::FdFilestatGet => stat::of_descriptor(p, m, a(0), a(1)),
        Import::FdFilestatSetSize => stat::set_size(p, a(0), a(1)),
        Import::FdFilestatSetTimes => stat::set_times(p, a(0), a(1), a(2), a(3)),
        Import::FdPrestatGet => descriptors::prestat(p, m, a(0), a(1)),
        Import::FdPrestatDirName => descriptors::prestat_name(p, m, a(0), a(1), a(2)),
        Import::FdReaddir => directory::read(p, m, a(0), (a(1), a(2)), a(3), a(4)),
        Import::FdRenumber => descriptors::renumber(p, a(0), a(1)),
        Import::FdSeek => descriptors::seek(p, m, a(0), a(1) as i64, a(2), a(3)),
        Import::FdTell => descriptors::tell(p, m, a(0), a(1)),
        Import::PathCreateDirectory => path::create_directory(p, m, a(0), (a(1), a(2))),
        Import::PathFilestatGet => stat::of_path(p, m, a(0), a(1), (a(2), a(3)), a(4)),
        Import::PathFilestatSetTimes => {
            stat::set_path_times(p, m, a(0), a(1), (a(2), a(3)), (a(4), a(5)), a(6))
        }
        Import::PathLink => path::link(p, m, a(0), a(1), (a(2), a(3)), a(4), (a(5), a(6))),
        Import::PathOpen => {
            let how = path::Opening {
                fd: a(0),
                dirflags: a(1),
                path: (a(2), a(3)),
                oflags: a(4),
                base: a(5),
                inheriting: a(6),
                fdflags: a(7),
                out: a(8),
            };
            return path::poll_open(p, m, cx, how);
        }
        Import::PathReadlink => path::read_link(p, m, a(0), (a(1), a(2)), (a(3), a(4)), a(5)),
        Import::PathRemoveDirectory => path::remove_directory(p, m, a(0), (a(1), a(2))),
        Import::PathRename => path::rename(p, m, a(0), (a(1), a(2)), a(3), (a(4), a(5))),
        Import::PathSymlink => path::symlink(p, m, (a(0), a(1)), a(2), (a(3), a(4))),
        Import::PathUnlinkFile => path::unlink(p, m, a(0), (a(1), a(2))),
        // There are no sockets; an open descriptor is told apart from a closed one.
        Import::SockAccept | Import::SockRecv | Import::SockSend | Import::SockShutdown => {
            p.descriptors.get(a(0)).and(Err(Errno::NotSocket))
        }
    })
}

fn poll_random(
    p: &mut Process,
    m: &mut Memory<'_>,
    cx: &mut Context<'_>,
    at: u64,
    len: u64,
) -> Moved {
    let out = match m.bytes_mut(at, len) {
        Ok(out) => out,
        Err(errno) => return done(Err(errno)),
    };
    let out = out.get_mut(p.progress..).unwrap_or_default();
    let step = out.len().min(STEP);
    if !lock(&p.system.random).fill(&mut out[..step]) {
        return done(Err(Errno::Io));
    }
    p.progress += step;
    again_unless(step == out.len(), cx)
}

/// Completes the call, or repeats it after other processes had their turn.
fn again_unless(is_done: bool, cx: &mut Context<'_>) -> Moved {
    if is_done {
        return done(Ok(()));
    }
    cx.waker().wake_by_ref();
    Poll::Pending
}

fn poll_yield(p: &mut Process, cx: &mut Context<'_>) -> Moved {
    let is_done = p.progress > 0;
    p.progress = 1;
    again_unless(is_done, cx)
}

#[cfg_attr(target_family = "wasm", inline(never))]
fn raise(p: &Process, signal: u64) -> Moved {
    let Some(signal) = signal::of_wasi(signal) else {
        return done(Err(Errno::Invalid));
    };
    let sent = lock(&p.system.table).send(p.pid, p.pid, signal);
    Poll::Ready(match sent {
        Ok(Sent::Done) => Ok(()),
        Ok(Sent::KillsSender) => Err(Failure::Leave(Leave::Signal(signal))),
        Err(errno) => Err(errno.into()),
    })
}
