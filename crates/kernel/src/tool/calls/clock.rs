//! Time.

use cofferdam_abi::wire::Result;

use crate::tool::kernel::{Kernel, Reply};

pub(super) fn wall(kernel: &mut Kernel, answer: &mut Vec<u8>) -> Result<Reply> {
    answer.extend_from_slice(&kernel.clock.wall_ms().to_le_bytes());
    Ok(Reply::Done)
}

pub(super) fn monotonic(kernel: &mut Kernel, answer: &mut Vec<u8>) -> Result<Reply> {
    answer.extend_from_slice(&kernel.clock.monotonic_ms().to_le_bytes());
    Ok(Reply::Done)
}
