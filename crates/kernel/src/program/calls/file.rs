//! Files beyond WASI: whole status, modes, named pipes, space that is left.

use cofferdam_abi::process::FileStatus;
use cofferdam_abi::wire::Writer;
use cofferdam_vfs::{At, DeviceId, Follow, Kind, Mode, Stat, raw};

use super::Served;
use crate::program::errno::Errno;
use crate::program::process::Process;
use crate::shared::crossing::CallIo;

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn stat(process: &Process, io: &mut CallIo<'_, '_>) -> Served {
    let follow = if io.fields.u8()? == 0 { Follow::Never } else { Follow::Link };
    let path = path_of(process, io.fields.bytes()?)?;
    let stat = process.system.files(process.pid).stat(At::root(&path).follow(follow));
    let status = status_of(&stat.map_err(Errno::from)?);
    let mut w = Writer::onto(std::mem::take(io.answer));
    status.write(&mut w);
    *io.answer = w.finish();
    Ok(())
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn set_mode(process: &Process, io: &mut CallIo<'_, '_>) -> Served {
    let mode = Mode::new(io.fields.u32()?);
    let path = path_of(process, io.fields.bytes()?)?;
    process.change("chmod", At::root(&path))?;
    let set = process.system.files(process.pid).set_mode(At::root(&path), mode);
    Ok(set.map_err(Errno::from)?)
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn make_fifo(process: &Process, io: &mut CallIo<'_, '_>) -> Served {
    let mode = process.mode(io.fields.u32()? & 0o777);
    let path = path_of(process, io.fields.bytes()?)?;
    let made = process.system.files(process.pid).make_fifo(At::root(&path), mode);
    Ok(made.map_err(Errno::from)?)
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn space(process: &Process, io: &mut CallIo<'_, '_>) -> Served {
    let files = &process.system.setup.files;
    let (used, limits) = (files.usage(), files.limits());
    for figure in [used.bytes, limits.bytes, used.nodes, limits.nodes] {
        io.answer.extend_from_slice(&figure.to_le_bytes());
    }
    Ok(())
}

/// Returns the path of a call: absolute, or below the directory that the process was started in.
fn path_of(process: &Process, bytes: &[u8]) -> Result<String, Errno> {
    let text = raw::text(bytes);
    Ok(match &*text {
        "" => return Err(Errno::NotFound),
        text if text.starts_with('/') => text.to_owned(),
        text => format!("{}/{text}", process.cwd),
    })
}

fn status_of(stat: &Stat) -> FileStatus {
    let kind = match stat.kind {
        Kind::File => 0o100_000,
        Kind::Directory => 0o040_000,
        Kind::Link => 0o120_000,
        Kind::Device(DeviceId::FIFO) | Kind::Other => 0o010_000,
        Kind::Device(_) => 0o020_000,
    };
    FileStatus {
        mode: kind | stat.mode.bits(),
        links: stat.links.min(u64::from(u32::MAX)) as u32,
        uid: 1000,
        gid: 1000,
        device: stat.device,
        inode: stat.ino.0,
        size: stat.size,
        accessed: stat.accessed.0,
        modified: stat.modified.0,
        changed: stat.changed.0,
    }
}
