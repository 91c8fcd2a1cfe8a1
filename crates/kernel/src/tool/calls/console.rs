//! Output of a tool.

use cofferdam_abi::wire::Reader;

use crate::shared::crossing::Reply;
use crate::shared::output::Stream;
use crate::tool::kernel::{Kernel, Served};

pub(super) fn write(kernel: &mut Kernel, fields: &mut Reader<'_>) -> Served {
    let stream = match fields.u8()? {
        1 => Stream::Out,
        2 => Stream::Err,
        _ => return Err(fields.malformed("unknown stream").into()),
    };
    let text = fields.take(fields.remaining())?;
    kernel.print(stream, text);
    Ok(Reply::Done)
}
