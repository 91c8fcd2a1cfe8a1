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
    Ok(pack::Packer::new(ctx, limit, Target::Host)?.pack(value)?.0)
}

/// Tells the codec what objects of the web surface are.
pub(crate) fn keep_platform<'js>(ctx: &Ctx<'js>, platform: Function<'js>) -> Result<()> {
    helpers::Helpers::of(ctx)?.set_platform(platform)
}

/// Where a packed value goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// Out of the cell.
    Host,
    /// Back to the same world: what cannot be written down may be kept beside the bytes.
    Here,
}

/// First byte of a thing kept beside the bytes; its number there follows. No tag of the ABI, so
/// that none of it can be taken for a value by the host.
const KEPT: u8 = 0xff;

/// First byte of an array with members besides its items, which the ABI has no way to write: the
/// array follows, then the members like those of an object. Only for values that stay here.
const NAMED: u8 = 0xfe;

/// Unpacks what the host or [`pack`] packed.
pub fn unpack<'js>(ctx: &Ctx<'js>, bytes: &[u8]) -> Result<Value<'js>> {
    unpack::Unpacker::new(ctx, bytes, Vec::new()).unpack()
}

/// A deep copy of the value, by the rules of the web's `structuredClone`.
pub fn structured_clone<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Value<'js>> {
    let packed = pack::Packer::new(ctx, MAX_LOCAL, Target::Here).and_then(|p| p.pack(value));
    match packed {
        Ok((bytes, kept)) => unpack::Unpacker::new(ctx, &bytes, kept).unpack(),
        Err(Failed::Threw(error)) => Err(error),
        Err(Failed::TooLong) => Err(crate::apis::throw_dom_exception(
            ctx,
            "DataCloneError",
            "the value is too large to be cloned",
        )),
    }
}
