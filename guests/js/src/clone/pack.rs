//! JavaScript values to bytes.
//!
//! Meets T-CELL-012.

use std::collections::HashMap;

use cofferdam_abi::value::{self, MAX_DEPTH, Tag, ViewKind};
use cofferdam_abi::wire::Writer;
use rquickjs::object::Filter;
use rquickjs::{Array, ArrayBuffer, Atom, Ctx, Object, Value};

use super::helpers::{Helpers, Kind, Platform};
use super::{Failed, KEPT, NAMED, Target};
use crate::engine;

type Result<T> = std::result::Result<T, Failed>;

/// Arrays up to this length are read item by item; longer ones by their keys, so that
/// `new Array(4e9)` costs nothing.
const MAX_SCAN: usize = 1 << 20;

/// Longest place that a DataCloneError names, in bytes.
const MAX_PLACE: usize = 200;

pub(super) struct Packer<'js> {
    ctx: Ctx<'js>,
    helpers: Helpers<'js>,
    w: Writer,
    limit: usize,
    target: Target,
    /// The prototype of the last object of a class that the program itself declared.
    known_class: Option<Object<'js>>,
    /// Copies of values that bytes cannot express; the first are those that are moved.
    kept: Vec<Value<'js>>,
    /// Objects that are moved and not copied, and their places in `kept`.
    moved: HashMap<u64, u32>,
    /// Objects met so far and their numbers. Holding them keeps their addresses from being
    /// reused while getters run.
    met: HashMap<u64, u32>,
    held: Vec<Value<'js>>,
    /// On failure: the path from the failing value up to the root.
    trail: Vec<String>,
}

impl<'js> Packer<'js> {
    // T-CELL-014: a result or exception that is too long.
    pub(super) fn new(ctx: &Ctx<'js>, limit: usize, target: Target) -> Result<Self> {
        Ok(Packer {
            ctx: ctx.clone(),
            helpers: Helpers::of(ctx)?,
            w: Writer::new(),
            limit,
            target,
            known_class: None,
            kept: Vec::new(),
            moved: HashMap::new(),
            met: HashMap::new(),
            held: Vec::new(),
            trail: Vec::new(),
        })
    }

    /// Reserves places in `kept` for objects that are moved; the caller fills them.
    pub(super) fn moving(mut self, list: &[Value<'js>]) -> Self {
        for (index, value) in list.iter().enumerate() {
            self.moved.insert(identity(value), index as u32);
            self.kept.push(Value::new_undefined(self.ctx.clone()));
        }
        self
    }

    /// Returns the bytes, and the values kept beside them; none for the host.
    pub(super) fn pack(mut self, value: Value<'js>) -> Result<(Vec<u8>, Vec<Value<'js>>)> {
        match self.value(&value, 0) {
            Ok(()) => Ok((self.w.finish(), self.kept)),
            Err(Unpackable::Other(failed)) => Err(failed),
            Err(Unpackable::NotCloneable(what)) => {
                let path = place(&self.trail);
                let place = if path.is_empty() { String::new() } else { format!(" (at {path})") };
                let message = format!("{what} could not be cloned{place}");
                let error = crate::apis::throw_dom_exception(&self.ctx, "DataCloneError", &message);
                Err(Failed::Threw(error))
            }
        }
    }

    fn value(&mut self, value: &Value<'js>, depth: usize) -> Packed {
        if self.w.len() > self.limit {
            return Err(Unpackable::Other(Failed::TooLong));
        }
        if depth > MAX_DEPTH {
            return Err(Unpackable::NotCloneable(format!(
                "a value nested deeper than {MAX_DEPTH}"
            )));
        }
        if value.is_undefined() {
            self.w.u8(Tag::Undefined as u8);
        } else if value.is_null() {
            self.w.u8(Tag::Null as u8);
        } else if let Some(bool) = value.as_bool() {
            self.w.u8(if bool { Tag::True } else { Tag::False } as u8);
        } else if let Some(number) = value.as_number() {
            value::number(number, &mut self.w);
        } else if value.is_string() {
            self.string(value, Tag::Utf16)?;
        } else if value.is_big_int() {
            let digits = engine::text(value)?;
            self.w.u8(Tag::BigInt as u8).str(&digits);
        } else if value.is_symbol() {
            return Err(Unpackable::NotCloneable("a symbol".into()));
        } else if let Some(object) = value.as_object() {
            return self.object(value, object, depth);
        } else {
            return Err(Unpackable::NotCloneable("a value of unknown type".into()));
        }
        Ok(())
    }

    fn string(&mut self, value: &Value<'js>, odd: Tag) -> Packed {
        let (w, limit) = (&mut self.w, self.limit);
        let mut is_too_long = false;
        engine::with_wtf8(value, |bytes| match std::str::from_utf8(bytes) {
            _ if bytes.len() > limit => is_too_long = true,
            Ok(text) => {
                w.u8(Tag::String as u8).str(text);
            }
            Err(_) => {
                let units = utf16_of_wtf8(bytes);
                w.u8(odd as u8).length(units.len());
                for unit in units {
                    w.u16(unit);
                }
            }
        })?;
        if is_too_long { Err(Unpackable::Other(Failed::TooLong)) } else { Ok(()) }
    }

    fn object(&mut self, value: &Value<'js>, object: &Object<'js>, depth: usize) -> Packed {
        if value.is_function() {
            return Err(Unpackable::NotCloneable(function_name(object)));
        }
        let key = identity(value);
        if let Some(id) = self.met.get(&key) {
            self.w.u8(Tag::Ref as u8).varint(*id);
            return Ok(());
        }
        self.met.insert(key, self.held.len() as u32);
        self.held.push(value.clone());
        if let Some(index) = self.moved.get(&key) {
            self.w.u8(KEPT).varint(*index);
            return Ok(());
        }
        match self.helpers.classes.kind(value) {
            Kind::Object => match self.helpers.class_of(object) {
                None => self.fields(object, depth),
                // Objects of one class often follow each other.
                class if class == self.known_class => self.fields(object, depth),
                class => self.instance(object, class, depth),
            },
            Kind::Array if self.target == Target::Here => self.local_array(object, depth),
            Kind::Array => self.array(object, depth),
            Kind::Error if self.target == Target::Here => self.local_error(object, depth),
            Kind::Error => self.error(object, depth),
            Kind::Date => {
                let time: f64 = self.helpers.get("dateTime")?.call((value.clone(),))?;
                self.w.u8(Tag::Date as u8).f64(time);
                Ok(())
            }
            Kind::RegExp => {
                let parts: Array = self.helpers.get("regExpParts")?.call((value.clone(),))?;
                self.w.u8(Tag::RegExp as u8);
                for part in parts.iter::<Value>() {
                    let text = engine::text(&part?)?;
                    self.w.str(&text);
                }
                Ok(())
            }
            Kind::Map => {
                let flat: Array = self.helpers.get("mapEntries")?.call((value.clone(),))?;
                self.w.u8(Tag::Map as u8).length(flat.len() / 2);
                self.items(&flat, depth, "key or value of a Map")
            }
            Kind::Set => {
                let flat: Array = self.helpers.get("setValues")?.call((value.clone(),))?;
                self.w.u8(Tag::Set as u8).length(flat.len());
                self.items(&flat, depth, "item of a Set")
            }
            Kind::Buffer => self.buffer(value),
            Kind::DataView => self.view(value, depth),
            Kind::Boxed(which) => {
                let inner: Value = self.helpers.get("unboxed")?.call((value.clone(), which))?;
                self.w.u8(Tag::Boxed as u8);
                self.value(&inner, depth + 1)
            }
            Kind::Other if is_typed_array(value) => self.view(value, depth),
            Kind::Other if self.target == Target::Here && self.is_shared(value)? => {
                self.keep(value.clone())
            }
            Kind::Other => Err(Unpackable::NotCloneable(class_name(object))),
        }
    }

    fn is_shared(&self, value: &Value<'js>) -> rquickjs::Result<bool> {
        self.helpers.get("isShared")?.call((value.clone(),))
    }

    /// Packs an object of a class. The host gets its fields; a Blob, which would lose its
    /// content, is refused.
    fn instance(
        &mut self,
        object: &Object<'js>,
        class: Option<Object<'js>>,
        depth: usize,
    ) -> Packed {
        match (self.helpers.platform(object)?, self.target) {
            (Platform::None, _) => {
                self.known_class = class;
                self.fields(object, depth)
            }
            (Platform::Inherited, _) | (Platform::Fixed(_), Target::Host) => {
                self.fields(object, depth)
            }
            (Platform::Copied(copy), Target::Here) => self.keep(copy),
            (Platform::Fixed(name), Target::Here) => {
                Err(Unpackable::NotCloneable(format!("an object of class {name}")))
            }
            (Platform::Copied(_), Target::Host) => {
                let name = class_name(object);
                let has_content = name.ends_with(" Blob") || name.ends_with(" File");
                let advice = if has_content { " (await its text() or bytes() first)" } else { "" };
                Err(Unpackable::NotCloneable(format!("{name}{advice}")))
            }
        }
    }

    fn local_error(&mut self, object: &Object<'js>, depth: usize) -> Packed {
        match self.helpers.platform(object)? {
            Platform::Copied(copy) => self.keep(copy),
            Platform::None | Platform::Inherited | Platform::Fixed(_) => self.error(object, depth),
        }
    }

    fn keep(&mut self, copy: Value<'js>) -> Packed {
        self.w.u8(KEPT).varint(self.kept.len() as u32);
        self.kept.push(copy);
        Ok(())
    }

    fn fields(&mut self, object: &Object<'js>, depth: usize) -> Packed {
        let keys: Vec<Atom> = object
            .own_keys::<Atom>(Filter::new().string().enum_only())
            .collect::<rquickjs::Result<_>>()?;
        self.w.u8(Tag::Object as u8);
        self.members(object, keys, depth)
    }

    fn members(&mut self, object: &Object<'js>, keys: Vec<Atom<'js>>, depth: usize) -> Packed {
        self.w.length(keys.len());
        for key in keys {
            let name = key.to_value()?;
            self.string(&name, Tag::Utf16Key)?;
            let value: Value = object.get(key)?;
            self.value(&value, depth + 1).inspect_err(|_| {
                self.trail.push(format!(".{}", engine::text(&name).unwrap_or_default()));
            })?;
        }
        Ok(())
    }

    /// Packs an array with its named members, such as `index` of a match.
    fn local_array(&mut self, object: &Object<'js>, depth: usize) -> Packed {
        let length = object.get::<_, f64>("length")? as u32;
        let mut keys: Vec<Atom> = object
            .own_keys::<Atom>(Filter::new().string().enum_only())
            .collect::<rquickjs::Result<_>>()?;
        // The items come first, so that all that follows the last one has a name.
        let mut items = keys.len();
        while let Some(key) = items.checked_sub(1).and_then(|last| keys.get(last)) {
            if array_index(key)?.is_some_and(|index| index < length) {
                break;
            }
            items -= 1;
        }
        let named = keys.split_off(items);
        if named.is_empty() {
            return self.array(object, depth);
        }
        self.w.u8(NAMED);
        self.array(object, depth)?;
        self.members(object, named, depth)
    }

    fn array(&mut self, object: &Object<'js>, depth: usize) -> Packed {
        let array = Array::from_value(object.clone().into_value())?;
        // Read as a number: `Array::len` panics past 2³¹.
        let length = object.get::<_, f64>("length")? as usize;
        if length > MAX_SCAN || has_holes(&array, length)? {
            return self.sparse(object, length as u32, depth);
        }
        self.w.u8(Tag::Array as u8).length(length);
        for index in 0..length {
            let item: Value = array.get(index)?;
            self.value(&item, depth + 1).inspect_err(|_| self.trail.push(format!("[{index}]")))?;
        }
        Ok(())
    }

    fn sparse(&mut self, object: &Object<'js>, length: u32, depth: usize) -> Packed {
        let mut items = Vec::new();
        for key in object.own_keys::<Atom>(Filter::new().string().enum_only()) {
            let key = key?;
            if let Some(index) = array_index(&key)?.filter(|index| *index < length) {
                items.push((index, key));
            }
        }
        self.w.u8(Tag::Sparse as u8).u32(length).length(items.len());
        for (index, key) in items {
            let item: Value = object.get(key)?;
            self.w.u32(index);
            self.value(&item, depth + 1).inspect_err(|_| self.trail.push(format!("[{index}]")))?;
        }
        Ok(())
    }

    fn items(&mut self, flat: &Array<'js>, depth: usize, place: &str) -> Packed {
        for item in flat.iter::<Value>() {
            let item = item?;
            self.value(&item, depth + 1).inspect_err(|_| self.trail.push(format!("<{place}>")))?;
        }
        Ok(())
    }

    fn buffer(&mut self, value: &Value<'js>) -> Packed {
        let buffer = ArrayBuffer::from_value(value.clone());
        let raw = buffer.as_ref().and_then(ArrayBuffer::as_raw);
        let Some(raw) = raw else {
            return Err(Unpackable::NotCloneable("a detached ArrayBuffer".into()));
        };
        if self.target == Target::Here {
            let copy: Value = self.helpers.get("copyResizable")?.call((value.clone(),))?;
            if !copy.is_undefined() {
                return self.keep(copy);
            }
        }
        // SAFETY: nothing runs between taking the pointer and the end of the copy.
        let bytes = unsafe { raw.as_ref() };
        if self.w.len() + bytes.len() > self.limit {
            return Err(Unpackable::Other(Failed::TooLong));
        }
        self.w.u8(Tag::Buffer as u8).bytes(bytes);
        Ok(())
    }

    fn view(&mut self, value: &Value<'js>, depth: usize) -> Packed {
        let name: String = match self.helpers.classes.kind(value) {
            Kind::DataView => "DataView".into(),
            _ => self.helpers.get("viewName")?.call((value.clone(),))?,
        };
        let kind = ViewKind::NAMES.iter().find(|(_, class)| *class == name);
        let Some((kind, _)) = kind else { return Err(Unpackable::NotCloneable(name)) };
        let local = self.target == Target::Here;
        let parts: Value =
            self.helpers.get("viewParts")?.call((value.clone(), name.as_str(), local))?;
        let Some(parts) = parts.as_array() else {
            let what = format!("{name} beyond the end of its buffer");
            return Err(Unpackable::NotCloneable(what));
        };
        let (offset, length): (f64, f64) = (parts.get(1)?, parts.get(2)?);
        self.w.u8(Tag::View as u8).u8(*kind as u8).u32(offset as u32).u32(length as u32);
        self.value(&parts.get(0)?, depth + 1)
    }

    fn error(&mut self, object: &Object<'js>, depth: usize) -> Packed {
        self.w.u8(Tag::Error as u8);
        for key in ["name", "message", "stack"] {
            let part: Value = object.get(key)?;
            let text = if part.is_undefined() { String::new() } else { engine::text(&part)? };
            self.w.str(&text);
        }
        for key in ["cause", "errors"] {
            let has: bool = self.helpers.get("hasOwn")?.call((object.clone(), key))?;
            self.w.u8(u8::from(has));
            if has {
                let part: Value = object.get(key)?;
                self.value(&part, depth + 1).inspect_err(|_| self.trail.push(format!(".{key}")))?;
            }
        }
        Ok(())
    }
}

enum Unpackable {
    NotCloneable(String),
    Other(Failed),
}

type Packed = std::result::Result<(), Unpackable>;

impl From<rquickjs::Error> for Unpackable {
    fn from(error: rquickjs::Error) -> Self {
        Unpackable::Other(Failed::Threw(error))
    }
}

fn identity(value: &Value<'_>) -> u64 {
    // SAFETY: an object's value is a tagged pointer; only its address is looked at.
    unsafe { rquickjs::qjs::JS_VALUE_GET_PTR(value.as_raw()) as usize as u64 }
}

fn is_typed_array(value: &Value<'_>) -> bool {
    // SAFETY: looks at a live value.
    unsafe { rquickjs::qjs::JS_GetTypedArrayType(value.as_raw()) >= 0 }
}

fn has_holes(array: &Array<'_>, length: usize) -> rquickjs::Result<bool> {
    for index in 0..length {
        let item: Value = array.get(index)?;
        if item.is_undefined() && !array.as_object().contains_key(index as u32)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the array index that a key is, if any.
fn array_index(key: &Atom<'_>) -> rquickjs::Result<Option<u32>> {
    let name = engine::text(&key.to_value()?)?;
    Ok(name.parse::<u32>().ok().filter(|index| index.to_string() == name))
}

/// Returns the path to a value from the root, cut if it is too long.
fn place(trail: &[String]) -> String {
    let mut path = String::new();
    for step in trail.iter().rev() {
        if path.len() + step.len() > MAX_PLACE {
            path.push('…');
            break;
        }
        path.push_str(step);
    }
    path
}

fn function_name(object: &Object<'_>) -> String {
    match object.get::<_, String>("name") {
        Ok(name) if !name.is_empty() => format!("function {name}"),
        _ => {
            object.ctx().catch();
            "a function".into()
        }
    }
}

fn class_name(object: &Object<'_>) -> String {
    if object.is_promise() {
        return "a Promise (await it first)".into();
    }
    if object.is_proxy() {
        return "a Proxy".into();
    }
    let name = object.get::<_, Object>("constructor").and_then(|c| c.get::<_, String>("name"));
    match name {
        Ok(name) if !name.is_empty() => format!("an object of class {name}"),
        _ => {
            object.ctx().catch();
            "an object of this class".into()
        }
    }
}

/// Converts WTF-8, which is UTF-8 with lone surrogates in three bytes each, to UTF-16.
fn utf16_of_wtf8(bytes: &[u8]) -> Vec<u16> {
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while !rest.is_empty() {
        match std::str::from_utf8(rest) {
            Ok(text) => {
                units.extend(text.encode_utf16());
                break;
            }
            Err(error) => {
                let (good, bad) = rest.split_at(error.valid_up_to());
                units.extend(String::from_utf8_lossy(good).encode_utf16());
                let [a, b, c, ..] = *bad else { break };
                let unit =
                    u16::from(a & 0x0f) << 12 | u16::from(b & 0x3f) << 6 | u16::from(c & 0x3f);
                units.push(unit);
                rest = &bad[3..];
            }
        }
    }
    units
}
