//! Processes and signals: waiting, killing, the process's own state.

use std::sync::atomic::Ordering;

use cofferdam_abi::process::{self as abi, Cap, Myself};
use cofferdam_abi::wire::{Malformed, Writer};
use cofferdam_cell::Leave;
use cofferdam_vfs::raw;

use super::{CallFailure, Served};
use crate::program::errno::Errno;
use crate::program::process::Process;
use crate::program::system::Environment;
use crate::program::table::{Sent, Waited};
use crate::shared::crossing::CallIo;
use crate::shared::lock::lock;

/// Longest environment that is kept for the next run.
const MAX_ENVIRONMENT: usize = 2 << 20;

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn poll_wait(process: &Process, io: &mut CallIo<'_, '_>) -> Served {
    let (pid, flags) = (io.fields.u32()?, io.fields.u8()?);
    io.fields.end()?;
    // Whoever changes the table wakes the process: a child that ends, a signal that comes.
    let mut table = lock(&process.system.table);
    let (pid, status) = match table.wait(process.pid, pid)? {
        Waited::Ended { pid, status } => (pid, status),
        Waited::NotYet if flags & 1 != 0 => (0, 0),
        Waited::NotYet if table.has_signals(process.pid) => return Err(Errno::Interrupted.into()),
        Waited::NotYet => return Err(CallFailure::Waits),
    };
    io.answer.extend_from_slice(&pid.to_le_bytes());
    io.answer.extend_from_slice(&status.to_le_bytes());
    Ok(())
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn kill(process: &Process, io: &mut CallIo<'_, '_>) -> Served {
    let (pid, signal) = (io.fields.u32()?, io.fields.u8()?);
    let sent = lock(&process.system.table).send(process.pid, pid, signal)?;
    match sent {
        Sent::Done => Ok(()),
        Sent::KillsSender => Err(CallFailure::Leave(Leave::Signal(signal))),
    }
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn myself(process: &mut Process, io: &mut CallIo<'_, '_>) -> Served {
    let state = std::mem::take(&mut process.state);
    let mut w = Writer::onto(std::mem::take(io.answer));
    Myself {
        pid: process.pid,
        parent: process.parent,
        cwd: &raw::bytes(&process.cwd),
        state: &state,
        ignored: lock(&process.system.table).ignored(process.pid).0,
        argv: process.argv.iter().map(Vec::as_slice).collect(),
        env: process.env.iter().map(Vec::as_slice).collect(),
        open: process.descriptors.numbers().collect(),
        now: process.system.now().0,
    }
    .write(&mut w);
    *io.answer = w.finish();
    Ok(())
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn mask(process: &mut Process, io: &mut CallIo<'_, '_>) -> Served {
    let had = std::mem::replace(&mut process.mask, io.fields.u32()? & 0o777);
    io.answer.extend_from_slice(&had.to_le_bytes());
    Ok(())
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn take_signals(process: &Process, io: &mut CallIo<'_, '_>) -> Served {
    io.answer.extend(lock(&process.system.table).take_signals(process.pid));
    Ok(())
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn set_signals(process: &Process, io: &mut CallIo<'_, '_>) -> Served {
    let (caught, ignored) = (io.fields.u64()?, io.fields.u64()?);
    lock(&process.system.table).set_signals(process.pid, caught, ignored);
    Ok(())
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn keep_environment(process: &Process, io: &mut CallIo<'_, '_>) -> Served {
    let len = io.fields.remaining();
    let given = abi::Environment::read(io.fields)?;
    if process.parent == 0 && len <= MAX_ENVIRONMENT {
        let variables = given.variables.iter().map(|bytes| bytes.to_vec()).collect();
        let kept = Environment { cwd: given.cwd.to_vec(), variables };
        *lock(&process.system.environment) = Some(kept);
    }
    Ok(())
}

/// Notes a cap of the program's own; it counts if the run fails.
#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn cap_hit(process: &Process, io: &mut CallIo<'_, '_>) -> Served {
    let (which, allowed) = (io.fields.u8()?, io.fields.u64()?);
    let caps = &process.system.caps;
    match Cap::from_number(which) {
        Some(Cap::Depth) => caps.0.store(allowed.max(1), Ordering::Relaxed),
        Some(Cap::Expansion) => caps.1.store(allowed.max(1), Ordering::Relaxed),
        None => return Err(Malformed::new("unknown cap", 0).into()),
    }
    Ok(())
}
