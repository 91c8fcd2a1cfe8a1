//! Status of files: reading and changing it.

use cofferdam_vfs::{DeviceId, Follow, Kind, SetTime, Stat, Time};

use super::Done;
use super::path::resolve;
use crate::program::descriptor::{Description, Object};
use crate::program::errno::Errno;
use crate::program::memory::Memory;
use crate::program::process::Process;
use crate::program::rights::Rights;

const CHARACTER_DEVICE: u8 = 2;

/// Returns the WASI number of a kind of file.
pub(super) fn kind_code(kind: Kind) -> u8 {
    match kind {
        Kind::Other | Kind::Device(DeviceId::FIFO) => 0,
        Kind::Device(_) => CHARACTER_DEVICE,
        Kind::Directory => 3,
        Kind::File => 4,
        Kind::Link => 7,
    }
}

/// Returns the WASI number of an open object. WASI has none for pipes.
pub(super) fn filetype(description: &Description) -> u8 {
    if description.is_terminal {
        return CHARACTER_DEVICE;
    }
    match &description.object {
        Object::File(_) => 4,
        Object::Directory(_) => 3,
        Object::Device(..) => CHARACTER_DEVICE,
        Object::PipeRead(_) | Object::PipeWrite(_) | Object::PipeBoth(..) => 0,
        Object::Input(_) | Object::Output(_) => 0,
    }
}

fn write(m: &mut Memory<'_>, out: u64, stat: &Stat) -> Done {
    let mut bytes = [0; 64];
    bytes[..8].copy_from_slice(&stat.device.to_le_bytes());
    bytes[8..16].copy_from_slice(&stat.ino.0.to_le_bytes());
    bytes[16] = kind_code(stat.kind);
    bytes[24..32].copy_from_slice(&stat.links.to_le_bytes());
    bytes[32..40].copy_from_slice(&stat.size.to_le_bytes());
    bytes[40..48].copy_from_slice(&stat.accessed.0.to_le_bytes());
    bytes[48..56].copy_from_slice(&stat.modified.0.to_le_bytes());
    bytes[56..].copy_from_slice(&stat.changed.0.to_le_bytes());
    m.write(out, &bytes)
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn of_descriptor(p: &Process, m: &mut Memory<'_>, fd: u64, out: u64) -> Done {
    let descriptor = p.descriptors.with(fd, Rights::FD_FILESTAT_GET)?;
    match &descriptor.description.object {
        Object::File(file) | Object::Directory(file) => write(m, out, &file.stat()?),
        Object::Device(_, stat) => write(m, out, stat),
        Object::PipeRead(_)
        | Object::PipeWrite(_)
        | Object::PipeBoth(..)
        | Object::Input(_)
        | Object::Output(_) => {
            let mut bytes = [0; 64];
            bytes[16] = filetype(&descriptor.description);
            bytes[24] = 1;
            m.write(out, &bytes)
        }
    }
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn set_size(p: &Process, fd: u64, size: u64) -> Done {
    let descriptor = p.descriptors.with(fd, Rights::FD_FILESTAT_SET_SIZE)?;
    if size > i64::MAX as u64 {
        return Err(Errno::Invalid);
    }
    match &descriptor.description.object {
        Object::File(file) => Ok(file.set_size(size, p.system.now())?),
        Object::Directory(_) => Err(Errno::BadDescriptor),
        Object::Device(..) => Err(Errno::Invalid),
        Object::PipeRead(_) | Object::PipeWrite(_) | Object::PipeBoth(..) => Err(Errno::Invalid),
        Object::Input(_) | Object::Output(_) => Err(Errno::Invalid),
    }
}

/// Parses the times to set from the flags of a call.
fn times(accessed: u64, modified: u64, flags: u64) -> Result<(SetTime, SetTime), Errno> {
    let one = |given: u64, flags: u64| match flags & 0b11 {
        0b00 => Ok(SetTime::Omit),
        0b01 => Ok(SetTime::At(Time(given))),
        0b10 => Ok(SetTime::Now),
        _ => Err(Errno::Invalid),
    };
    if flags & !0b1111 != 0 {
        return Err(Errno::Invalid);
    }
    Ok((one(accessed, flags)?, one(modified, flags >> 2)?))
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn set_times(p: &Process, fd: u64, accessed: u64, modified: u64, flags: u64) -> Done {
    let descriptor = p.descriptors.with(fd, Rights::FD_FILESTAT_SET_TIMES)?;
    let (accessed, modified) = times(accessed, modified, flags)?;
    match &descriptor.description.object {
        Object::File(file) | Object::Directory(file) => {
            if let Some(path) = &descriptor.description.outside {
                p.note_change("utimes", path)?;
            }
            Ok(file.set_times(accessed, modified, p.system.now())?)
        }
        Object::Device(..) => Ok(()),
        Object::PipeRead(_) | Object::PipeWrite(_) | Object::PipeBoth(..) => {
            Err(Errno::BadDescriptor)
        }
        Object::Input(_) | Object::Output(_) => Err(Errno::BadDescriptor),
    }
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn of_path(
    p: &Process,
    m: &mut Memory<'_>,
    fd: u64,
    flags: u64,
    path: (u64, u64),
    out: u64,
) -> Done {
    let stat = {
        let at = resolve(p, m, fd, path, Rights::PATH_FILESTAT_GET)?;
        p.system.files(p.pid).stat(at.at(follow(flags)))?
    };
    write(m, out, &stat)
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn set_path_times(
    p: &Process,
    m: &Memory<'_>,
    fd: u64,
    flags: u64,
    path: (u64, u64),
    (accessed, modified): (u64, u64),
    time_flags: u64,
) -> Done {
    let at = resolve(p, m, fd, path, Rights::PATH_FILESTAT_SET_TIMES)?;
    let (accessed, modified) = times(accessed, modified, time_flags)?;
    p.change("utimes", at.at(follow(flags)))?;
    Ok(p.system.files(p.pid).set_times(at.at(follow(flags)), accessed, modified)?)
}

/// Parses the treatment of a link at the end of a path.
pub(super) fn follow(flags: u64) -> Follow {
    if flags & 1 != 0 { Follow::Link } else { Follow::Never }
}
