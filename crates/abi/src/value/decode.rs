//! Decoding of values from a guest, whose bytes are untrusted.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use super::{ErrorValue, MAX_DEPTH, Tag, Value, ViewKind};
use crate::wire::{Reader, Result};

/// Decodes a value that makes up the whole message.
pub fn decode(message: &[u8]) -> Result<Value> {
    let mut decoder = Decoder { r: Reader::new(message), met: Vec::new() };
    let value = decoder.value(0)?;
    decoder.r.end()?;
    Ok(value)
}

/// Most items reserved in advance for a count in a message, because nested counts multiply.
const MAX_RESERVE: usize = 256;

/// A possible target of a reference; views need the length of their buffer.
#[derive(Clone, Copy)]
enum Met {
    Other,
    Buffer(usize),
}

struct Decoder<'a> {
    r: Reader<'a>,
    met: Vec<Met>,
}

impl Decoder<'_> {
    fn tag(&mut self) -> Result<Tag> {
        let number = self.r.u8()?;
        Tag::from_number(number).ok_or(self.r.malformed("unknown value tag"))
    }

    fn value(&mut self, depth: usize) -> Result<Value> {
        if depth > MAX_DEPTH {
            return Err(self.r.malformed("value nested too deep"));
        }
        let tag = self.tag()?;
        if has_identity(tag) {
            self.met.push(Met::Other);
        }
        Ok(match tag {
            Tag::Undefined => Value::Undefined,
            Tag::Null => Value::Null,
            Tag::False => Value::Bool(false),
            Tag::True => Value::Bool(true),
            Tag::Number => Value::Number(self.r.f64()?),
            Tag::Integer => Value::Number(f64::from(self.r.varint()?)),
            Tag::BigInt => self.big_int()?,
            Tag::String => Value::String(self.r.string()?),
            Tag::Utf16 => Value::Utf16(self.utf16()?),
            Tag::Ref => self.reference()?,
            Tag::Object => self.object(depth)?,
            Tag::Array => Value::Array(self.list(depth)?),
            Tag::Sparse => self.sparse(depth)?,
            Tag::Date => Value::Date(self.r.f64()?),
            Tag::RegExp => Value::RegExp { source: self.r.string()?, flags: self.r.string()? },
            Tag::Map => self.map(depth)?,
            Tag::Set => Value::Set(self.list(depth)?),
            Tag::Buffer => self.buffer()?,
            Tag::View => self.view(depth)?,
            Tag::Error => self.error(depth)?,
            Tag::Boxed => self.boxed(depth)?,
            Tag::Utf16Key => return Err(self.r.malformed("key outside an object")),
        })
    }

    fn big_int(&mut self) -> Result<Value> {
        let digits = self.r.str()?;
        let unsigned = digits.strip_prefix('-').unwrap_or(digits);
        if unsigned.is_empty() || !unsigned.bytes().all(|b| b.is_ascii_digit()) {
            return Err(self.r.malformed("BigInt that is not decimal"));
        }
        Ok(Value::BigInt(digits.into()))
    }

    fn utf16(&mut self) -> Result<Vec<u16>> {
        let count = self.r.count(2)?;
        (0..count).map(|_| self.r.u16()).collect()
    }

    fn reference(&mut self) -> Result<Value> {
        let id = self.r.varint()?;
        if id as usize >= self.met.len() {
            return Err(self.r.malformed("reference to nothing"));
        }
        Ok(Value::Ref(id))
    }

    fn key(&mut self) -> Result<String> {
        match self.tag()? {
            Tag::String => self.r.string(),
            Tag::Utf16Key => Ok(String::from_utf16_lossy(&self.utf16()?)),
            _ => Err(self.r.malformed("key that is not text")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value> {
        let count = self.r.count(3)?;
        let mut fields = Vec::with_capacity(count.min(MAX_RESERVE));
        for _ in 0..count {
            fields.push((self.key()?, self.value(depth + 1)?));
        }
        Ok(Value::Object(fields))
    }

    fn list(&mut self, depth: usize) -> Result<Vec<Value>> {
        let count = self.r.count(1)?;
        let mut items = Vec::with_capacity(count.min(MAX_RESERVE));
        for _ in 0..count {
            items.push(self.value(depth + 1)?);
        }
        Ok(items)
    }

    fn sparse(&mut self, depth: usize) -> Result<Value> {
        let length = self.r.u32()?;
        let count = self.r.count(5)?;
        let mut items: Vec<(u32, Value)> = Vec::with_capacity(count.min(MAX_RESERVE));
        for _ in 0..count {
            let index = self.r.u32()?;
            if index >= length || items.last().is_some_and(|(last, _)| *last >= index) {
                return Err(self.r.malformed("array index out of order"));
            }
            items.push((index, self.value(depth + 1)?));
        }
        Ok(Value::Sparse { length, items })
    }

    fn map(&mut self, depth: usize) -> Result<Value> {
        let count = self.r.count(2)?;
        let mut entries = Vec::with_capacity(count.min(MAX_RESERVE));
        for _ in 0..count {
            entries.push((self.value(depth + 1)?, self.value(depth + 1)?));
        }
        Ok(Value::Map(entries))
    }

    fn buffer(&mut self) -> Result<Value> {
        let bytes = self.r.bytes()?.to_vec();
        if let Some(met) = self.met.last_mut() {
            *met = Met::Buffer(bytes.len());
        }
        Ok(Value::Buffer(bytes))
    }

    fn view(&mut self, depth: usize) -> Result<Value> {
        let kind = ViewKind::from_number(self.r.u8()?);
        let kind = kind.ok_or(self.r.malformed("unknown kind of view"))?;
        let (offset, length) = (self.r.u32()?, self.r.u32()?);
        let buffer = Box::new(self.value(depth + 1)?);
        let available = match &*buffer {
            Value::Buffer(bytes) => bytes.len(),
            Value::Ref(id) => match self.met[*id as usize] {
                Met::Buffer(len) => len,
                Met::Other => return Err(self.r.malformed("view of a value that is not a buffer")),
            },
            _ => return Err(self.r.malformed("view of a value that is not a buffer")),
        };
        let end = u64::from(offset) + u64::from(length);
        if end > available as u64 || length % kind.width() != 0 || offset % kind.width() != 0 {
            return Err(self.r.malformed("view outside its buffer"));
        }
        Ok(Value::View { kind, offset, length, buffer })
    }

    fn optional(&mut self, depth: usize) -> Result<Option<Value>> {
        match self.r.u8()? {
            0 => Ok(None),
            1 => self.value(depth + 1).map(Some),
            _ => Err(self.r.malformed("unknown mark")),
        }
    }

    fn error(&mut self, depth: usize) -> Result<Value> {
        let (name, message, stack) = (self.r.string()?, self.r.string()?, self.r.string()?);
        let (cause, errors) = (self.optional(depth)?, self.optional(depth)?);
        Ok(Value::Error(Box::new(ErrorValue { name, message, stack, cause, errors })))
    }

    fn boxed(&mut self, depth: usize) -> Result<Value> {
        let inner = self.value(depth + 1)?;
        match inner {
            Value::Bool(_)
            | Value::Number(_)
            | Value::BigInt(_)
            | Value::String(_)
            | Value::Utf16(_) => Ok(Value::Boxed(Box::new(inner))),
            _ => Err(self.r.malformed("boxed value that is not primitive")),
        }
    }
}

fn has_identity(tag: Tag) -> bool {
    match tag {
        Tag::Object
        | Tag::Array
        | Tag::Sparse
        | Tag::Date
        | Tag::RegExp
        | Tag::Map
        | Tag::Set
        | Tag::Buffer
        | Tag::View
        | Tag::Error
        | Tag::Boxed => true,
        Tag::Undefined
        | Tag::Null
        | Tag::False
        | Tag::True
        | Tag::Number
        | Tag::Integer
        | Tag::BigInt
        | Tag::String
        | Tag::Utf16
        | Tag::Ref
        | Tag::Utf16Key => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::encode;
    use crate::wire::Writer;
    use alloc::vec;

    #[track_caller]
    fn check(value: Value) {
        let mut w = Writer::new();
        encode(&value, &mut w);
        assert_eq!(decode(w.as_bytes()).as_ref(), Ok(&value));
        for cut in 0..w.len() {
            assert!(decode(&w.as_bytes()[..cut]).is_err(), "cut at {cut} was taken");
        }
    }

    #[test]
    fn every_kind_comes_back_whole() {
        check(Value::Undefined);
        check(Value::Number(-0.5));
        check(Value::Number(4294967295.0));
        check(Value::BigInt("-123456789012345678901234567890".into()));
        check(Value::Utf16(vec![0xd800, 0x61]));
        check(Value::Object(vec![("self".into(), Value::Ref(0))]));
        check(Value::Sparse { length: u32::MAX, items: vec![(7, Value::Null)] });
        check(Value::Map(vec![(Value::Date(0.0), Value::Set(vec![Value::Bool(true)]))]));
        check(Value::RegExp { source: "a+".into(), flags: "gi".into() });
        let view = |buffer| Value::View {
            kind: ViewKind::Uint16,
            offset: 2,
            length: 4,
            buffer: Box::new(buffer),
        };
        let buffer = Value::Buffer(vec![0; 6]);
        check(Value::Array(vec![buffer.clone(), view(buffer), view(Value::Ref(1))]));
        check(Value::Boxed(Box::new(Value::String("x".into()))));
        check(Value::Error(Box::new(ErrorValue {
            name: "TypeError".into(),
            message: "m".into(),
            stack: "s".into(),
            cause: Some(Value::Undefined),
            errors: None,
        })));
    }

    #[test]
    fn minus_zero_stays_minus_zero() {
        let mut w = Writer::new();
        encode(&Value::Number(-0.0), &mut w);
        let Ok(Value::Number(n)) = decode(w.as_bytes()) else { panic!("not a number") };
        assert!(n == 0.0 && n.is_sign_negative());
    }

    #[test]
    fn a_view_cannot_reach_past_its_buffer() {
        let view = Value::View {
            kind: ViewKind::Uint8,
            offset: 4,
            length: u32::MAX,
            buffer: Box::new(Value::Buffer(vec![0; 8])),
        };
        let mut w = Writer::new();
        encode(&view, &mut w);
        assert!(decode(w.as_bytes()).is_err());
    }

    #[test]
    fn a_reference_forward_is_refused() {
        let mut w = Writer::new();
        encode(&Value::Ref(0), &mut w);
        assert!(decode(w.as_bytes()).is_err());
    }

    #[test]
    fn nesting_is_bounded() {
        let mut message = vec![];
        for _ in 0..=MAX_DEPTH + 1 {
            message.extend([Tag::Array as u8, 1]);
        }
        message.push(Tag::Null as u8);
        assert!(decode(&message).is_err());
    }

    #[test]
    fn a_count_that_lies_allocates_nothing() {
        assert!(decode(&[Tag::Array as u8, 0xff, 0xff, 0xff, 0xff, 0x0f]).is_err());
    }
}
