//! Timers, and cancelling pending calls.

use cofferdam_abi::wire::Reader;

use crate::shared::crossing::Reply;
use crate::tool::kernel::{Kernel, Served};

pub(super) fn start(kernel: &mut Kernel, fields: &mut Reader<'_>) -> Served {
    let delay_ms = fields.f64()?;
    kernel.start_timer(delay_ms)
}

pub(super) fn cancel(kernel: &mut Kernel, fields: &mut Reader<'_>) -> Served {
    kernel.cancel(fields.u32()?);
    Ok(Reply::Done)
}
