//! Values to bytes and back: what crosses the gate, and `structuredClone` inside the guest.

mod helpers;
mod pack;
mod unpack;

use rquickjs::{Ctx, Error, Function, Result, Value};

pub use helpers::install;

/// Longest copy that `structuredClone` makes; past it memory is the limit anyway.
const MAX_LOCAL: usize = 1 << 30;

/// Why a value was not packed.
pub enum Failed {
    /// It would be longer than allowed.
    TooLong,
    /// An exception is pending: it cannot be cloned, or one of its getters threw.
    Threw(Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Failed::Threw(error)
    }
}

/// A JavaScript function taken at init, out of a tool's reach.
pub(crate) fn helper<'js>(ctx: &Ctx<'js>, name: &str) -> Result<Function<'js>> {
    helpers::Helpers::of(ctx)?.get(name)
}

/// Packs a value into at most `limit` bytes.
pub fn pack<'js>(
    ctx: &Ctx<'js>,
    value: Value<'js>,
    limit: usize,
) -> std::result::Result<Vec<u8>, Failed> {
    pack::Packer::new(ctx, limit)?.pack(value)
}

/// Unpacks what the host or [`pack`] packed.
pub fn unpack<'js>(ctx: &Ctx<'js>, bytes: &[u8]) -> Result<Value<'js>> {
    unpack::Unpacker::new(ctx, bytes).unpack()
}

/// A deep copy of the value, by the rules of the web's `structuredClone`.
pub fn structured_clone<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Value<'js>> {
    match pack(ctx, value, MAX_LOCAL) {
        Ok(bytes) => unpack(ctx, &bytes),
        Err(Failed::Threw(error)) => Err(error),
        Err(Failed::TooLong) => Err(crate::apis::throw_dom_exception(
            ctx,
            "DataCloneError",
            "the value is too large to be cloned",
        )),
    }
}
