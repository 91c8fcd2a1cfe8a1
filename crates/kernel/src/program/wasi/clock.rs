//! Clocks.

use super::Done;
use crate::program::errno::Errno;
use crate::program::memory::Memory;
use crate::program::process::Process;
use crate::shared::lock::lock;

/// A clock of WASI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Id {
    Wall,
    Monotonic,
}

impl Id {
    /// Processor time is not revealed: it would show the load of the machine.
    pub(super) fn of(number: u64) -> Result<Id, Errno> {
        match number {
            0 => Ok(Id::Wall),
            1 => Ok(Id::Monotonic),
            2 | 3 => Err(Errno::NotSupported),
            _ => Err(Errno::Invalid),
        }
    }

    pub(super) fn now(self, p: &Process) -> u64 {
        let clock = lock(&p.system.clock);
        match self {
            Id::Wall => clock.wall_ns(),
            Id::Monotonic => clock.monotonic_ns(),
        }
    }
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn resolution(m: &mut Memory<'_>, id: u64, out: u64) -> Done {
    Id::of(id)?;
    m.write(out, &1u64.to_le_bytes())
}

#[cfg_attr(target_family = "wasm", inline(never))]
pub(super) fn time(p: &Process, m: &mut Memory<'_>, id: u64, out: u64) -> Done {
    let now = Id::of(id)?.now(p);
    m.write(out, &now.to_le_bytes())
}
