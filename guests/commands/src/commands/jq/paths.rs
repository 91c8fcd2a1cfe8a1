//! Reads, sets and deletes the parts of a value that paths name.

use std::rc::Rc;

use super::json::{Json, Object};

/// Longest array that setting an element makes.
const MAX_LENGTH: f64 = (1 << 27) as f64;

/// Returns a part of a value.
pub(super) fn index(value: &Json, key: &Json) -> Result<Json, String> {
    Ok(match (value, key) {
        (Json::Null, Json::Str(_) | Json::Num(..)) => Json::Null,
        (Json::Obj(members), Json::Str(key)) => members.get(key).cloned().unwrap_or_default(),
        (Json::Arr(array), Json::Num(at, _)) => place(*at, array.items().len())
            .and_then(|at| array.items().get(at))
            .cloned()
            .unwrap_or_default(),
        (Json::Arr(array), Json::Arr(part)) => indices_of(array.items(), part.items()),
        (Json::Null | Json::Arr(_) | Json::Str(_), Json::Obj(range)) => return slice(value, range),
        (value, Json::Str(key)) => {
            return Err(format!("Cannot index {} with \"{key}\"", value.kind()));
        }
        (value, key) => return Err(format!("Cannot index {} with {}", value.kind(), key.kind())),
    })
}

/// Returns the place that an index names, counting from the end if it is negative.
fn place(at: f64, len: usize) -> Option<usize> {
    let at = if at < 0.0 { at.floor() + len as f64 } else { at.floor() };
    (at >= 0.0).then_some(at as usize)
}

fn indices_of(items: &[Json], part: &[Json]) -> Json {
    if part.is_empty() {
        return Json::Null;
    }
    let found = items.windows(part.len()).enumerate().filter(|(_, window)| *window == part);
    found.map(|(at, _)| Json::from(at)).collect()
}

/// Returns the bounds of a slice of something of this length.
fn bounds(range: &Object, len: usize) -> Result<(usize, usize), String> {
    let bound = |name: &str, default: f64| match range.get(name) {
        None | Some(Json::Null) => Ok(default),
        Some(Json::Num(at, _)) => Ok(*at),
        Some(_) => Err("Start and end indices of an array slice must be numbers".to_owned()),
    };
    let total = len as f64;
    let clamp = |at: f64| if at < 0.0 { (at + total).max(0.0) } else { at.min(total) };
    let start = clamp(bound("start", 0.0)?).floor();
    let end = clamp(bound("end", total)?).ceil();
    Ok((start as usize, end.max(start) as usize))
}

fn slice(value: &Json, range: &Object) -> Result<Json, String> {
    Ok(match value {
        Json::Arr(array) => {
            let (start, end) = bounds(range, array.items().len())?;
            array.items()[start..end].to_vec().into()
        }
        Json::Str(text) => {
            let (start, end) = bounds(range, text.chars().count())?;
            Json::from(text.chars().skip(start).take(end - start).collect::<String>())
        }
        _ => bounds(range, 0).map(|_| Json::Null)?,
    })
}

/// Returns the value with the part at the path replaced by what `change` makes of it.
pub(super) fn update<E: From<String>>(
    value: Json,
    path: &[Json],
    change: &mut dyn FnMut(Json) -> Result<Json, E>,
) -> Result<Json, E> {
    let Some((key, rest)) = path.split_first() else { return change(value) };
    match (value, key) {
        (Json::Null, Json::Str(_)) => update(Object::default().into(), path, change),
        (Json::Null, Json::Num(..) | Json::Obj(_)) => update(Vec::new().into(), path, change),
        (Json::Obj(mut members), Json::Str(key)) => {
            let into = Rc::make_mut(&mut members);
            let part = update(into.take(key), rest, change)?;
            into.insert(key.clone(), part);
            Ok(Json::Obj(members))
        }
        (Json::Arr(mut array), Json::Num(at, _)) => {
            let into = Rc::make_mut(&mut array);
            let Some(place) = place(*at, into.items().len()) else {
                return Err("Out of bounds negative array index".to_owned().into());
            };
            if *at > MAX_LENGTH {
                return Err("Array index too large".to_owned().into());
            }
            let part = update(into.take(place), rest, change)?;
            into.set(place, part);
            Ok(Json::Arr(array))
        }
        (Json::Arr(array), Json::Obj(range)) => {
            let (start, end) = bounds(range, array.items().len())?;
            let part = update(array.items()[start..end].to_vec().into(), rest, change)?;
            let Json::Arr(part) = part else {
                return Err("A slice of an array can only be assigned another array"
                    .to_owned()
                    .into());
            };
            let items = [&array.items()[..start], part.items(), &array.items()[end..]].concat();
            Ok(items.into())
        }
        (Json::Obj(_), key) => Err(format!("Cannot index object with {}", key.kind()).into()),
        (Json::Arr(_), Json::Arr(_)) => {
            Err("Cannot update field at array index of array".to_owned().into())
        }
        (value, key) => Err(match index(&value, key) {
            Err(why) => why,
            Ok(_) => format!("Cannot update field at object index of {}", value.kind()),
        }
        .into()),
    }
}

/// Deletes the parts that the paths name; the paths may be in any order.
pub(super) fn delete(value: Json, paths: &Json) -> Result<Json, String> {
    let Json::Arr(paths) = paths else { return Err("Paths must be specified as an array".into()) };
    let mut list = Vec::new();
    for path in paths.items() {
        let Json::Arr(path) = path else { return Err("Path must be specified as an array".into()) };
        list.push(path.items().to_vec());
    }
    list.sort_by(|a, b| Json::from(a.clone()).order(&Json::from(b.clone())));
    delete_sorted(value, &list, 0)
}

/// Deletes sorted paths that agree before `level`.
fn delete_sorted(value: Json, paths: &[Vec<Json>], level: usize) -> Result<Json, String> {
    if paths.iter().any(|path| path.len() == level) {
        return Ok(Json::Null);
    }
    let mut value = value;
    let mut doomed: Vec<Json> = Vec::new();
    let mut from = 0;
    while from < paths.len() {
        let key = &paths[from][level];
        // A key that is nan does not even equal itself.
        let same = paths[from..].iter().take_while(|path| path[level] == *key).count().max(1);
        let group = &paths[from..from + same];
        from += same;
        if group.iter().any(|path| path.len() == level + 1) {
            doomed.push(key.clone());
            continue;
        }
        if matches!(index(&value, key)?, Json::Null) {
            continue;
        }
        let key = std::slice::from_ref(key);
        value = update(value, key, &mut |part| delete_sorted(part, group, level + 1))?;
    }
    if doomed.is_empty() { Ok(value) } else { delete_keys(value, &doomed) }
}

fn delete_keys(value: Json, keys: &[Json]) -> Result<Json, String> {
    match value {
        Json::Null => Ok(Json::Null),
        Json::Obj(mut members) => {
            let mut names = std::collections::HashSet::new();
            for key in keys {
                let Json::Str(name) = key else {
                    return Err(format!("Cannot delete field at object index of {}", key.kind()));
                };
                names.insert(name.clone());
            }
            Rc::make_mut(&mut members).remove_all(&|key| names.contains(key));
            Ok(Json::Obj(members))
        }
        Json::Arr(array) => {
            let len = array.items().len();
            let mut gone = vec![false; len];
            for key in keys {
                match key {
                    Json::Num(at, _) if at.is_nan() => {}
                    Json::Num(at, _) => {
                        if let Some(at) = place(*at, len).filter(|at| *at < len) {
                            gone[at] = true;
                        }
                    }
                    Json::Obj(range) => {
                        let (start, end) = bounds(range, len)?;
                        gone[start..end].fill(true);
                    }
                    other => {
                        return Err(format!(
                            "Cannot delete field at array index of {}",
                            other.kind()
                        ));
                    }
                }
            }
            let array = Rc::unwrap_or_clone(array).into_items();
            Ok(array
                .into_iter()
                .zip(gone)
                .filter(|(_, gone)| !gone)
                .map(|(item, _)| item)
                .collect())
        }
        other => Err(format!("Cannot delete fields from {}", other.kind())),
    }
}
