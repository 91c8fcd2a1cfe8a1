//! Random bytes.

use cofferdam_abi::wire::Reader;

use crate::shared::call_error::CallError;
use crate::shared::crossing::Reply;
use crate::tool::kernel::{Kernel, Served};

/// Most random bytes of one call, as in the web's `getRandomValues`.
// T-CELL-008: oversized answers and batches.
const MAX_BYTES: usize = 65_536;

pub(super) fn bytes(kernel: &mut Kernel, fields: &mut Reader<'_>, answer: &mut Vec<u8>) -> Served {
    let count = fields.u32()? as usize;
    if count > MAX_BYTES {
        return Err(fields.malformed("more bytes than one call gives").into());
    }
    let start = answer.len();
    answer.resize(start + count, 0);
    if kernel.random.fill(&mut answer[start..]) {
        return Ok(Reply::Done);
    }
    answer.truncate(start);
    let message = "the machine has no randomness to give";
    Err(CallError::new("Error", message).into())
}
