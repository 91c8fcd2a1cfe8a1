//! Writes console output to the host.

pub(super) mod inspect;

use rquickjs::{Ctx, Function, Object, Result};

use crate::apis::base::bytes::Bytes;
use crate::apis::base::text::Text;
use crate::exit;
use crate::gate::{self, Stream};

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    let out = |ctx: Ctx<'_>, text: Text| write(&ctx, Stream::Out, text.0.as_bytes());
    let err = |ctx: Ctx<'_>, text: Text| write(&ctx, Stream::Err, text.0.as_bytes());
    native.set("writeOut", Function::new(ctx.clone(), out)?)?;
    native.set("writeErr", Function::new(ctx.clone(), err)?)?;
    native.set("writeBytes", Function::new(ctx.clone(), write_bytes)?)
}

/// Writes to the stream of descriptor 2, standard error, or to standard output.
fn write_bytes(ctx: Ctx<'_>, descriptor: u8, bytes: Bytes) -> Result<()> {
    write(&ctx, if descriptor == 2 { Stream::Err } else { Stream::Out }, &bytes.0)
}

/// Writes to a stream, and unwinds a tool whose output nobody reads any more.
fn write(ctx: &Ctx<'_>, stream: Stream, bytes: &[u8]) -> Result<()> {
    gate::write(stream, bytes);
    exit::check(ctx)
}
