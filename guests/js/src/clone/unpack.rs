//! Bytes to JavaScript values. They come from the host or from the packer next door.

use cofferdam_abi::value::{Tag, ViewKind};
use cofferdam_abi::wire::{Malformed, Reader};
use rquickjs::{
    Array, ArrayBuffer, Ctx, Exception, IntoJs, Object, Result, String as JsString, Value,
};

use super::helpers::Helpers;
use super::{KEPT, NAMED, TRACKING};
use crate::engine;

pub(super) struct Unpacker<'js, 'a> {
    ctx: Ctx<'js>,
    r: Reader<'a>,
    met: Vec<Value<'js>>,
    /// Values that the packer kept beside the bytes; none for bytes of the host.
    kept: Vec<Value<'js>>,
}

impl<'js, 'a> Unpacker<'js, 'a> {
    pub(super) fn new(ctx: &Ctx<'js>, bytes: &'a [u8], kept: Vec<Value<'js>>) -> Self {
        Unpacker { ctx: ctx.clone(), r: Reader::new(bytes), met: Vec::new(), kept }
    }

    pub(super) fn unpack(mut self) -> Result<Value<'js>> {
        self.value()
    }

    fn read<T>(
        &mut self,
        read: impl FnOnce(&mut Reader<'a>) -> std::result::Result<T, Malformed>,
    ) -> Result<T> {
        read(&mut self.r).map_err(|e| Exception::throw_internal(&self.ctx, &e.to_string()))
    }

    fn tag(&mut self) -> Result<Tag> {
        let number = self.read(Reader::u8)?;
        self.tag_of(number)
    }

    fn tag_of(&mut self, number: u8) -> Result<Tag> {
        self.read(|r| Tag::from_number(number).ok_or(r.malformed("unknown value tag")))
    }

    fn helper<T: rquickjs::FromJs<'js>>(
        &self,
        name: &str,
        args: impl rquickjs::function::IntoArgs<'js>,
    ) -> Result<T> {
        // Looked up late: most answers are a string or a number, and need no helper.
        Helpers::of(&self.ctx)?.get(name)?.call(args)
    }

    fn value(&mut self) -> Result<Value<'js>> {
        let ctx = self.ctx.clone();
        let number = self.read(Reader::u8)?;
        if number == KEPT {
            let id = self.read(Reader::varint)? as usize;
            let kept = self.kept.get(id).cloned();
            let kept = kept.ok_or_else(|| Exception::throw_internal(&ctx, "nothing was kept"))?;
            return Ok(self.keep(kept));
        }
        if number == NAMED {
            let array = self.value()?;
            let object = array.as_object().cloned();
            let object = object.ok_or_else(|| Exception::throw_internal(&ctx, "no array"))?;
            self.members(&object)?;
            return Ok(array);
        }
        Ok(match self.tag_of(number)? {
            Tag::Undefined => Value::new_undefined(ctx),
            Tag::Null => Value::new_null(ctx),
            Tag::False => Value::new_bool(ctx, false),
            Tag::True => Value::new_bool(ctx, true),
            // Not `new_number`, which makes an integer of -0.
            Tag::Number => Value::new_float(ctx, self.read(Reader::f64)?),
            Tag::Integer => Value::new_number(ctx, f64::from(self.read(Reader::varint)?)),
            Tag::BigInt => {
                let digits = self.read(Reader::str)?;
                self.helper("newBigInt", (digits,))?
            }
            Tag::String => JsString::from_str(ctx, self.read(Reader::str)?)?.into_value(),
            Tag::Utf16 => self.utf16()?,
            Tag::Ref => {
                let id = self.read(Reader::varint)? as usize;
                let met = self.met.get(id).cloned();
                met.ok_or_else(|| Exception::throw_internal(&ctx, "reference to nothing"))?
            }
            Tag::Object => self.object()?,
            Tag::Array => {
                let count = self.read(|r| r.count(1))?;
                let array = Array::new(ctx)?;
                self.met.push(array.clone().into_value());
                for index in 0..count {
                    array.set(index, self.value()?)?;
                }
                array.into_value()
            }
            Tag::Sparse => self.sparse()?,
            Tag::Date => {
                let time = self.read(Reader::f64)?;
                let date: Value = self.helper("newDate", (time,))?;
                self.keep(date)
            }
            Tag::RegExp => {
                let (source, flags) = (self.read(Reader::str)?, self.read(Reader::str)?);
                let re: Value = self.helper("newRegExp", (source, flags))?;
                self.keep(re)
            }
            Tag::Map => self.map()?,
            Tag::Set => self.set()?,
            Tag::Buffer => {
                let bytes = self.read(Reader::bytes)?;
                let buffer = ArrayBuffer::new_copy(ctx, bytes)?;
                self.keep(buffer.into_value())
            }
            Tag::View => self.view()?,
            Tag::Error => self.error()?,
            Tag::Boxed => {
                let at = self.reserve();
                let inner = self.value()?;
                let boxed: Value = self.helper("newBox", (inner,))?;
                self.met[at] = boxed.clone();
                boxed
            }
            Tag::Utf16Key => return Err(Exception::throw_internal(&ctx, "key outside an object")),
        })
    }

    fn keep(&mut self, value: Value<'js>) -> Value<'js> {
        self.met.push(value.clone());
        value
    }

    /// Reserves the number of an object that is made after its parts.
    fn reserve(&mut self) -> usize {
        self.met.push(Value::new_undefined(self.ctx.clone()));
        self.met.len() - 1
    }

    fn utf16(&mut self) -> Result<Value<'js>> {
        let units = self.read(|r| {
            let count = r.count(2)?;
            (0..count).map(|_| r.u16()).collect::<std::result::Result<Vec<_>, _>>()
        })?;
        engine::new_utf16(&self.ctx, &units)
    }

    fn object(&mut self) -> Result<Value<'js>> {
        let object = Object::new(self.ctx.clone())?;
        self.met.push(object.clone().into_value());
        self.members(&object)?;
        Ok(object.into_value())
    }

    fn members(&mut self, object: &Object<'js>) -> Result<()> {
        let count = self.read(|r| r.count(3))?;
        for _ in 0..count {
            let key = match self.tag()? {
                Tag::Utf16Key => Key::Value(self.utf16()?),
                _ => match self.read(Reader::str)? {
                    // QuickJS finds a name that it knows by these bytes, without a string for it.
                    text if text.is_ascii() => Key::Ascii(text),
                    text => Key::Value(text.into_js(&self.ctx)?),
                },
            };
            let value = self.value()?;
            define(&self.ctx, object, &key, value)?;
        }
        Ok(())
    }

    fn sparse(&mut self) -> Result<Value<'js>> {
        let length = self.read(Reader::u32)?;
        let count = self.read(|r| r.count(5))?;
        let array = Array::new(self.ctx.clone())?;
        self.met.push(array.clone().into_value());
        // As a float: integers past 2³¹ would come out negative.
        array.as_object().set("length", f64::from(length))?;
        for _ in 0..count {
            let index = self.read(Reader::u32)?;
            let value = self.value()?;
            array.as_object().set(index, value)?;
        }
        Ok(array.into_value())
    }

    fn map(&mut self) -> Result<Value<'js>> {
        let count = self.read(|r| r.count(2))?;
        let map: Value = self.helper("newMap", ())?;
        self.met.push(map.clone());
        for _ in 0..count {
            let (key, value) = (self.value()?, self.value()?);
            self.helper::<()>("mapSet", (map.clone(), key, value))?;
        }
        Ok(map)
    }

    fn set(&mut self) -> Result<Value<'js>> {
        let count = self.read(|r| r.count(1))?;
        let set: Value = self.helper("newSet", ())?;
        self.met.push(set.clone());
        for _ in 0..count {
            let value = self.value()?;
            self.helper::<()>("setAdd", (set.clone(), value))?;
        }
        Ok(set)
    }

    fn view(&mut self) -> Result<Value<'js>> {
        let at = self.reserve();
        let kind =
            self.read(|r| ViewKind::from_number(r.u8()?).ok_or(r.malformed("unknown view")))?;
        let (offset, length) = (self.read(Reader::u32)?, self.read(Reader::u32)?);
        let buffer = self.value()?;
        let view: Value = if length == TRACKING && !self.kept.is_empty() {
            self.helper("newView", (kind.class(), buffer, offset))?
        } else {
            self.helper("newView", (kind.class(), buffer, offset, length / kind.width()))?
        };
        self.met[at] = view.clone();
        Ok(view)
    }

    fn error(&mut self) -> Result<Value<'js>> {
        let (name, message) = (self.read(Reader::str)?, self.read(Reader::str)?);
        let stack = self.read(Reader::str)?;
        let error: Value = self.helper("newError", (name, message, stack))?;
        self.met.push(error.clone());
        for key in ["cause", "errors"] {
            if self.read(Reader::u8)? == 1 {
                let part = self.value()?;
                self.helper::<()>("setHidden", (error.clone(), key, part))?;
            }
        }
        Ok(error)
    }
}

/// Name of a member.
enum Key<'a, 'js> {
    Ascii(&'a str),
    Value(Value<'js>),
}

/// Defines a property; a key like `__proto__` has no special meaning.
fn define<'js>(
    ctx: &Ctx<'js>,
    object: &Object<'js>,
    key: &Key<'_, 'js>,
    value: Value<'js>,
) -> Result<()> {
    use rquickjs::qjs;
    // SAFETY: `ctx`, `object`, `key` and `value` are live. QuickJS frees `dup`, a duplicate; the
    // atom is new and freed here; the bytes of an ASCII key are copied by `JS_NewAtomLen`.
    let done = unsafe {
        let raw = ctx.as_raw().as_ptr();
        let atom = match key {
            Key::Value(key) => qjs::JS_ValueToAtom(raw, key.as_raw()),
            Key::Ascii(text) => qjs::JS_NewAtomLen(raw, text.as_ptr().cast(), text.len() as _),
        };
        if atom == qjs::JS_ATOM_NULL as qjs::JSAtom {
            return Err(rquickjs::Error::Exception);
        }
        let dup = qjs::JS_DupValue(raw, value.as_raw());
        let done =
            qjs::JS_DefinePropertyValue(raw, object.as_raw(), atom, dup, qjs::JS_PROP_C_W_E as _);
        qjs::JS_FreeAtom(raw, atom);
        done
    };
    if done < 0 { Err(rquickjs::Error::Exception) } else { Ok(()) }
}
