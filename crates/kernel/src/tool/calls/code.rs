//! Compiled code of a tool, kept for its next run.

use cofferdam_abi::entry::MAX_CODE;
use cofferdam_abi::wire::{Malformed, Reader};

use crate::shared::crossing::Reply;
use crate::tool::kernel::{Kernel, Served};

/// Keeps the code once, and only if it was asked for. The guest hands it over before the tool runs,
/// so the tool cannot change it.
// T-CELL-027: code kept from one run for the next.
pub(super) fn keep(kernel: &mut Kernel, fields: &mut Reader<'_>) -> Served {
    let code = fields.take(fields.remaining())?;
    let Some(place) = kernel.settings.code.take() else {
        return Err(Malformed::new("code that nobody asked for", 0).into());
    };
    if code.len() <= MAX_CODE {
        // Two runs may have begun without code; both compiled the same.
        let _ = place.set(code.into());
    }
    Ok(Reply::Done)
}
