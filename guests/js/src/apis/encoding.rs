//! Text encodings by `encoding_rs`.

pub(super) mod base64;

use encoding_rs::{Decoder, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};
use rquickjs::class::{JsClass, Trace, Tracer, Writable};
use rquickjs::function::Constructor;
use rquickjs::{Array, Class, Ctx, Function, JsLifetime, Object, Result, TypedArray, Value};

use crate::apis::base::bytes::{self, Bytes};
use crate::apis::base::text::Text;
use crate::ranges;

pub fn natives<'js>(ctx: &Ctx<'js>, native: &Object<'js>) -> Result<()> {
    native.set("encodingName", Function::new(ctx.clone(), encoding_name)?)?;
    native.set("newDecoder", Function::new(ctx.clone(), new_decoder)?)?;
    native.set("decode", Function::new(ctx.clone(), decode)?)?;
    native.set("encode", Function::new(ctx.clone(), encode)?)?;
    native.set("encodeInto", Function::new(ctx.clone(), encode_into)?)
}

/// Returns the standard's name for a label, in lower case; `None` if it is unknown.
fn encoding_name(label: Text) -> Option<String> {
    let encoding = Encoding::for_label_no_replacement(label.0.as_bytes())?;
    Some(encoding.name().to_ascii_lowercase())
}

/// A decoder between two chunks of a stream.
struct Decoding(Decoder);

impl<'js> Trace<'js> for Decoding {
    fn trace<'a>(&self, _: Tracer<'a, 'js>) {}
}

// SAFETY: holds no JavaScript value.
unsafe impl<'js> JsLifetime<'js> for Decoding {
    type Changed<'to> = Decoding;
}

impl<'js> JsClass<'js> for Decoding {
    const NAME: &'static str = "Decoding";
    type Mutable = Writable;

    fn constructor(_: &Ctx<'js>) -> Result<Option<Constructor<'js>>> {
        Ok(None)
    }
}

fn new_decoder<'js>(
    ctx: Ctx<'js>,
    label: String,
    ignore_bom: bool,
) -> Result<Option<Class<'js, Decoding>>> {
    let Some(encoding) = Encoding::for_label_no_replacement(label.as_bytes()) else {
        return Ok(None);
    };
    if ![UTF_8, UTF_16BE, UTF_16LE].contains(&encoding) {
        ranges::need();
    }
    let decoder = if ignore_bom {
        encoding.new_decoder_without_bom_handling()
    } else {
        encoding.new_decoder_with_bom_removal()
    };
    Class::instance(ctx, Decoding(decoder)).map(Some)
}

/// Returns the text of one chunk; `None` if `fatal` and the bytes are malformed.
fn decode<'js>(
    decoding: Class<'js, Decoding>,
    chunk: Bytes,
    last: bool,
    fatal: bool,
) -> Option<String> {
    let mut decoding = decoding.borrow_mut();
    let decoder = &mut decoding.0;
    let room = decoder.max_utf8_buffer_length(chunk.0.len())?;
    let mut text = String::with_capacity(room);
    if fatal {
        let (result, _) = decoder.decode_to_string_without_replacement(&chunk.0, &mut text, last);
        (result == DecoderResult::InputEmpty).then_some(text)
    } else {
        let _ = decoder.decode_to_string(&chunk.0, &mut text, last);
        Some(text)
    }
}

fn encode(ctx: Ctx<'_>, text: Text) -> Result<TypedArray<'_, u8>> {
    TypedArray::new_copy(ctx, text.0.as_bytes())
}

/// Writes as many whole characters as fit; `[read in UTF-16 units, written in bytes]`.
fn encode_into<'js>(ctx: Ctx<'js>, text: Text, target: TypedArray<'js, u8>) -> Result<Value<'js>> {
    let (read, written) = bytes::with_mut(&target, |room| {
        let end = text.0.floor_char_boundary(room.len());
        room[..end].copy_from_slice(&text.0.as_bytes()[..end]);
        (text.0[..end].encode_utf16().count(), end)
    })?;
    let answer = Array::new(ctx)?;
    answer.set(0, read)?;
    answer.set(1, written)?;
    Ok(answer.into_value())
}
