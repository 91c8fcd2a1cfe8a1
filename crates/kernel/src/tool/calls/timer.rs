//! Timers, and giving up on pending calls.

use cofferdam_abi::wire::{Reader, Result};

use crate::tool::kernel::{Kernel, Reply};

pub(super) fn start(kernel: &mut Kernel, fields: &mut Reader<'_>) -> Result<Reply> {
    let delay_ms = fields.f64()?;
    Ok(kernel.start_timer(delay_ms))
}

pub(super) fn cancel(kernel: &mut Kernel, fields: &mut Reader<'_>) -> Result<Reply> {
    kernel.cancel(fields.u32()?);
    Ok(Reply::Done)
}
