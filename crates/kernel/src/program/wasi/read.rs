//! Reading from descriptors.

use std::task::{Context, Poll};

use cofferdam_vfs::OpenFile;

use super::{Moved, STEP, done};
use crate::program::descriptor::{Description, Object};
use crate::program::device::Device;
use crate::program::errno::Errno;
use crate::program::memory::Memory;
use crate::program::process::Process;
use crate::program::rights::Rights;
use crate::program::system::System;
use crate::shared::lock::lock;

/// Reads into the slices listed at `list.0`, at an offset or at the position of the description.
pub(super) fn poll_read(
    p: &mut Process,
    m: &mut Memory<'_>,
    cx: &mut Context<'_>,
    fd: u64,
    list: (u64, u64),
    offset: Option<u64>,
    out: u64,
) -> Moved {
    let rights = match offset {
        Some(_) => Rights::FD_READ.or(Rights::FD_SEEK),
        None => Rights::FD_READ,
    };
    let checked = p.descriptors.get(fd).and_then(|descriptor| {
        if !descriptor.base.covers(Rights::FD_READ) {
            return Err(Errno::BadDescriptor);
        }
        match descriptor.base.covers(rights) {
            true => Ok(descriptor.description.clone()),
            false => Err(not_seekable(&descriptor.description)),
        }
    });
    let total = m.u32(out).and_then(|_| m.total(list.0, list.1));
    let (description, total) = match (checked, total) {
        (Ok(description), Ok(total)) => (description, total),
        (Err(errno), _) | (_, Err(errno)) => return done(Err(errno)),
    };
    let moved = match step(&p.system, &description, m, cx, list, offset, p.progress, total) {
        Ok(Step::Wait) if description.is_nonblocking() => Err(Errno::Again),
        Ok(Step::Wait) => return Poll::Pending,
        Ok(Step::More(len)) => {
            p.progress += len;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        Ok(Step::End(len)) => Ok(p.progress + len),
        // Bytes read before the failure are reported; the next call fails again.
        Err(_) if p.progress > 0 => Ok(p.progress),
        Err(errno) => Err(errno),
    };
    done(moved.and_then(|len| m.write(out, &(len as u32).to_le_bytes())))
}

fn not_seekable(description: &Description) -> Errno {
    match description.object {
        Object::File(_) | Object::Directory(_) | Object::Device(..) => Errno::NotCapable,
        Object::PipeRead(_) | Object::PipeWrite(_) | Object::PipeBoth(..) => Errno::NotSeekable,
        Object::Input(_) | Object::Output(_) => Errno::NotSeekable,
    }
}

/// Progress of one attempt to read.
enum Step {
    /// No bytes are available yet.
    Wait,
    /// This many bytes were read, and there is room for more.
    More(usize),
    /// This many bytes were read, and reading is complete.
    End(usize),
}

#[allow(clippy::too_many_arguments)]
fn step(
    system: &System,
    description: &Description,
    m: &mut Memory<'_>,
    cx: &mut Context<'_>,
    list: (u64, u64),
    offset: Option<u64>,
    progress: usize,
    total: usize,
) -> Result<Step, Errno> {
    let most = (total - progress.min(total)).min(STEP);
    match &description.object {
        Object::File(file) => {
            let at = offset.map(|offset| offset.saturating_add(progress as u64));
            let len = fill(m, list, progress, most, |moved, room| {
                read_file(system, file, at.map(|at| at.saturating_add(moved as u64)), room)
            })?;
            match len == most && progress + len < total {
                true => Ok(Step::More(len)),
                false => Ok(Step::End(len)),
            }
        }
        Object::Directory(_) => Err(Errno::IsDirectory),
        Object::Device(device, _) => {
            let len = fill(m, list, progress, most, |_, room| match device {
                Device::Null | Device::Terminal | Device::Fifo | Device::Descriptor(_) => Ok(0),
                Device::Zero | Device::Full => {
                    room.fill(0);
                    Ok(room.len())
                }
                Device::Random => match lock(&system.random).fill(room) {
                    true => Ok(room.len()),
                    false => Err(Errno::Io),
                },
            })?;
            match len == most && progress + len < total {
                true => Ok(Step::More(len)),
                false => Ok(Step::End(len)),
            }
        }
        Object::PipeRead(reader) | Object::PipeBoth(reader, _) => {
            let mut wait = false;
            let len =
                fill(m, list, progress, most, |moved, room| match reader.poll_read(cx, room) {
                    Poll::Ready(len) => Ok(len),
                    Poll::Pending => {
                        wait = moved == 0;
                        Ok(0)
                    }
                })?;
            Ok(if wait { Step::Wait } else { Step::End(len) })
        }
        Object::Input(input) => {
            let mut input = lock(input);
            let len = fill(m, list, progress, most, |_, room| {
                let (bytes, read) = &mut *input;
                let rest = &bytes[*read..];
                let len = rest.len().min(room.len());
                room[..len].copy_from_slice(&rest[..len]);
                *read += len;
                Ok(len)
            })?;
            Ok(Step::End(len))
        }
        Object::PipeWrite(_) | Object::Output(_) => Err(Errno::BadDescriptor),
    }
}

fn read_file(
    system: &System,
    file: &OpenFile,
    at: Option<u64>,
    room: &mut [u8],
) -> Result<usize, Errno> {
    Ok(match at {
        Some(at) => file.read_at(at, room, system.now())?,
        None => file.read(room, system.now())?,
    })
}

/// Fills the slices from `skip` on with at most `most` bytes, until a read comes short.
fn fill(
    m: &mut Memory<'_>,
    (list, count): (u64, u64),
    mut skip: usize,
    most: usize,
    mut from: impl FnMut(usize, &mut [u8]) -> Result<usize, Errno>,
) -> Result<usize, Errno> {
    let (mut moved, mut index) = (0, 0);
    while let Some(slice) = m.slice(list, count, index)? {
        index += 1;
        if skip >= slice.len && slice.len > 0 {
            skip -= slice.len;
            continue;
        }
        let part = slice.part(skip, most - moved);
        skip = 0;
        if part.len == 0 {
            // A read of no bytes still reports an unusable descriptor.
            if count == 1 {
                from(moved, &mut [])?;
            }
            continue;
        }
        match from(moved, m.get_mut(part)?) {
            Ok(len) => {
                moved += len;
                if len < part.len || moved == most {
                    break;
                }
            }
            Err(_) if moved > 0 => break,
            Err(errno) => return Err(errno),
        }
    }
    Ok(moved)
}
