//! Encoding of host values.

use super::{Tag, Value};
use crate::wire::Writer;

/// Packs a value.
pub fn encode(value: &Value, w: &mut Writer) {
    match value {
        Value::Undefined => w.u8(Tag::Undefined as u8),
        Value::Null => w.u8(Tag::Null as u8),
        Value::Bool(false) => w.u8(Tag::False as u8),
        Value::Bool(true) => w.u8(Tag::True as u8),
        Value::Number(n) => {
            number(*n, w);
            w
        }
        Value::BigInt(digits) => w.u8(Tag::BigInt as u8).str(digits),
        Value::String(text) => w.u8(Tag::String as u8).str(text),
        Value::Utf16(units) => {
            w.u8(Tag::Utf16 as u8).length(units.len());
            units.iter().fold(w, |w, unit| w.u16(*unit))
        }
        Value::Ref(id) => w.u8(Tag::Ref as u8).varint(*id),
        Value::Object(fields) => {
            w.u8(Tag::Object as u8).length(fields.len());
            for (key, value) in fields {
                w.u8(Tag::String as u8).str(key);
                encode(value, w);
            }
            w
        }
        Value::Array(items) => {
            w.u8(Tag::Array as u8).length(items.len());
            items.iter().for_each(|item| encode(item, w));
            w
        }
        Value::Sparse { length, items } => {
            w.u8(Tag::Sparse as u8).u32(*length).length(items.len());
            for (index, item) in items {
                w.u32(*index);
                encode(item, w);
            }
            w
        }
        Value::Date(ms) => w.u8(Tag::Date as u8).f64(*ms),
        Value::RegExp { source, flags } => w.u8(Tag::RegExp as u8).str(source).str(flags),
        Value::Map(entries) => {
            w.u8(Tag::Map as u8).length(entries.len());
            for (key, value) in entries {
                encode(key, w);
                encode(value, w);
            }
            w
        }
        Value::Set(items) => {
            w.u8(Tag::Set as u8).length(items.len());
            items.iter().for_each(|item| encode(item, w));
            w
        }
        Value::Buffer(bytes) => w.u8(Tag::Buffer as u8).bytes(bytes),
        Value::View { kind, offset, length, buffer } => {
            w.u8(Tag::View as u8).u8(*kind as u8).u32(*offset).u32(*length);
            encode(buffer, w);
            w
        }
        Value::Error(error) => {
            w.u8(Tag::Error as u8).str(&error.name).str(&error.message).str(&error.stack);
            for part in [&error.cause, &error.errors] {
                match part {
                    Some(value) => encode(value, w.u8(1)),
                    None => drop(w.u8(0)),
                }
            }
            w
        }
        Value::Boxed(primitive) => {
            encode(primitive, w.u8(Tag::Boxed as u8));
            w
        }
    };
}

/// Packs a number; small non-negative integers take fewer bytes.
pub fn number(n: f64, w: &mut Writer) {
    let whole = n as u32;
    if f64::from(whole) == n && !(n == 0.0 && n.is_sign_negative()) {
        w.u8(Tag::Integer as u8).varint(whole);
    } else {
        w.u8(Tag::Number as u8).f64(n);
    }
}
