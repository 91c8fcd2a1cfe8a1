//! Python values to bytes and back.

use std::collections::HashMap;

use cofferdam_abi::value::{MAX_DEPTH, Tag, ViewKind, number};
use cofferdam_abi::wire::{Malformed, Reader, Writer};

use crate::module;
use crate::python::{Owned, Raised, Result, recursion_error, type_error, value_error};

/// The reason why a value was not packed.
pub(crate) enum Unpacked {
    /// More than the allowed bytes.
    TooLong,
    /// An exception is set.
    Raised,
}

impl From<Raised> for Unpacked {
    fn from(_: Raised) -> Self {
        Unpacked::Raised
    }
}

/// Packs a value into at most `most` bytes.
pub(crate) fn pack(
    value: &Owned,
    most: usize,
    w: &mut Writer,
) -> std::result::Result<(), Unpacked> {
    Packer { w, most, met: HashMap::new(), kept: Vec::new() }.value(value, 0)
}

struct Packer<'a> {
    w: &'a mut Writer,
    most: usize,
    /// Number of every list, dictionary, set and bytes object, by address.
    met: HashMap<usize, u32>,
    /// Objects made while packing, whose addresses must not be used again.
    kept: Vec<Owned>,
}

impl Packer<'_> {
    // T-CELL-012: deeply nested values: the host's stack.
    fn value(&mut self, value: &Owned, depth: usize) -> std::result::Result<(), Unpacked> {
        if depth >= MAX_DEPTH {
            let text = format!("a value is nested more than {MAX_DEPTH} levels deep");
            return Err(recursion_error(&text).into());
        }
        if self.w.len() > self.most {
            return Err(Unpacked::TooLong);
        }
        if value.is_none() {
            self.w.u8(Tag::Null as u8);
        } else if let Some(value) = value.as_bool() {
            self.w.u8(if value { Tag::True } else { Tag::False } as u8);
        } else if value.is_integer() {
            self.integer(value)?;
        } else if value.is_float() {
            number(value.as_f64()?, self.w);
        } else if value.is_text() {
            self.text(value, Tag::String, Tag::Utf16)?;
        } else if self.is_met(value) {
        } else if value.is_dict() {
            self.dict(value, depth)?;
        } else if value.is_sequence() || value.is_set() {
            let tag = if value.is_set() { Tag::Set } else { Tag::Array };
            self.number_it(value);
            let items = value.items()?;
            self.w.u8(tag as u8).length(items.len());
            for item in &items {
                self.value(item, depth + 1)?;
            }
        } else if let Some(bytes) = value.as_bytes() {
            if bytes.len() > self.most {
                return Err(Unpacked::TooLong);
            }
            self.w.u8(Tag::View as u8).u8(ViewKind::Uint8 as u8).u32(0).u32(bytes.len() as u32);
            self.w.u8(Tag::Buffer as u8).bytes(bytes);
            // The view and its buffer both have identity.
            self.number_it(value);
            let number = self.met.len() as u32;
            self.met.insert(usize::MAX - number as usize, number);
        } else {
            let plain = module::plain(value)?;
            self.value(&plain, depth + 1)?;
            self.kept.push(plain);
        }
        Ok(())
    }

    fn number_it(&mut self, value: &Owned) {
        let number = self.met.len() as u32;
        self.met.insert(value.id(), number);
    }

    /// Packs a reference to a value that occurred before.
    fn is_met(&mut self, value: &Owned) -> bool {
        let Some(number) = self.met.get(&value.id()) else { return false };
        self.w.u8(Tag::Ref as u8).varint(*number);
        true
    }

    fn integer(&mut self, value: &Owned) -> Result<()> {
        const EXACT: i64 = 1 << 53;
        match value.as_i64()? {
            Some(n) if (-EXACT..=EXACT).contains(&n) => number(n as f64, self.w),
            Some(n) => {
                self.w.u8(Tag::BigInt as u8).str(&n.to_string());
            }
            None => {
                let digits = value.digits()?;
                let text = digits.as_text()?.unwrap_or_default();
                self.w.u8(Tag::BigInt as u8).str(text);
            }
        }
        Ok(())
    }

    fn text(&mut self, value: &Owned, tag: Tag, surrogates: Tag) -> Result<()> {
        if let Some(text) = value.as_text()? {
            self.w.u8(tag as u8).str(text);
            return Ok(());
        }
        let units = value.to_utf16()?;
        self.w.u8(surrogates as u8).length(units.len());
        for unit in units {
            self.w.u16(unit);
        }
        Ok(())
    }

    fn dict(&mut self, value: &Owned, depth: usize) -> std::result::Result<(), Unpacked> {
        self.number_it(value);
        let pairs = value.pairs();
        self.w.u8(Tag::Object as u8).length(pairs.len());
        for (key, value) in &pairs {
            // As `json.dumps` does: numbers, booleans and None become text.
            match key.is_text() {
                true => self.text(key, Tag::String, Tag::Utf16Key)?,
                false => self.text(&module::key(key)?, Tag::String, Tag::Utf16Key)?,
            }
            self.value(value, depth + 1)?;
        }
        Ok(())
    }
}

/// Unpacks a value of the host.
pub(crate) fn unpack(bytes: &[u8]) -> Result<Owned> {
    Unpacker { r: Reader::new(bytes), met: Vec::new() }.value()
}

struct Unpacker<'a> {
    r: Reader<'a>,
    met: Vec<Owned>,
}

fn malformed(error: Malformed) -> Raised {
    value_error(&error.to_string())
}

impl<'a> Unpacker<'a> {
    fn read<T>(
        &mut self,
        read: impl FnOnce(&mut Reader<'a>) -> std::result::Result<T, Malformed>,
    ) -> Result<T> {
        read(&mut self.r).map_err(malformed)
    }

    fn keep(&mut self, value: Owned) -> Owned {
        self.met.push(value.clone());
        value
    }

    fn value(&mut self) -> Result<Owned> {
        let number = self.read(Reader::u8)?;
        let tag = Tag::from_number(number).ok_or_else(|| value_error("unknown value tag"))?;
        Ok(match tag {
            Tag::Undefined | Tag::Null => Owned::none(),
            Tag::False => Owned::bool(false),
            Tag::True => Owned::bool(true),
            Tag::Number => Owned::number(self.read(Reader::f64)?)?,
            Tag::Integer => Owned::unsigned(self.read(Reader::varint)?)?,
            Tag::BigInt => Owned::integer(self.read(Reader::str)?)?,
            Tag::String => Owned::text(self.read(Reader::str)?)?,
            Tag::Utf16 => self.utf16()?,
            Tag::Ref => {
                let at = self.read(Reader::varint)? as usize;
                self.met.get(at).cloned().ok_or_else(|| value_error("reference to nothing"))?
            }
            Tag::Object => self.object()?,
            Tag::Array => {
                let count = self.read(|r| r.count(1))?;
                let list = self.keep(Owned::list()?);
                for _ in 0..count {
                    list.append(&self.value()?)?;
                }
                list
            }
            Tag::Sparse => self.sparse()?,
            Tag::Date => {
                let ms = Owned::number(self.read(Reader::f64)?)?;
                let date = module::helper(c"date", [ms])?;
                self.keep(date)
            }
            Tag::RegExp => {
                let (source, flags) = (self.read(Reader::str)?, self.read(Reader::str)?);
                let text = Owned::text(&format!("/{source}/{flags}"))?;
                self.keep(text)
            }
            Tag::Map => self.map()?,
            Tag::Set => {
                let at = self.reserve();
                let count = self.read(|r| r.count(1))?;
                let list = Owned::list()?;
                for _ in 0..count {
                    list.append(&self.value()?)?;
                }
                self.met[at] = module::helper(c"as_set", [list])?;
                self.met[at].clone()
            }
            Tag::Buffer => {
                let bytes = Owned::bytes(self.read(Reader::bytes)?)?;
                self.keep(bytes)
            }
            Tag::View => self.view()?,
            Tag::Error => self.error()?,
            Tag::Boxed => {
                let at = self.reserve();
                self.met[at] = self.value()?;
                self.met[at].clone()
            }
            Tag::Utf16Key => return Err(value_error("key outside an object")),
        })
    }

    /// Reserves the number of an object that is made after its parts.
    fn reserve(&mut self) -> usize {
        self.met.push(Owned::none());
        self.met.len() - 1
    }

    fn utf16(&mut self) -> Result<Owned> {
        let units = self.read(|r| {
            let count = r.count(2)?;
            (0..count).map(|_| r.u16()).collect::<std::result::Result<Vec<_>, _>>()
        })?;
        Owned::text_from_utf16(&units)
    }

    fn object(&mut self) -> Result<Owned> {
        let count = self.read(|r| r.count(2))?;
        let dict = self.keep(Owned::dict()?);
        for _ in 0..count {
            let key = match Tag::from_number(self.read(Reader::u8)?) {
                Some(Tag::String) => Owned::text(self.read(Reader::str)?)?,
                Some(Tag::Utf16Key) => self.utf16()?,
                _ => return Err(value_error("key that is no text")),
            };
            let value = self.value()?;
            dict.set_item(&key, &value)?;
        }
        Ok(dict)
    }

    fn sparse(&mut self) -> Result<Owned> {
        const MOST: u32 = 1 << 20;
        let (length, count) = (self.read(Reader::u32)?, self.read(|r| r.count(5))?);
        if length > MOST {
            return Err(value_error("an array with more than a million holes"));
        }
        let list = self.keep(Owned::list()?);
        let mut filled = 0;
        for _ in 0..count {
            let at = self.read(Reader::u32)?;
            for _ in filled..at.min(length) {
                list.append(&Owned::none())?;
            }
            list.append(&self.value()?)?;
            filled = at + 1;
        }
        for _ in filled..length {
            list.append(&Owned::none())?;
        }
        Ok(list)
    }

    fn map(&mut self) -> Result<Owned> {
        let count = self.read(|r| r.count(2))?;
        let dict = self.keep(Owned::dict()?);
        for _ in 0..count {
            let (key, value) = (self.value()?, self.value()?);
            dict.set_item(&key, &value)?;
        }
        Ok(dict)
    }

    fn view(&mut self) -> Result<Owned> {
        self.read(Reader::u8)?;
        let (offset, length) = (self.read(Reader::u32)? as usize, self.read(Reader::u32)? as usize);
        let at = self.reserve();
        let buffer = self.value()?;
        let all = buffer.as_bytes().ok_or_else(|| type_error("a view of nothing"))?;
        let end = offset.saturating_add(length);
        let part = all.get(offset..end).ok_or_else(|| value_error("a view past its buffer"))?;
        self.met[at] = if part.len() == all.len() { buffer.clone() } else { Owned::bytes(part)? };
        Ok(self.met[at].clone())
    }

    fn error(&mut self) -> Result<Owned> {
        let at = self.reserve();
        let parts = [self.read(Reader::str)?, self.read(Reader::str)?, self.read(Reader::str)?];
        let [name, message, _] = parts.map(Owned::text);
        for _ in 0..2 {
            if self.read(Reader::u8)? != 0 {
                self.value()?;
            }
        }
        self.met[at] = module::helper(c"error", [name?, message?])?;
        Ok(self.met[at].clone())
    }
}
