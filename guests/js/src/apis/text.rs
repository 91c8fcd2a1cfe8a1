//! Strings crossing between JavaScript and Rust.

use std::mem::MaybeUninit;

use rquickjs::{Ctx, Error, FromJs, Result, Value, qjs};

/// A JavaScript string as UTF-8; lone surrogates have become U+FFFD, as WebIDL's USVString wants.
pub struct Text(pub String);

impl<'js> FromJs<'js> for Text {
    fn from_js(ctx: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        if !value.is_string() {
            return Err(Error::new_from_js(value.type_name(), "string"));
        }
        let mut len = MaybeUninit::uninit();
        // SAFETY: the value is a live string of this context; the pointer is freed below, once.
        let bytes = unsafe {
            let ptr = qjs::JS_ToCStringLen(ctx.as_raw().as_ptr(), len.as_mut_ptr(), value.as_raw());
            if ptr.is_null() {
                return Err(Error::Exception);
            }
            let bytes = std::slice::from_raw_parts(ptr.cast::<u8>(), len.assume_init()).to_vec();
            qjs::JS_FreeCString(ctx.as_raw().as_ptr(), ptr);
            bytes
        };
        Ok(Text(scrub(bytes)))
    }
}

/// QuickJS writes a lone surrogate as three bytes, and so is U+FFFD three: patched in place.
fn scrub(bytes: Vec<u8>) -> String {
    let mut bytes = match String::from_utf8(bytes) {
        Ok(text) => return text,
        Err(error) => error.into_bytes(),
    };
    let mut at = 0;
    while at + 2 < bytes.len() {
        if bytes[at] == 0xed && bytes[at + 1] >= 0xa0 {
            bytes[at..at + 3].copy_from_slice("\u{fffd}".as_bytes());
            at += 3;
        } else {
            at += 1;
        }
    }
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
