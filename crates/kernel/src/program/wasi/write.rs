//! Writing to descriptors.
//!
//! Meets T-CELL-029.

use std::task::{Context, Poll};

use cofferdam_cell::Leave;

use super::{Failure, Moved, STEP, done};
use crate::program::descriptor::{Description, Object};
use crate::program::device::Device;
use crate::program::errno::Errno;
use crate::program::memory::Memory;
use crate::program::process::Process;
use crate::program::rights::Rights;
use crate::program::signal;
use crate::program::system::System;
use crate::program::table::Sent;
use crate::shared::lock::lock;

/// Descriptor of standard error.
const STDERR: u64 = 2;

/// Slices of up to this total length are written as one.
const MAX_GATHERED: usize = 64 << 10;

/// Writes the slices listed at `list.0`, at an offset or at the position of the description.
pub(super) fn poll_write(
    p: &mut Process,
    m: &mut Memory<'_>,
    cx: &mut Context<'_>,
    fd: u64,
    list: (u64, u64),
    offset: Option<u64>,
    out: u64,
) -> Moved {
    let checked = p.descriptors.get(fd).and_then(|descriptor| {
        if !descriptor.base.covers(Rights::FD_WRITE) {
            return Err(Errno::BadDescriptor);
        }
        if offset.is_some() && !descriptor.base.covers(Rights::FD_SEEK) {
            return Err(match descriptor.description.object {
                Object::File(_) | Object::Directory(_) | Object::Device(..) => Errno::NotCapable,
                Object::PipeRead(_) | Object::PipeWrite(_) => Errno::NotSeekable,
                Object::PipeBoth(..) => Errno::NotSeekable,
                Object::Input(_) | Object::Output(_) => Errno::NotSeekable,
            });
        }
        Ok(descriptor.description.clone())
    });
    let total = m.u32(out).and_then(|_| m.total(list.0, list.1));
    let (description, total) = match (checked, total) {
        (Ok(description), Ok(total)) => (description, total),
        (Err(errno), _) | (_, Err(errno)) => return done(Err(errno)),
    };
    if fd == STDERR && p.is_command && is_held_back(p, m, cx, &description, list, total) {
        return done(m.write(out, &(total as u32).to_le_bytes()));
    }
    let rest = total - p.progress.min(total);
    let mut scratch = std::mem::take(&mut p.scratch);
    let stepped =
        step(&p.system, &description, m, cx, list, offset, p.progress, rest, &mut scratch);
    p.scratch = scratch;
    let moved = match stepped {
        Ok(Some(len)) if len < rest && len > 0 => {
            p.progress += len;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Ok(Some(len)) => Ok(p.progress + len),
        Ok(None) if description.is_nonblocking() && p.progress > 0 => Ok(p.progress),
        Ok(None) if description.is_nonblocking() => Err(Errno::Again),
        Ok(None) => return Poll::Pending,
        Err(Errno::Pipe) => return broken_pipe(p),
        Err(_) if p.progress > 0 => Ok(p.progress),
        Err(errno) => Err(errno),
    };
    done(moved.and_then(|len| m.write(out, &(len as u32).to_le_bytes())))
}

/// Holds back a text that may be the last words of a command without memory. If it is not, writes
/// what was held back before, as far as there is room for it.
fn is_held_back(
    p: &mut Process,
    m: &Memory<'_>,
    cx: &mut Context<'_>,
    description: &Description,
    list: (u64, u64),
    total: usize,
) -> bool {
    if p.progress > 0 || (!p.last_words.is_holding() && p.system.budget.refused() == 0) {
        return false;
    }
    let mut scratch = Vec::new();
    let text = match total <= MAX_GATHERED {
        true => next(m, list, 0, total, &mut scratch).unwrap_or_default(),
        false => &[],
    };
    if !text.is_empty() && p.last_words.take(text) {
        return true;
    }
    let held = p.last_words.held();
    match &description.object {
        Object::Output(stream) => p.system.print(*stream, &held),
        Object::PipeWrite(writer) | Object::PipeBoth(_, writer) => {
            let _ = writer.poll_write(cx, &held);
        }
        Object::File(file) => drop(file.write(&held, p.system.now())),
        Object::Directory(_) | Object::Device(..) | Object::PipeRead(_) | Object::Input(_) => {}
    }
    false
}

/// Handles a stream without readers: sends the signal, then returns the errno if the process
/// survives.
fn broken_pipe(p: &Process) -> Moved {
    let sent = lock(&p.system.table).send(p.pid, p.pid, signal::PIPE);
    Poll::Ready(match sent {
        Ok(Sent::KillsSender) => Err(Failure::Leave(Leave::Signal(signal::PIPE))),
        Ok(Sent::Done) | Err(_) => Err(Errno::Pipe.into()),
    })
}

/// Writes some of the remaining bytes; returns `None` if there is no room yet.
#[allow(clippy::too_many_arguments)]
fn step(
    system: &System,
    description: &Description,
    m: &Memory<'_>,
    cx: &mut Context<'_>,
    list: (u64, u64),
    offset: Option<u64>,
    progress: usize,
    rest: usize,
    scratch: &mut Vec<u8>,
) -> Result<Option<usize>, Errno> {
    match &description.object {
        Object::File(file) => {
            let at = offset.map(|offset| offset.saturating_add(progress as u64));
            let bytes = next(m, list, progress, rest, scratch)?;
            let written = match at {
                Some(at) => file.write_at(at, bytes, system.now()),
                None => file.write(bytes, system.now()),
            };
            Ok(Some(written?))
        }
        Object::Directory(_) => Err(Errno::BadDescriptor),
        Object::Device(Device::Full, _) if rest > 0 => Err(Errno::NoSpace),
        Object::Device(..) => Ok(Some(rest)),
        Object::PipeWrite(writer) | Object::PipeBoth(_, writer) => {
            let bytes = next(m, list, progress, rest, scratch)?;
            match writer.poll_write(cx, bytes) {
                Poll::Ready(Ok(len)) => Ok(Some(len)),
                Poll::Ready(Err(_)) => Err(Errno::Pipe),
                Poll::Pending => Ok(None),
            }
        }
        Object::Output(stream) if system.is_unread(*stream) => Err(Errno::Pipe),
        // T-CELL-015: the queue to a slow reader.
        Object::Output(stream) if system.poll_room(*stream, cx).is_pending() => Ok(None),
        Object::Output(stream) => {
            let bytes = next(m, list, progress, rest, scratch)?;
            system.print(*stream, bytes);
            Ok(Some(bytes.len()))
        }
        Object::PipeRead(_) | Object::Input(_) => Err(Errno::BadDescriptor),
    }
}

/// Returns the bytes to write next: the joined rest if it is short, otherwise the rest of one
/// slice.
fn next<'a>(
    m: &'a Memory<'_>,
    (list, count): (u64, u64),
    mut skip: usize,
    rest: usize,
    scratch: &'a mut Vec<u8>,
) -> Result<&'a [u8], Errno> {
    scratch.clear();
    let mut index = 0;
    while let Some(slice) = m.slice(list, count, index)? {
        index += 1;
        if skip >= slice.len {
            skip -= slice.len;
            continue;
        }
        let part = slice.part(skip, STEP);
        skip = 0;
        if rest > MAX_GATHERED || part.len == rest {
            return m.get(part);
        }
        scratch.extend_from_slice(m.get(part)?);
    }
    Ok(scratch)
}
