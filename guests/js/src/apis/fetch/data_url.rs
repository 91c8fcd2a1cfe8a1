//! The content of `data:` URLs.

use base64_simd::forgiving_decode_to_vec;
use rquickjs::{Ctx, Function, Object, Result, TypedArray};

use crate::apis::base::text::Text;

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("dataBytes", Function::new(ctx.clone(), data_bytes)?)
}

/// Returns the bytes that follow the comma; `None` if they should be base64 and are not.
fn data_bytes<'js>(
    ctx: Ctx<'js>,
    text: Text,
    is_base64: bool,
) -> Result<Option<TypedArray<'js, u8>>> {
    let mut bytes = percent_decoded(text.0.as_bytes());
    if is_base64 {
        let Ok(decoded) = forgiving_decode_to_vec(&bytes) else { return Ok(None) };
        bytes = decoded;
    }
    TypedArray::new_copy(ctx, bytes).map(Some)
}

/// Decodes every `%` with two hexadecimal digits to one byte; other `%` stay.
fn percent_decoded(text: &[u8]) -> Vec<u8> {
    let digit = |at: usize| text.get(at).and_then(|byte| char::from(*byte).to_digit(16));
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                bytes.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                bytes.push(byte);
                at += 1;
            }
        }
    }
    bytes
}
