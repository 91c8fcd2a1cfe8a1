//! Writes console output to the host.

pub(super) mod inspect;

use rquickjs::{Ctx, Function, Object, Result};

use crate::apis::base::bytes::Bytes;
use crate::apis::base::text::Text;
use crate::gate::{self, Stream};

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set(
        "writeOut",
        Function::new(ctx.clone(), |text: Text| gate::write(Stream::Out, text.0.as_bytes()))?,
    )?;
    native.set(
        "writeErr",
        Function::new(ctx.clone(), |text: Text| gate::write(Stream::Err, text.0.as_bytes()))?,
    )?;
    native.set("writeBytes", Function::new(ctx.clone(), write_bytes)?)
}

/// Writes to the stream of descriptor 2, standard error, or to standard output.
fn write_bytes(descriptor: u8, bytes: Bytes) {
    gate::write(if descriptor == 2 { Stream::Err } else { Stream::Out }, &bytes.0);
}
