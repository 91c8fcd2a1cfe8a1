//! Packs values into bytes and back: for the gate, and for `structuredClone` inside the guest.

mod helpers;
mod pack;
mod unpack;

use rquickjs::{Ctx, Error, Function, IntoJs, Result, Value};

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

/// Returns `undefined`, packed.
pub(crate) fn packed_undefined() -> Vec<u8> {
    vec![cofferdam_abi::value::Tag::Undefined as u8]
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

/// Length of a view that has the length of its resizable buffer. Never sent to the host, whose
/// buffers are not resizable.
const TRACKING: u32 = u32::MAX;

/// Unpacks bytes made by the host or by [`pack`].
pub fn unpack<'js>(ctx: &Ctx<'js>, bytes: &[u8]) -> Result<Value<'js>> {
    unpack::Unpacker::new(ctx, bytes, Vec::new()).unpack()
}

/// Returns a deep copy of the value, by the rules of the web's `structuredClone`.
pub fn structured_clone<'js>(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Value<'js>> {
    transfer_clone(ctx, value, &[], |_| Ok(()))
}

/// Returns a deep copy of the value, with objects of `list` replaced by what `take_over` returns
/// for them, by index. `take_over` runs only if the rest of the value can be copied.
pub fn transfer_clone<'js, T: IntoJs<'js>>(
    ctx: &Ctx<'js>,
    value: Value<'js>,
    list: &[Value<'js>],
    take_over: impl Fn(usize) -> Result<T>,
) -> Result<Value<'js>> {
    let packed = pack::Packer::new(ctx, MAX_LOCAL, Target::Here)
        .and_then(|packer| packer.moving(list).pack(value));
    match packed {
        Ok((bytes, mut kept)) => {
            for (index, place) in kept.iter_mut().take(list.len()).enumerate() {
                *place = take_over(index)?.into_js(ctx)?;
            }
            unpack::Unpacker::new(ctx, &bytes, kept).unpack()
        }
        Err(Failed::Threw(error)) => Err(error),
        Err(Failed::TooLong) => Err(crate::apis::throw_dom_exception(
            ctx,
            "DataCloneError",
            "the value is too large to be cloned",
        )),
    }
}
