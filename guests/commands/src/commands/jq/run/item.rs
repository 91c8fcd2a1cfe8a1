//! The parts of an item, with their paths.

use super::super::json::{Json, MAX_DEPTH};
use super::super::paths;
use super::super::scope::{Item, Path};
use super::super::stack::Stop;

/// Returns the part of an item that a key names.
pub(in super::super) fn part(item: &Item, key: Json) -> Result<Item, Stop> {
    if matches!(item.path, Path::Lost) {
        let (key, of) = (key.shortened(11), item.value.shortened(11));
        let message =
            format!("Invalid path expression near attempt to access element {key} of {of}");
        return Err(message.into());
    }
    let value = paths::index(&item.value, &key)?;
    Ok(Item { path: item.path.then(key)?, value })
}

/// Refuses a value that is nested too deep.
pub(in super::super) fn shallow(value: Json) -> Result<Json, Stop> {
    if value.depth() > MAX_DEPTH {
        return Err(Stop::Error("Exceeds depth limit for values".into()));
    }
    Ok(value)
}

/// Returns the keys of an item's path.
pub(super) fn keys(item: &Item) -> Result<Vec<Json>, Stop> {
    if matches!(item.path, Path::Lost) {
        let shown = item.value.shortened(11);
        return Err(format!("Invalid path expression with result {shown}").into());
    }
    Ok(item.path.keys())
}

/// Returns the number of elements of a container.
pub(super) fn size(value: &Json) -> usize {
    match value {
        Json::Arr(array) => array.items().len(),
        Json::Obj(members) => members.len(),
        Json::Null | Json::Bool(_) | Json::Num(..) | Json::Str(_) => 0,
    }
}

/// Returns an element of an array or a value of an object, by its place.
pub(super) fn element(item: &Item, at: usize) -> Result<Option<Item>, Stop> {
    if matches!(item.path, Path::Lost) {
        let of = item.value.shortened(11);
        return Err(format!("Invalid path expression near attempt to iterate through {of}").into());
    }
    let path = |key: &dyn Fn() -> Json| match item.path {
        Path::Untracked => Ok(Path::Untracked),
        _ => item.path.then(key()),
    };
    let (path, value) = match &item.value {
        Json::Arr(array) => match array.items().get(at) {
            Some(value) => (path(&|| at.into())?, value),
            None => return Ok(None),
        },
        Json::Obj(members) => match members.at(at) {
            Some((key, value)) => (path(&|| Json::Str(key.clone()))?, value),
            None => return Ok(None),
        },
        Json::Null => return Err("Cannot iterate over null (null)".to_owned().into()),
        other => return Err(format!("Cannot iterate over {}", other.described()).into()),
    };
    Ok(Some(Item { path, value: value.clone() }))
}
