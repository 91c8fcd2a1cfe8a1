//! `atob` and `btoa`: base64 between strings of bytes.

use base64_simd::{STANDARD, forgiving_decode_to_vec};
use rquickjs::{Ctx, Function, Object, Result};

use crate::apis::base::text::Text;

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("btoa", Function::new(ctx.clone(), btoa)?)?;
    native.set("atob", Function::new(ctx.clone(), atob)?)
}

/// Encodes a string whose characters represent bytes; `None` if one is above U+00FF.
fn btoa(text: Text) -> Option<String> {
    let bytes: Option<Vec<u8>> = text.0.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
    Some(STANDARD.encode_to_string(bytes?))
}

/// Decodes forgiving base64 to characters U+0000 to U+00FF; `None` if it is malformed.
fn atob(text: Text) -> Option<String> {
    let bytes = forgiving_decode_to_vec(text.0.as_bytes()).ok()?;
    Some(bytes.into_iter().map(char::from).collect())
}
