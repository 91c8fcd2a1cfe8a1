//! Starting a child process: a person may have to be asked, and a module has to be compiled.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Context;

use cofferdam_abi::process as abi;
use cofferdam_cell::ProgramImage;
use cofferdam_vfs::raw;

use super::{Served, ready, skip_fields};
use crate::program::descriptor::{Descriptor, Descriptors};
use crate::program::errno::Errno;
use crate::program::process::Process;
use crate::program::spawn::{self, Launch, NotStarted};
use crate::program::system::System;
use crate::shared::crossing::CallIo;
use crate::shared::lock::lock;

/// A spawn under way. Resolves to a process that is ready to start.
pub(crate) type Spawning =
    Pin<Box<dyn Future<Output = Result<(ProgramImage<Process>, Launch), NotStarted>> + Send>>;

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn poll_spawn(
    process: &mut Process,
    io: &mut CallIo<'_, '_>,
    cx: &mut Context<'_>,
) -> Served {
    let mut spawning = match process.spawning.take() {
        Some(spawning) => {
            skip_fields(io)?;
            spawning
        }
        None => {
            let spawn = abi::Spawn::read(io.fields)?;
            io.fields.end()?;
            let (program, launch) = child_of(process, &spawn)?;
            Box::pin(find_image(process.system.clone(), process.pid, program, launch))
        }
    };
    let found = ready(spawning.as_mut().poll(cx)).inspect_err(|_| {
        process.spawning = Some(spawning);
    })?;
    let (image, launch) = found?;
    let pid = spawn::start(&process.system, process.pid, image, launch)?;
    io.answer.extend_from_slice(&pid.to_le_bytes());
    Ok(())
}

/// Checks what a child is to be before anything is made; returns its program and its launch.
fn child_of(process: &Process, spawn: &abi::Spawn<'_>) -> Result<(String, Launch), NotStarted> {
    let failed = |errno: Errno| NotStarted::plain(errno, &String::from_utf8_lossy(spawn.program));
    let (program, cwd) = (raw::text(spawn.program), raw::text(spawn.cwd));
    let mut descriptors = Descriptors::default();
    for (child, parent) in &spawn.descriptors {
        let descriptor = process.descriptors.get((*parent).into()).map_err(failed)?;
        // Preopened directories are given to a program anew.
        let descriptor = Descriptor { preopen: None, ..descriptor.clone() };
        descriptors.put(*child, descriptor).map_err(failed)?;
    }
    let owned = |list: &[&[u8]]| list.iter().map(|bytes| bytes.to_vec()).collect();
    let launch = Launch {
        argv: owned(&spawn.argv),
        env: owned(&spawn.env),
        cwd: if cwd.starts_with('/') { cwd.into_owned() } else { process.cwd.clone() },
        descriptors,
        state: spawn.state.to_vec(),
        ignored: lock(&process.system.table).ignored(process.pid),
        mask: process.mask,
        is_command: false,
        begins_in_cwd: false,
    };
    launch.check().map_err(failed)?;
    if !lock(&process.system.table).has_room() {
        process.system.note_processes();
        return Err(failed(Errno::Again));
    }
    Ok((program.into_owned(), launch))
}

/// Finds and compiles the image of a child.
async fn find_image(
    system: Arc<System>,
    pid: u32,
    program: String,
    mut launch: Launch,
) -> Result<(ProgramImage<Process>, Launch), NotStarted> {
    let found = spawn::find(&system, pid, &program, &mut launch).await?;
    launch.begins_in_cwd = found.is_module();
    let name = launch.argv.first().map_or(&[][..], Vec::as_slice);
    let name = String::from_utf8_lossy(name).into_owned();
    let image = spawn::compiled(&system, &name, found).await?;
    launch.preopen_root(&system).map_err(|errno| NotStarted::plain(errno, &program))?;
    Ok((image, launch))
}
