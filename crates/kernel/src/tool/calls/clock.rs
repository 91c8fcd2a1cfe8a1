//! Wall clock and monotonic clock.

use crate::shared::crossing::Reply;
use crate::tool::kernel::{Kernel, Served};

pub(super) fn wall(kernel: &mut Kernel, answer: &mut Vec<u8>) -> Served {
    answer.extend_from_slice(&kernel.clock.wall_ms().to_le_bytes());
    Ok(Reply::Done)
}

pub(super) fn monotonic(kernel: &mut Kernel, answer: &mut Vec<u8>) -> Served {
    answer.extend_from_slice(&kernel.clock.monotonic_ms().to_le_bytes());
    Ok(Reply::Done)
}
