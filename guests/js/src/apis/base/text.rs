//! Strings crossing between JavaScript and Rust.

use rquickjs::{Ctx, Error, FromJs, Result, Value};

use crate::engine;

/// A JavaScript string as UTF-8; lone surrogates have become U+FFFD, as WebIDL's USVString wants.
pub struct Text(pub String);

impl<'js> FromJs<'js> for Text {
    fn from_js(_: &Ctx<'js>, value: Value<'js>) -> Result<Self> {
        if !value.is_string() {
            return Err(Error::new_from_js(value.type_name(), "string"));
        }
        with_text(&value, |text| Text(text.to_owned()))
    }
}

/// Hands `String(value)` to `f`, scrubbed as in [`Text`], without a copy where possible.
pub(crate) fn with_text<T>(value: &Value<'_>, f: impl FnOnce(&str) -> T) -> Result<T> {
    engine::with_wtf8(value, |bytes| match std::str::from_utf8(bytes) {
        Ok(text) => f(text),
        Err(_) => f(&scrub(bytes.to_vec())),
    })
}

/// Replaces lone surrogates in place: QuickJS writes one as three bytes, as long as U+FFFD.
fn scrub(mut bytes: Vec<u8>) -> String {
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
