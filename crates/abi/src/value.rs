//! JavaScript values by copy: the structured clone set, with cycles and shared references.
//!
//! A packed value is a [`Tag`] followed by its fields. Every value with identity in JavaScript is
//! numbered in the order of its first occurrence, parents before children; a further occurrence is
//! [`Tag::Ref`] with that number. The guest converts directly from and to its engine's values; the
//! host uses [`Value`].

mod decode;
mod encode;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

pub use decode::decode;
pub use encode::{encode, number};

/// Deepest nesting of a value. Both sides recurse once per level, so this bounds their stacks.
pub const MAX_DEPTH: usize = 1000;

macro_rules! tags {
    ($($(#[$doc:meta])* $number:literal $variant:ident,)+) => {
        /// First byte of a packed value.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Tag {
            $($(#[$doc])* $variant = $number,)+
        }

        impl Tag {
            /// Returns the tag with this number.
            pub const fn from_number(number: u8) -> Option<Tag> {
                match number {
                    $($number => Some(Tag::$variant),)+
                    _ => None,
                }
            }
        }
    };
}

tags! {
    /// `undefined`.
    0 Undefined,
    /// `null`.
    1 Null,
    /// `false`.
    2 False,
    /// `true`.
    3 True,
    /// `f64`.
    4 Number,
    /// A number that is an integer from 0 to 2³²-1: varint.
    5 Integer,
    /// Decimal text.
    6 BigInt,
    /// UTF-8 text.
    7 String,
    /// A string with lone surrogates: count, then that many `u16`.
    8 Utf16,
    /// The numbered value that occurred earlier: varint.
    9 Ref,
    /// Count, then pairs of key (text) and value.
    10 Object,
    /// Count, then values.
    11 Array,
    /// `u32` length, count, then pairs of index (`u32`) and value; other indices are holes.
    12 Sparse,
    /// `f64` milliseconds since 1970; NaN for an invalid date.
    13 Date,
    /// Source, flags.
    14 RegExp,
    /// Count, then pairs of values.
    15 Map,
    /// Count, then values.
    16 Set,
    /// Bytes.
    17 Buffer,
    /// Kind (`u8`), offset and length in bytes (`u32`), then the buffer as a value.
    18 View,
    /// Name, message, stack, then 1 and the cause, or 0; likewise the errors of an AggregateError.
    19 Error,
    /// A primitive wrapper object, such as `new Number(1)`: the primitive as a value.
    20 Boxed,
    /// A key with lone surrogates instead of a text key; only inside [`Tag::Object`].
    21 Utf16Key,
}

/// The class of a view, which determines its element type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
#[allow(missing_docs)]
pub enum ViewKind {
    Int8 = 0,
    Uint8 = 1,
    Uint8Clamped = 2,
    Int16 = 3,
    Uint16 = 4,
    Int32 = 5,
    Uint32 = 6,
    BigInt64 = 7,
    BigUint64 = 8,
    Float32 = 9,
    Float64 = 10,
    DataView = 11,
    Float16 = 12,
}

impl ViewKind {
    /// All kinds with the names of their classes.
    pub const NAMES: [(ViewKind, &'static str); 13] = [
        (ViewKind::Int8, "Int8Array"),
        (ViewKind::Uint8, "Uint8Array"),
        (ViewKind::Uint8Clamped, "Uint8ClampedArray"),
        (ViewKind::Int16, "Int16Array"),
        (ViewKind::Uint16, "Uint16Array"),
        (ViewKind::Int32, "Int32Array"),
        (ViewKind::Uint32, "Uint32Array"),
        (ViewKind::BigInt64, "BigInt64Array"),
        (ViewKind::BigUint64, "BigUint64Array"),
        (ViewKind::Float32, "Float32Array"),
        (ViewKind::Float64, "Float64Array"),
        (ViewKind::DataView, "DataView"),
        (ViewKind::Float16, "Float16Array"),
    ];

    /// Returns the kind with this number.
    pub fn from_number(number: u8) -> Option<ViewKind> {
        Self::NAMES.get(number as usize).map(|(kind, _)| *kind)
    }

    /// Returns the name of the class in JavaScript.
    pub fn class(self) -> &'static str {
        Self::NAMES[self as usize].1
    }

    /// Returns the size of one element in bytes.
    pub const fn width(self) -> u32 {
        match self {
            ViewKind::Int8 | ViewKind::Uint8 | ViewKind::Uint8Clamped | ViewKind::DataView => 1,
            ViewKind::Int16 | ViewKind::Uint16 | ViewKind::Float16 => 2,
            ViewKind::Int32 | ViewKind::Uint32 | ViewKind::Float32 => 4,
            ViewKind::BigInt64 | ViewKind::BigUint64 | ViewKind::Float64 => 8,
        }
    }
}

/// A value on the host.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `undefined`.
    Undefined,
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A BigInt in decimal.
    BigInt(String),
    /// A string that is well-formed Unicode.
    String(String),
    /// A string with lone surrogates.
    Utf16(Vec<u16>),
    /// An earlier value with identity, numbered from 0: a parent (a cycle) or a shared value.
    Ref(u32),
    /// A plain object, in the order of its keys.
    Object(Vec<(String, Value)>),
    /// An array without holes.
    Array(Vec<Value>),
    /// An array with holes.
    Sparse {
        /// `array.length`.
        length: u32,
        /// The elements with their indices.
        items: Vec<(u32, Value)>,
    },
    /// A date, in milliseconds since 1970.
    Date(f64),
    /// A regular expression.
    RegExp {
        /// Text between the slashes.
        source: String,
        /// Flags after the slashes.
        flags: String,
    },
    /// A Map.
    Map(Vec<(Value, Value)>),
    /// A Set.
    Set(Vec<Value>),
    /// An ArrayBuffer.
    Buffer(Vec<u8>),
    /// A typed array or DataView.
    View {
        /// Class of the view.
        kind: ViewKind,
        /// Offset of the view in the buffer, in bytes.
        offset: u32,
        /// Length of the view in bytes.
        length: u32,
        /// A [`Value::Buffer`], or a [`Value::Ref`] to one.
        buffer: Box<Value>,
    },
    /// An error.
    Error(Box<ErrorValue>),
    /// A Boolean, Number, String or BigInt object.
    Boxed(Box<Value>),
}

impl Value {
    /// Passes each directly contained value to `part`, in the order of packing.
    pub fn for_each_part<'a>(&'a self, mut part: impl FnMut(&'a Value)) {
        match self {
            Value::Object(fields) => fields.iter().for_each(|(_, value)| part(value)),
            Value::Array(items) | Value::Set(items) => items.iter().for_each(part),
            Value::Sparse { items, .. } => items.iter().for_each(|(_, item)| part(item)),
            Value::Map(entries) => entries.iter().for_each(|(key, value)| {
                part(key);
                part(value);
            }),
            Value::View { buffer, .. } => part(buffer),
            Value::Error(error) => error.cause.iter().chain(&error.errors).for_each(part),
            Value::Boxed(inner) => part(inner),
            Value::Undefined
            | Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::BigInt(_)
            | Value::String(_)
            | Value::Utf16(_)
            | Value::Ref(_)
            | Value::Date(_)
            | Value::RegExp { .. }
            | Value::Buffer(_) => {}
        }
    }
}

/// A copy of an Error.
#[derive(Debug, Clone, PartialEq)]
pub struct ErrorValue {
    /// `error.name`.
    pub name: String,
    /// `error.message`.
    pub message: String,
    /// `error.stack`.
    pub stack: String,
    /// `error.cause`, if present.
    pub cause: Option<Value>,
    /// `error.errors` of an AggregateError.
    pub errors: Option<Value>,
}
