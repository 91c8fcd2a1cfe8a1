//! Writes console output to the host.

pub(super) mod inspect;

use rquickjs::{Ctx, Function, Object, Result};

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
    )
}
