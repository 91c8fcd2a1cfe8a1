//! Packs values into bytes and back: for the gate, and for `structuredClone` inside the guest.

mod helpers;
mod pack;
mod unpack;

use rquickjs::{Ctx, Error, Function, Result, Value};

pub use helpers::install;

/// Longest copy that `structuredClone` makes; memory runs out before it in practice.
const MAX_LOCAL: usize = 1 << 30;

/// Reason that a value was not packed.
pub enum Failed {
    /// The packed value would be longer than allowed.
    TooLong,
    /// An exception is pending: the value cannot be cloned, or one of its getters threw.
    Threw(Error),
}

impl From<Error> for Failed {
    fn from(error: Error) -> Self {
        Failed::Threw(error)
    }
}

/// Returns a JavaScript function taken at init, out of a tool's reach.
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

/// Registers the function that classifies objects of the web surface.
pub(crate) fn keep_platform<'js>(ctx: &Ctx<'js>, platform: Function<'js>) -> Result<()> {
    helpers::Helpers::of(ctx)?.set_platform(platform)
}

/// Destination of a packed value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// Out of the cell.
    Host,
    /// The same context: values that bytes cannot express may be kept beside the bytes.
    Here,
}

/// First byte of a value kept beside the bytes; its index follows. Not a tag of the ABI, so
/// that the host cannot take it for a value.
const KEPT: u8 = 0xff;

/// First byte of an array with members besides its items, which the ABI cannot express: the
/// array follows, then the members like those of an object. Never sent to the host.
const NAMED: u8 = 0xfe;

/// Unpacks bytes made by the host or by [`pack`].
pub fn unpack<'js>(ctx: &Ctx<'js>, bytes: &[u8]) -> Result<Value<'js>> {
    unpack::Unpacker::new(ctx, bytes, Vec::new()).unpack()
}

/// Returns a deep copy of the value, by the rules of the web's `structuredClone`.
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
