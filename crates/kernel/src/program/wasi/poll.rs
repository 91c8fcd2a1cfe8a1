//! Waiting for time and descriptors.

use std::task::{Context, Poll};

use super::clock::Id;
use super::{Moved, done};
use crate::program::descriptor::Object;
use crate::program::errno::Errno;
use crate::program::memory::Memory;
use crate::program::process::Process;
use crate::program::rights::Rights;
use crate::shared::lock::lock;

/// Most subscriptions of one call.
const MAX_SUBSCRIPTIONS: u64 = 4096;

const SUBSCRIPTION: u64 = 48;
const EVENT: u64 = 32;

const CLOCK: u8 = 0;
const READ: u8 = 1;
const WRITE: u8 = 2;

/// One event.
struct Event {
    userdata: u64,
    error: u16,
    kind: u8,
    bytes: u64,
    hangup: bool,
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn poll_oneoff(
    p: &mut Process,
    m: &mut Memory<'_>,
    cx: &mut Context<'_>,
    subscriptions: u64,
    events: u64,
    count: u64,
    out: u64,
) -> Moved {
    match look(p, m, cx, subscriptions, events, count, out) {
        Ok(true) => done(Ok(())),
        Ok(false) => Poll::Pending,
        Err(errno) => done(Err(errno)),
    }
}

/// Writes the events that have happened; returns false if there are none.
fn look(
    p: &mut Process,
    m: &mut Memory<'_>,
    cx: &mut Context<'_>,
    subscriptions: u64,
    events: u64,
    count: u64,
    out: u64,
) -> Result<bool, Errno> {
    if count == 0 || count > MAX_SUBSCRIPTIONS {
        return Err(Errno::Invalid);
    }
    m.u32(out)?;
    m.check(subscriptions, count * SUBSCRIPTION)?;
    m.check(events, count * EVENT)?;
    let mut happened: Vec<Event> = Vec::new();
    let mut first: Option<u64> = None;
    // Relative times count from the first poll of the call.
    let began = (p.progress as u64).checked_sub(1);
    let began = began.unwrap_or_else(|| Id::Monotonic.now(p));
    p.progress = began as usize + 1;
    for index in 0..count {
        let at = subscriptions + index * SUBSCRIPTION;
        let userdata = m.u64(at)?;
        let kind = m.u8(at + 8)?;
        let mut event = Event { userdata, error: 0, kind, bytes: 0, hangup: false };
        match kind {
            CLOCK => {
                let (id, timeout, flags) = (m.u32(at + 16)?, m.u64(at + 24)?, m.u16(at + 40)?);
                match due(p, id.into(), timeout, flags & 1 != 0, began) {
                    Ok(due) if due <= Id::Monotonic.now(p) => happened.push(event),
                    Ok(due) => first = Some(first.map_or(due, |first| first.min(due))),
                    Err(errno) => {
                        event.error = errno as u16;
                        happened.push(event);
                    }
                }
            }
            READ | WRITE => match ready(p, cx, m.u32(at + 16)?.into(), kind) {
                Ok(Poll::Pending) => {}
                Ok(Poll::Ready((bytes, hangup))) => {
                    happened.push(Event { bytes: bytes as u64, hangup, ..event });
                }
                Err(errno) => {
                    event.error = errno as u16;
                    happened.push(event);
                }
            },
            _ => return Err(Errno::Invalid),
        }
    }
    if happened.is_empty() {
        p.forget_timer();
        if let Some(due) = first {
            p.wake_at(due, cx);
        }
        return Ok(false);
    }
    for (index, event) in happened.iter().enumerate() {
        let mut bytes = [0; EVENT as usize];
        bytes[..8].copy_from_slice(&event.userdata.to_le_bytes());
        bytes[8..10].copy_from_slice(&event.error.to_le_bytes());
        bytes[10] = event.kind;
        bytes[16..24].copy_from_slice(&event.bytes.to_le_bytes());
        bytes[24] = event.hangup.into();
        m.write(events + index as u64 * EVENT, &bytes)?;
    }
    m.write(out, &(happened.len() as u32).to_le_bytes())?;
    Ok(true)
}

/// Returns the due time of a clock subscription, on the monotonic clock.
fn due(p: &Process, id: u64, timeout: u64, is_absolute: bool, began: u64) -> Result<u64, Errno> {
    let id = Id::of(id)?;
    if !is_absolute {
        return Ok(began.saturating_add(timeout));
    }
    Ok(match id {
        Id::Monotonic => timeout,
        Id::Wall => {
            let clock = lock(&p.system.clock);
            let left = timeout.saturating_sub(clock.wall_ns());
            clock.monotonic_ns().saturating_add(left)
        }
    })
}

/// Returns the bytes that can be read or written without waiting, and whether the other side is
/// gone.
fn ready(
    p: &Process,
    cx: &mut Context<'_>,
    fd: u64,
    kind: u8,
) -> Result<Poll<(usize, bool)>, Errno> {
    let descriptor = p.descriptors.with(fd, Rights::POLL_FD_READWRITE)?;
    let needed = if kind == READ { Rights::FD_READ } else { Rights::FD_WRITE };
    if !descriptor.base.covers(needed) {
        return Err(Errno::BadDescriptor);
    }
    Ok(match (&descriptor.description.object, kind) {
        (Object::PipeRead(reader) | Object::PipeBoth(reader, _), READ) => reader.poll_ready(cx),
        (Object::PipeWrite(writer) | Object::PipeBoth(_, writer), WRITE) => writer.poll_ready(cx),
        (Object::PipeRead(_) | Object::PipeWrite(_) | Object::PipeBoth(..), _) => {
            return Err(Errno::BadDescriptor);
        }
        (Object::Input(input), READ) => {
            let input = lock(input);
            Poll::Ready((input.0.len() - input.1, input.0.len() == input.1))
        }
        (Object::Output(stream), WRITE) => {
            let unread = p.system.is_unread(*stream);
            p.system.poll_room(*stream, cx).map(|()| (4096, unread))
        }
        (Object::Input(_) | Object::Output(_), _) => return Err(Errno::BadDescriptor),
        (Object::File(file), READ) => Poll::Ready((file.stat()?.size as usize, false)),
        (Object::File(_) | Object::Device(..), _) => Poll::Ready((1, false)),
        (Object::Directory(_), _) => return Err(Errno::BadDescriptor),
    })
}
