//! Bytes crossing between JavaScript and Rust.

use rquickjs::{Ctx, Error, FromJs, Result, TypedArray, Value};

/// A copy of the content of a `Uint8Array`; empty if its buffer is detached.
///
/// A copy and not a view: nothing that runs while it is held can pull the memory away.
pub struct Bytes(pub Vec<u8>);

impl<'js> FromJs<'js> for Bytes {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        let array = TypedArray::<u8>::from_js(ctx, value)?;
        // SAFETY: the slice is copied before anything can run that moves or frees it.
        let bytes = unsafe { array.as_bytes() };
        Ok(Bytes(bytes.unwrap_or_default().to_vec()))
    }
}

/// Runs `f` over the memory of a `Uint8Array` without copying it; `f` must not run JavaScript.
pub fn with_mut<'js, R>(array: &TypedArray<'js, u8>, f: impl FnOnce(&mut [u8]) -> R) -> Result<R> {
    let raw = array.as_raw().ok_or(Error::Unknown)?;
    // SAFETY: the array is alive, nothing else runs on this thread while `f` does, and `f` is not
    // given a context, so it cannot detach or resize the buffer.
    Ok(f(unsafe { &mut *raw.as_ptr() }))
}
