//! Descriptors: status, position, closing and renumbering.

use cofferdam_cell::Import;
use cofferdam_vfs::Seek;

use super::Done;
use super::stat::filetype;
use crate::program::descriptor::{Descriptor, Object};
use crate::program::errno::Errno;
use crate::program::memory::Memory;
use crate::program::process::Process;
use crate::program::rights::Rights;

/// Flags that a description may have.
pub(super) const ALL_FLAGS: u64 = 0b1_1111;

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn close(p: &mut Process, fd: u64) -> Done {
    p.descriptors.close(fd).map(drop)
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn renumber(p: &mut Process, fd: u64, to: u64) -> Done {
    p.descriptors.get(fd)?;
    p.descriptors.get(to)?;
    if fd == to {
        return Ok(());
    }
    let descriptor = p.descriptors.close(fd)?;
    p.descriptors.put(to as u32, descriptor)
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn stat(p: &Process, m: &mut Memory<'_>, fd: u64, out: u64) -> Done {
    let descriptor = p.descriptors.get(fd)?;
    let mut bytes = [0; 24];
    bytes[0] = filetype(&descriptor.description);
    bytes[2..4].copy_from_slice(&descriptor.description.flags().to_le_bytes());
    bytes[8..16].copy_from_slice(&descriptor.base.0.to_le_bytes());
    bytes[16..24].copy_from_slice(&descriptor.inheriting.0.to_le_bytes());
    m.write(out, &bytes)
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn set_flags(p: &Process, fd: u64, flags: u64) -> Done {
    let descriptor = p.descriptors.with(fd, Rights::FD_FDSTAT_SET_FLAGS)?;
    if flags & !ALL_FLAGS != 0 {
        return Err(Errno::Invalid);
    }
    descriptor.description.set_flags(flags as u16);
    Ok(())
}

/// Rights can be dropped, never gained.
#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn set_rights(p: &mut Process, fd: u64, base: u64, inheriting: u64) -> Done {
    let descriptor = p.descriptors.get_mut(fd)?;
    let (base, inheriting) = (Rights(base), Rights(inheriting));
    if !descriptor.base.covers(base) || !descriptor.inheriting.covers(inheriting) {
        return Err(Errno::NotCapable);
    }
    descriptor.base = base;
    descriptor.inheriting = inheriting;
    Ok(())
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn advise(p: &Process, fd: u64, offset: u64, len: u64, advice: u64) -> Done {
    let descriptor = seekable(p, fd, Rights::FD_ADVISE)?;
    if let Object::Directory(_) = descriptor.description.object {
        return Err(Errno::BadDescriptor);
    }
    let is_known = advice <= 5 && offset.checked_add(len).is_some_and(|end| end <= i64::MAX as u64);
    if is_known { Ok(()) } else { Err(Errno::Invalid) }
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn allocate(p: &Process, fd: u64, offset: u64, len: u64) -> Done {
    let descriptor = seekable(p, fd, Rights::FD_ALLOCATE)?;
    let Object::File(file) = &descriptor.description.object else {
        return Err(Errno::BadDescriptor);
    };
    let end = offset.checked_add(len).ok_or(Errno::FileTooLarge)?;
    if len == 0 {
        return Err(Errno::Invalid);
    }
    if file.stat()?.size < end {
        file.set_size(end, p.system.now())?;
    }
    Ok(())
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn sync(p: &Process, import: Import, fd: u64) -> Done {
    let rights = match import {
        Import::FdDatasync => Rights::FD_DATASYNC,
        _ => Rights::FD_SYNC,
    };
    p.descriptors.with(fd, rights).map(drop)
}

/// Returns a descriptor with a position; `ESPIPE` for a pipe.
fn seekable(p: &Process, fd: u64, rights: Rights) -> Result<&Descriptor, Errno> {
    let descriptor = p.descriptors.get(fd)?;
    match &descriptor.description.object {
        Object::PipeRead(_) | Object::PipeWrite(_) | Object::PipeBoth(..) => {
            Err(Errno::NotSeekable)
        }
        Object::Input(_) | Object::Output(_) => Err(Errno::NotSeekable),
        Object::Directory(_) if !descriptor.base.covers(rights) => Err(Errno::BadDescriptor),
        Object::File(_) | Object::Directory(_) | Object::Device(..) => {
            p.descriptors.with(fd, rights)
        }
    }
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn seek(
    p: &Process,
    m: &mut Memory<'_>,
    fd: u64,
    offset: i64,
    whence: u64,
    out: u64,
) -> Done {
    // Reading the position needs no right to seek.
    let rights = match (offset, whence) {
        (0, 1) => Rights::FD_TELL,
        _ => Rights::FD_SEEK,
    };
    let descriptor = seekable(p, fd, rights)?;
    m.u64(out)?;
    let at = match &descriptor.description.object {
        Object::File(file) => file.seek(match whence {
            0 => Seek::Start(u64::try_from(offset).map_err(|_| Errno::Invalid)?),
            1 => Seek::Current(offset),
            2 => Seek::End(offset),
            _ => return Err(Errno::Invalid),
        })?,
        Object::Device(..) => 0,
        Object::Directory(_) => return Err(Errno::BadDescriptor),
        Object::PipeRead(_) | Object::PipeWrite(_) | Object::PipeBoth(..) => {
            return Err(Errno::NotSeekable);
        }
        Object::Input(_) | Object::Output(_) => return Err(Errno::NotSeekable),
    };
    m.write(out, &at.to_le_bytes())
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn tell(p: &Process, m: &mut Memory<'_>, fd: u64, out: u64) -> Done {
    seek(p, m, fd, 0, 1, out)
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn prestat(p: &Process, m: &mut Memory<'_>, fd: u64, out: u64) -> Done {
    let name = p.descriptors.get(fd)?.preopen.as_ref().ok_or(Errno::BadDescriptor)?;
    let mut bytes = [0; 8];
    bytes[4..].copy_from_slice(&(name.len() as u32).to_le_bytes());
    m.write(out, &bytes)
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn prestat_name(p: &Process, m: &mut Memory<'_>, fd: u64, at: u64, len: u64) -> Done {
    let name = p.descriptors.get(fd)?.preopen.as_ref().ok_or(Errno::BadDescriptor)?;
    if (name.len() as u64) > len {
        return Err(Errno::NameTooLong);
    }
    m.write(at, name.as_bytes())
}
