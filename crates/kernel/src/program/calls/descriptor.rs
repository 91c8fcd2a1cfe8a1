//! Pipes, and copies of descriptors.

use super::Served;
use crate::program::descriptor::{Description, Descriptor, Object};
use crate::program::errno::Errno;
use crate::program::pipe;
use crate::program::process::Process;
use crate::shared::crossing::CallIo;

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn new_pipe(process: &mut Process, io: &mut CallIo<'_, '_>) -> Served {
    let (reader, writer) = pipe::pipe(process.system.pipe_capacity());
    let reader = Descriptor::new(Description::new(Object::PipeRead(reader), 0));
    let writer = Descriptor::new(Description::new(Object::PipeWrite(writer), 0));
    let read = process.descriptors.add(reader, 0)?;
    let write = process.descriptors.add(writer, 0).inspect_err(|_| {
        let _ = process.descriptors.close(read.into());
    })?;
    io.answer.extend_from_slice(&read.to_le_bytes());
    io.answer.extend_from_slice(&write.to_le_bytes());
    Ok(())
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn copy(process: &mut Process, io: &mut CallIo<'_, '_>) -> Served {
    let (fd, least) = (io.fields.u32()?, io.fields.u32()?);
    let descriptor = Descriptor { preopen: None, ..process.descriptors.get(fd.into())?.clone() };
    let copy = process.descriptors.add(descriptor, least)?;
    io.answer.extend_from_slice(&copy.to_le_bytes());
    Ok(())
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn replace(process: &mut Process, io: &mut CallIo<'_, '_>) -> Served {
    let (fd, to) = (io.fields.u32()?, io.fields.u32()?);
    let descriptor = Descriptor { preopen: None, ..process.descriptors.get(fd.into())?.clone() };
    if fd == to {
        return Ok(());
    }
    match process.descriptors.put(to, descriptor) {
        Ok(()) => Ok(()),
        Err(Errno::TooManyDescriptors) => Err(Errno::BadDescriptor.into()),
        Err(errno) => Err(errno.into()),
    }
}
