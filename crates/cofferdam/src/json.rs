//! Converts values to JSON, noting what JSON cannot hold, and JSON to values.
//!
//! | JavaScript | JSON |
//! |---|---|
//! | `undefined`, a hole | `null`; left out of objects, as `JSON.stringify` does |
//! | `NaN`, `Infinity` | `null` |
//! | BigInt | decimal string |
//! | Date | ISO 8601 string; `null` if invalid |
//! | RegExp | string `/source/flags` |
//! | Map | array of pairs |
//! | Set | array |
//! | ArrayBuffer, DataView, Uint8Array, Uint8ClampedArray | base64 string |
//! | BigInt64Array, BigUint64Array | array of decimal strings |
//! | other typed arrays | array of numbers |
//! | Error | object of `name`, `message`, `cause` |
//! | a reference to an enclosing object | `null` |

mod bytes;
mod date;

use cofferdam_abi::Value;
use cofferdam_abi::value::{ErrorValue, ViewKind};
use serde_json::{Map, Number, Value as Json};

/// Most that a JSON text may cost: bytes of text, plus memory for each value. Shared references are
/// written out at each place, so that a short result could otherwise expand without end.
const MAX_COST: usize = 64 << 20;

/// Cost of a value besides its text.
const VALUE_COST: usize = 32;

/// Longest path in a note.
const MAX_PATH: usize = 200;

/// Deepest nesting of a JSON text. A value itself is bounded, but written-out references can nest
/// much deeper, and every level takes host stack.
const MAX_DEPTH: usize = 1000;

/// Longest array with holes that is written out. A longer one becomes an object by index.
const MAX_HOLES: u32 = 1 << 16;

/// Most notes of one conversion.
const MAX_NOTES: usize = 100;

/// JSON, with notes on the values that it could not hold.
#[derive(Debug, Clone, PartialEq)]
pub struct Converted {
    /// The converted value.
    pub json: Json,
    /// Values that were changed.
    pub notes: Vec<Note>,
}

/// A value that JSON cannot hold and that was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// Path to the value, such as `$.items[3]`.
    pub path: String,
    /// Kind of value before the conversion.
    pub was: &'static str,
    /// Form of the value in the JSON.
    pub became: &'static str,
}

/// Converts a value to JSON, noting what JSON cannot hold.
pub fn to_json(value: &Value) -> Converted {
    let mut things = Vec::new();
    number(value, &mut things);
    let mut writer =
        Writer { things, open: Vec::new(), notes: Vec::new(), cost: 0, path: "$".into() };
    let json = writer.value(value);
    Converted { json, notes: writer.notes }
}

/// Converts JSON to a value. No information is lost, except in numbers that a double cannot hold.
pub fn from_json(json: Json) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(b) => Value::Bool(b),
        Json::Number(n) => Value::Number(n.as_f64().unwrap_or(f64::NAN)),
        Json::String(s) => Value::String(s),
        Json::Array(items) => Value::Array(items.into_iter().map(from_json).collect()),
        Json::Object(fields) => {
            Value::Object(fields.into_iter().map(|(k, v)| (k, from_json(v))).collect())
        }
    }
}

/// Lists the objects that references can point to, in the order in which references count them.
fn number<'a>(value: &'a Value, things: &mut Vec<&'a Value>) {
    match value {
        Value::Undefined
        | Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::BigInt(_)
        | Value::String(_)
        | Value::Utf16(_)
        | Value::Ref(_) => return,
        Value::Object(_)
        | Value::Array(_)
        | Value::Sparse { .. }
        | Value::Date(_)
        | Value::RegExp { .. }
        | Value::Map(_)
        | Value::Set(_)
        | Value::Buffer(_)
        | Value::View { .. }
        | Value::Error(_)
        | Value::Boxed(_) => things.push(value),
    }
    value.for_each_part(|part| number(part, things));
}

/// Returns a lower bound for the bytes of JSON text that a value itself needs, without its parts.
fn text_cost(value: &Value) -> usize {
    match value {
        Value::String(text) | Value::BigInt(text) => text.len(),
        Value::Utf16(units) => units.len() * 3,
        Value::Buffer(bytes) => bytes.len() / 3 * 4,
        Value::RegExp { source, flags } => source.len() + flags.len(),
        Value::Error(error) => error.name.len() + error.message.len(),
        _ => 0,
    }
}

struct Writer<'a> {
    things: Vec<&'a Value>,
    /// Objects being written now. A reference to one of them is a cycle.
    open: Vec<*const Value>,
    notes: Vec<Note>,
    cost: usize,
    path: String,
}

impl<'a> Writer<'a> {
    fn note(&mut self, was: &'static str, became: &'static str) {
        if self.notes.len() < MAX_NOTES {
            let path = match self.path.char_indices().nth(MAX_PATH) {
                Some((end, _)) => format!("{}…", &self.path[..end]),
                None => self.path.clone(),
            };
            self.notes.push(Note { path, was, became });
        }
    }

    fn value(&mut self, value: &'a Value) -> Json {
        if !self.afford(VALUE_COST + text_cost(value)) {
            return Json::Null;
        }
        match value {
            Value::Undefined => {
                self.note("undefined", "null");
                Json::Null
            }
            Value::Null => Json::Null,
            Value::Bool(b) => Json::Bool(*b),
            Value::Number(n) => self.number(*n),
            Value::BigInt(digits) => {
                self.note("BigInt", "decimal string");
                Json::String(digits.clone())
            }
            Value::String(text) => Json::String(text.clone()),
            Value::Utf16(units) => {
                self.note("string with lone surrogates", "string with U+FFFD in their place");
                Json::String(String::from_utf16_lossy(units))
            }
            Value::Ref(id) => self.reference(*id),
            Value::Object(_)
            | Value::Array(_)
            | Value::Sparse { .. }
            | Value::Date(_)
            | Value::RegExp { .. }
            | Value::Map(_)
            | Value::Set(_)
            | Value::Buffer(_)
            | Value::View { .. }
            | Value::Error(_)
            | Value::Boxed(_) => {
                if self.open.len() > MAX_DEPTH {
                    self.note("nested deeper than JSON output holds", "null");
                    return Json::Null;
                }
                self.open.push(value);
                let json = self.thing(value);
                self.open.pop();
                json
            }
        }
    }

    /// Charges a value about to be written. Returns false and adds a note if the budget is used up.
    fn afford(&mut self, cost: usize) -> bool {
        self.cost = self.cost.saturating_add(cost);
        let is_affordable = self.cost <= MAX_COST;
        if !is_affordable {
            self.note("more than JSON output holds", "null");
        }
        is_affordable
    }

    fn number(&mut self, n: f64) -> Json {
        if n == 0.0 && n.is_sign_negative() {
            self.note("-0", "0");
            return Json::from(0);
        }
        if n.fract() == 0.0 && n.abs() <= 9_007_199_254_740_991.0 {
            return Json::from(n as i64);
        }
        Number::from_f64(n).map_or_else(
            || {
                let was = match n {
                    f64::INFINITY => "Infinity",
                    f64::NEG_INFINITY => "-Infinity",
                    _ => "NaN",
                };
                self.note(was, "null");
                Json::Null
            },
            Json::Number,
        )
    }

    fn reference(&mut self, id: u32) -> Json {
        let Some(&thing) = self.things.get(id as usize) else { return Json::Null };
        if self.open.contains(&std::ptr::from_ref(thing)) {
            self.note("reference to something around it", "null");
            return Json::Null;
        }
        self.value(thing)
    }

    fn thing(&mut self, value: &'a Value) -> Json {
        match value {
            Value::Object(fields) => self.object(fields),
            Value::Array(items) => self.array(items.iter()),
            Value::Sparse { length, items } => self.sparse(*length, items),
            Value::Date(ms) => match date::iso(*ms) {
                Some(text) => {
                    self.note("Date", "ISO 8601 string");
                    Json::String(text)
                }
                None => {
                    self.note("invalid Date", "null");
                    Json::Null
                }
            },
            Value::RegExp { source, flags } => {
                self.note("RegExp", "string");
                Json::String(format!("/{source}/{flags}"))
            }
            Value::Map(entries) => {
                self.note("Map", "array of pairs");
                let mut pairs = Vec::with_capacity(entries.len());
                for (index, (key, value)) in entries.iter().enumerate() {
                    let pair = self.at(format!("[{index}]"), |w| w.array([key, value].into_iter()));
                    pairs.push(pair);
                }
                Json::Array(pairs)
            }
            Value::Set(items) => {
                self.note("Set", "array");
                self.array(items.iter())
            }
            Value::Buffer(bytes) => {
                self.note("ArrayBuffer", "base64 string");
                Json::String(bytes::base64(bytes))
            }
            Value::View { kind, offset, length, buffer } => {
                self.view(*kind, *offset, *length, buffer)
            }
            Value::Error(error) => self.error(error),
            Value::Boxed(inner) => self.value(inner),
            _ => Json::Null,
        }
    }

    fn at<T>(&mut self, step: String, f: impl FnOnce(&mut Self) -> T) -> T {
        let len = self.path.len();
        self.path.push_str(&step);
        let result = f(self);
        self.path.truncate(len);
        result
    }

    fn object(&mut self, fields: &'a [(String, Value)]) -> Json {
        let mut object = Map::with_capacity(fields.len());
        for (key, value) in fields {
            if !self.afford(key.len()) {
                break;
            }
            let step = format!(".{key}");
            if *value == Value::Undefined {
                self.at(step, |w| w.note("undefined", "left out"));
            } else {
                let json = self.at(step, |w| w.value(value));
                object.insert(key.clone(), json);
            }
        }
        Json::Object(object)
    }

    fn array(&mut self, items: impl Iterator<Item = &'a Value>) -> Json {
        let item = |(index, item)| self.at(format!("[{index}]"), |w| w.value(item));
        Json::Array(items.enumerate().map(item).collect())
    }

    fn sparse(&mut self, length: u32, items: &'a [(u32, Value)]) -> Json {
        if length > MAX_HOLES {
            self.note("array with holes", "object by index");
            let mut object = Map::new();
            for (index, item) in items {
                let json = self.at(format!("[{index}]"), |w| w.value(item));
                object.insert(index.to_string(), json);
            }
            return Json::Object(object);
        }
        if !self.afford(length as usize * VALUE_COST) {
            return Json::Null;
        }
        self.note("array with holes", "array with null in their place");
        let mut array = vec![Json::Null; length as usize];
        for (index, item) in items {
            array[*index as usize] = self.at(format!("[{index}]"), |w| w.value(item));
        }
        Json::Array(array)
    }

    fn view(&mut self, kind: ViewKind, offset: u32, length: u32, buffer: &'a Value) -> Json {
        let whole = match buffer {
            Value::Buffer(bytes) => Some(bytes),
            Value::Ref(id) => match self.things.get(*id as usize) {
                Some(Value::Buffer(bytes)) => Some(bytes),
                _ => None,
            },
            _ => None,
        };
        let (from, to) = (offset as usize, offset as usize + length as usize);
        let Some(shown) = whole.and_then(|bytes| bytes.get(from..to)) else { return Json::Null };
        let cost = match kind {
            ViewKind::Uint8 | ViewKind::Uint8Clamped | ViewKind::DataView => shown.len() / 3 * 4,
            _ => shown.len() / kind.width() as usize * VALUE_COST,
        };
        if !self.afford(cost) {
            return Json::Null;
        }
        match kind {
            ViewKind::Uint8 | ViewKind::Uint8Clamped | ViewKind::DataView => {
                self.note(kind.class(), "base64 string");
                Json::String(bytes::base64(shown))
            }
            _ => {
                let became = match kind {
                    ViewKind::BigInt64 | ViewKind::BigUint64 => "array of decimal strings",
                    _ => "array of numbers",
                };
                self.note(kind.class(), became);
                Json::Array(bytes::numbers(kind, shown))
            }
        }
    }

    fn error(&mut self, error: &'a ErrorValue) -> Json {
        self.note("Error", "object of name and message");
        let mut object = Map::new();
        object.insert("name".into(), error.name.clone().into());
        object.insert("message".into(), error.message.clone().into());
        for (key, part) in [("cause", &error.cause), ("errors", &error.errors)] {
            if let Some(part) = part {
                let json = self.at(format!(".{key}"), |w| w.value(part));
                object.insert(key.into(), json);
            }
        }
        Json::Object(object)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[track_caller]
    fn check(value: Value, expect: Json, notes: &[(&str, &str)]) {
        let converted = to_json(&value);
        assert_eq!(converted.json, expect);
        let got: Vec<_> = converted.notes.iter().map(|n| (n.path.as_str(), n.was)).collect();
        assert_eq!(got, notes);
    }

    #[test]
    fn what_json_holds_needs_no_note() {
        let value = from_json(json!({ "a": [1, 2.5, "x", null, true], "b": {} }));
        check(value, json!({ "a": [1, 2.5, "x", null, true], "b": {} }), &[]);
    }

    #[test]
    fn whole_numbers_are_written_without_a_point() {
        check(Value::Number(3.0), json!(3), &[]);
        check(Value::Number(1e21), json!(1e21), &[]);
    }

    #[test]
    fn numbers_that_json_lacks_become_null() {
        check(Value::Number(f64::NAN), Json::Null, &[("$", "NaN")]);
    }

    #[test]
    fn undefined_is_left_out_of_objects() {
        let value = Value::Object(vec![("a".into(), Value::Undefined)]);
        check(value, json!({}), &[("$.a", "undefined")]);
    }

    #[test]
    fn a_cycle_becomes_null_and_says_so() {
        let value = Value::Object(vec![("me".into(), Value::Ref(0))]);
        check(value, json!({ "me": null }), &[("$.me", "reference to something around it")]);
    }

    #[test]
    fn what_is_shared_is_written_twice() {
        let shared = Value::Array(vec![Value::Number(1.0)]);
        let value = Value::Object(vec![("a".into(), shared), ("b".into(), Value::Ref(1))]);
        check(value, json!({ "a": [1], "b": [1] }), &[]);
    }

    #[test]
    fn nested_sharing_does_not_explode() {
        let mut levels = vec![Value::Array(vec![Value::Null])];
        for id in 1..40 {
            levels.push(Value::Array(vec![Value::Ref(id), Value::Ref(id)]));
        }
        let converted = to_json(&Value::Array(levels));
        assert!(!converted.notes.is_empty());
    }

    #[track_caller]
    fn check_bounded(value: Value) {
        let converted = to_json(&value);
        assert!(converted.json.to_string().len() <= 2 * MAX_COST);
        assert!(converted.notes.iter().any(|n| n.was == "more than JSON output holds"));
        assert!(converted.notes.iter().all(|n| n.path.chars().count() <= MAX_PATH + 1));
    }

    #[test]
    fn a_long_text_shared_often_is_bounded() {
        let text = Value::Array(vec![Value::String("x".repeat(500_000))]);
        let mut items = vec![text];
        items.extend((0..300).map(|_| Value::Ref(1)));
        check_bounded(Value::Array(items));
    }

    #[test]
    fn holes_are_charged() {
        let holes = || Value::Sparse { length: MAX_HOLES, items: vec![] };
        check_bounded(Value::Array((0..80).map(|_| holes()).collect()));
    }

    #[test]
    fn long_keys_do_not_fill_the_notes() {
        let fields = vec![("k".repeat(900_000), Value::Array(vec![Value::Undefined; 50]))];
        let notes = to_json(&Value::Object(fields)).notes;
        assert!(notes.iter().all(|n| n.path.chars().count() <= MAX_PATH + 1));
    }

    #[test]
    fn nesting_by_references_is_bounded() {
        // Each item adds 900 levels around the one before it.
        let (mut items, mut things) = (vec![Value::Array(Vec::new())], 1);
        for _ in 0..60 {
            let around = (0..900).fold(Value::Ref(things), |inner, _| Value::Array(vec![inner]));
            things = if items.len() == 1 { 2 } else { things + 900 };
            items.push(around);
        }
        let converted = to_json(&Value::Array(items));
        let is_bounded = |n: &Note| n.was == "nested deeper than JSON output holds";
        assert!(converted.notes.iter().any(is_bounded));
    }

    #[test]
    fn views_show_their_part() {
        let view = |kind| Value::View {
            kind,
            offset: 2,
            length: 2,
            buffer: Box::new(Value::Buffer(vec![9, 9, 1, 2])),
        };
        check(view(ViewKind::Uint8), json!("AQI="), &[("$", "Uint8Array")]);
        check(view(ViewKind::Uint16), json!([513]), &[("$", "Uint16Array")]);
    }
}
