//! JSON values: their order, arithmetic, and texts in messages.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;

/// Deepest nesting of a value, because reading, writing and freeing values recurse.
pub(in crate::commands) const MAX_DEPTH: u32 = 1000;

#[derive(Clone, Debug, Default)]
pub(in crate::commands) enum Json {
    #[default]
    Null,
    Bool(bool),
    /// A number, with its text if that is an integer a double cannot hold.
    Num(f64, Option<Rc<str>>),
    Str(Rc<str>),
    Arr(Rc<Array>),
    Obj(Rc<Object>),
}

#[derive(Clone, Debug, Default)]
pub(in crate::commands) struct Array {
    items: Vec<Json>,
    depth: u32,
}

impl Array {
    pub(in crate::commands) fn items(&self) -> &[Json] {
        &self.items
    }

    pub(super) fn push(&mut self, item: Json) {
        self.depth = self.depth.max(item.depth() + 1);
        self.items.push(item);
    }

    /// Sets an element, filling the gap before it with null.
    pub(super) fn set(&mut self, at: usize, item: Json) {
        self.depth = self.depth.max(item.depth() + 1);
        if at >= self.items.len() {
            self.items.resize(at + 1, Json::Null);
        }
        self.items[at] = item;
    }

    /// Takes an element out for a change, so that no second reference forces a copy.
    pub(super) fn take(&mut self, at: usize) -> Json {
        self.items.get_mut(at).map_or(Json::Null, std::mem::take)
    }

    pub(super) fn into_items(self) -> Vec<Json> {
        self.items
    }
}

/// An object; its members keep the order in which they were added.
#[derive(Clone, Debug, Default)]
pub(in crate::commands) struct Object {
    places: HashMap<Rc<str>, usize>,
    members: Vec<(Rc<str>, Json)>,
    depth: u32,
}

impl Object {
    pub(in crate::commands) fn iter(&self) -> impl Iterator<Item = &(Rc<str>, Json)> {
        self.members.iter()
    }

    pub(in crate::commands) fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns a member by its place.
    pub(super) fn at(&self, at: usize) -> Option<&(Rc<str>, Json)> {
        self.members.get(at)
    }

    pub(super) fn get(&self, key: &str) -> Option<&Json> {
        self.places.get(key).map(|at| &self.members[*at].1)
    }

    pub(in crate::commands) fn insert(&mut self, key: Rc<str>, value: Json) {
        self.depth = self.depth.max(value.depth() + 1);
        match self.places.get(&key) {
            Some(at) => self.members[*at].1 = value,
            None => {
                self.places.insert(key.clone(), self.members.len());
                self.members.push((key, value));
            }
        }
    }

    /// Takes a member's value out for a change, leaving null in its place.
    pub(super) fn take(&mut self, key: &str) -> Json {
        match self.places.get(key) {
            Some(at) => std::mem::take(&mut self.members[*at].1),
            None => Json::Null,
        }
    }

    pub(super) fn remove_all(&mut self, doomed: &dyn Fn(&str) -> bool) {
        self.members.retain(|(key, _)| !doomed(key));
        self.places = self.members.iter().enumerate().map(|(at, (k, _))| (k.clone(), at)).collect();
    }

    /// Returns the members sorted by their keys.
    pub(in crate::commands) fn sorted(&self) -> Vec<&(Rc<str>, Json)> {
        let mut list: Vec<_> = self.members.iter().collect();
        list.sort_by(|a, b| a.0.cmp(&b.0));
        list
    }
}

impl FromIterator<(Rc<str>, Json)> for Object {
    fn from_iter<T: IntoIterator<Item = (Rc<str>, Json)>>(members: T) -> Self {
        let mut object = Object::default();
        members.into_iter().for_each(|(key, value)| object.insert(key, value));
        object
    }
}

impl From<f64> for Json {
    fn from(number: f64) -> Self {
        Json::Num(number, None)
    }
}

impl From<usize> for Json {
    fn from(number: usize) -> Self {
        Json::Num(number as f64, None)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Json::Str(text.into())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Json::Str(text.into())
    }
}

impl From<bool> for Json {
    fn from(truth: bool) -> Self {
        Json::Bool(truth)
    }
}

impl From<Vec<Json>> for Json {
    fn from(items: Vec<Json>) -> Self {
        let depth = items.iter().map(Json::depth).max().unwrap_or(0) + 1;
        Json::Arr(Rc::new(Array { items, depth }))
    }
}

impl From<Object> for Json {
    fn from(object: Object) -> Self {
        Json::Obj(Rc::new(object))
    }
}

impl FromIterator<Json> for Json {
    fn from_iter<T: IntoIterator<Item = Json>>(items: T) -> Self {
        Json::from(items.into_iter().collect::<Vec<_>>())
    }
}

impl PartialEq for Json {
    fn eq(&self, other: &Self) -> bool {
        self.order(other) == Ordering::Equal
    }
}

impl Json {
    /// Returns an object with these members.
    pub(super) fn object<const N: usize>(members: [(&str, Json); N]) -> Self {
        Json::from(members.into_iter().map(|(k, v)| (Rc::from(k), v)).collect::<Object>())
    }

    pub(in crate::commands) fn depth(&self) -> u32 {
        match self {
            Json::Arr(array) => array.depth,
            Json::Obj(object) => object.depth,
            Json::Null | Json::Bool(_) | Json::Num(..) | Json::Str(_) => 0,
        }
    }

    pub(super) fn is_true(&self) -> bool {
        !matches!(self, Json::Null | Json::Bool(false))
    }

    pub(super) fn kind(&self) -> &'static str {
        match self {
            Json::Null => "null",
            Json::Bool(_) => "boolean",
            Json::Num(..) => "number",
            Json::Str(_) => "string",
            Json::Arr(_) => "array",
            Json::Obj(_) => "object",
        }
    }

    /// Returns the value as compact text.
    pub(in crate::commands) fn text(&self) -> String {
        let mut out = Vec::new();
        let layout = super::write::Layout { indent: None, sort_keys: false, ascii: false };
        // Writing to memory does not fail.
        let _ = layout.write(&mut out, self, 0);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// Returns a string unquoted, and any other value as JSON.
    pub(super) fn plain(&self) -> Rc<str> {
        match self {
            Json::Str(text) => text.clone(),
            other => other.text().into(),
        }
    }

    /// Returns kind and shortened text, as they appear in error messages.
    pub(super) fn described(&self) -> String {
        format!("{} ({})", self.kind(), self.shortened(11))
    }

    pub(super) fn shortened(&self, longest: usize) -> String {
        let mut text = self.text();
        if text.len() > longest + 3 {
            let mut end = longest;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            text.truncate(end);
            text.push_str("...");
        }
        text
    }

    fn rank(&self) -> u8 {
        match self {
            Json::Null => 0,
            Json::Bool(false) => 1,
            Json::Bool(true) => 2,
            Json::Num(..) => 3,
            Json::Str(_) => 4,
            Json::Arr(_) => 5,
            Json::Obj(_) => 6,
        }
    }

    /// Returns the order of two values: null, false, true, numbers, strings, arrays, objects.
    pub(super) fn order(&self, other: &Json) -> Ordering {
        match (self, other) {
            // nan is below every number.
            (Json::Num(a, _), Json::Num(b, _)) => a.partial_cmp(b).unwrap_or(if a.is_nan() {
                Ordering::Less
            } else {
                Ordering::Greater
            }),
            (Json::Str(a), Json::Str(b)) => a.cmp(b),
            (Json::Arr(a), Json::Arr(b)) => {
                let differ = a.items.iter().zip(&b.items).map(|(a, b)| a.order(b));
                let differ = differ.into_iter().find(|order| order.is_ne());
                differ.unwrap_or_else(|| a.items.len().cmp(&b.items.len()))
            }
            (Json::Obj(a), Json::Obj(b)) => {
                let (a, b) = (a.sorted(), b.sorted());
                let keys = a.iter().map(|m| &m.0).cmp(b.iter().map(|m| &m.0));
                keys.then_with(|| {
                    let mut orders = a.iter().zip(&b).map(|(a, b)| a.1.order(&b.1));
                    orders.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
                })
            }
            _ => self.rank().cmp(&other.rank()),
        }
    }

    pub(super) fn add(self, other: Json) -> Result<Json, String> {
        Ok(match (self, other) {
            (Json::Null, other) | (other, Json::Null) => other,
            (Json::Num(a, _), Json::Num(b, _)) => (a + b).into(),
            (Json::Str(a), Json::Str(b)) => Json::from(format!("{a}{b}")),
            (Json::Arr(mut a), Json::Arr(b)) => {
                let into = Rc::make_mut(&mut a);
                b.items.iter().for_each(|item| into.push(item.clone()));
                Json::Arr(a)
            }
            (Json::Obj(mut a), Json::Obj(b)) => {
                let into = Rc::make_mut(&mut a);
                b.iter().for_each(|(key, value)| into.insert(key.clone(), value.clone()));
                Json::Obj(a)
            }
            (a, b) => return Err(cannot(&a, &b, "added")),
        })
    }

    pub(super) fn subtract(self, other: Json) -> Result<Json, String> {
        match (self, other) {
            (Json::Num(a, _), Json::Num(b, _)) => Ok((a - b).into()),
            (Json::Arr(a), Json::Arr(b)) => {
                Ok(a.items.iter().filter(|item| !b.items.contains(item)).cloned().collect())
            }
            (a, b) => Err(cannot(&a, &b, "subtracted")),
        }
    }

    pub(super) fn multiply(self, other: Json) -> Result<Json, String> {
        match (self, other) {
            (Json::Num(a, _), Json::Num(b, _)) => Ok((a * b).into()),
            (Json::Str(text), Json::Num(n, _)) | (Json::Num(n, _), Json::Str(text)) => {
                repeated(&text, n)
            }
            (Json::Obj(a), Json::Obj(b)) => Ok(Json::Obj(merged(a, &b))),
            (a, b) => Err(cannot(&a, &b, "multiplied")),
        }
    }

    pub(super) fn divide(self, other: Json) -> Result<Json, String> {
        match (self, other) {
            (a @ Json::Num(..), b @ Json::Num(0.0, _)) => {
                Err(cannot(&a, &b, "divided because the divisor is zero"))
            }
            (Json::Num(a, _), Json::Num(b, _)) => Ok((a / b).into()),
            (Json::Str(a), Json::Str(b)) => Ok(split(&a, &b)),
            (a, b) => Err(cannot(&a, &b, "divided")),
        }
    }

    pub(super) fn remainder(self, other: Json) -> Result<Json, String> {
        match (self, other) {
            (Json::Num(a, _), Json::Num(b, _)) if a.is_nan() || b.is_nan() => Ok(f64::NAN.into()),
            // Numbers outside the range of an integer saturate.
            (Json::Num(a, _), Json::Num(b, _)) if b as i64 != 0 => {
                let rest = (a as i64).unsigned_abs() % (b as i64).unsigned_abs();
                Ok(if a < 0.0 { -(rest as f64) } else { rest as f64 }.into())
            }
            (a @ Json::Num(..), b @ Json::Num(..)) => {
                Err(cannot(&a, &b, "divided (remainder) because the divisor is zero"))
            }
            (a, b) => Err(cannot(&a, &b, "divided")),
        }
    }
}

fn cannot(a: &Json, b: &Json, what: &str) -> String {
    format!("{} and {} cannot be {what}", a.described(), b.described())
}

/// Longest text that a repetition makes, in bytes.
const MAX_REPEATED: f64 = (64 << 20) as f64;

fn repeated(text: &str, times: f64) -> Result<Json, String> {
    if times.is_nan() || times <= 0.0 {
        return Ok(Json::Null);
    }
    if text.len() as f64 * times > MAX_REPEATED {
        return Err("Repeat string result too long".to_owned());
    }
    Ok(Json::from(text.repeat(times.max(1.0) as usize)))
}

fn merged(mut a: Rc<Object>, b: &Object) -> Rc<Object> {
    let into = Rc::make_mut(&mut a);
    for (key, value) in b.iter() {
        let value = match (into.take(key), value) {
            (Json::Obj(old), Json::Obj(new)) => Json::Obj(merged(old, new)),
            (_, new) => new.clone(),
        };
        into.insert(key.clone(), value);
    }
    a
}

pub(super) fn split(text: &str, separator: &str) -> Json {
    if text.is_empty() {
        return Json::from(Vec::new());
    }
    if separator.is_empty() {
        return text.chars().map(|c| Json::from(c.to_string())).collect();
    }
    text.split(separator).map(Json::from).collect()
}
