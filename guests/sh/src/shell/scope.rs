//! Reading and writing variables: attributes, name references, local scopes.

use std::collections::BTreeMap;

use super::assoc::Assoc;
use super::value::{Value, Var, flag};
use super::vars::Name;
use super::{Flow, Shell};
use crate::syntax::ast::Text;
use crate::syntax::is_name;

/// Longest chain of name references.
const MAX_REFERENCES: usize = 8;

/// A variable or an array element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// Variable name.
    pub name: Text,
    /// Unevaluated subscript.
    pub index: Option<Text>,
}

impl Shell {
    /// Follows name references from a name to a variable or element.
    pub fn resolve(&mut self, name: &[u8]) -> Place {
        let mut place = Place { name: name.to_vec(), index: None };
        for _ in 0..MAX_REFERENCES {
            let Some(var) = self.vars.get(place.name.as_slice()) else { return place };
            if !var.has(flag::NAMEREF) || place.index.is_some() {
                return place;
            }
            let Some(target) = var.first().filter(|target| !target.is_empty()) else {
                return place;
            };
            let target = target.clone();
            match split_place(&target) {
                Some(mut next) if next.name != place.name => {
                    if let Some(index) = &next.index {
                        next.index = self.expand_key(index).ok();
                    }
                    place = next;
                }
                _ => return place,
            }
        }
        let name = String::from_utf8_lossy(name).into_owned();
        self.warn(&format!("warning: {name}: circular name reference"));
        place
    }

    /// Returns true if the name is a name reference.
    pub fn is_reference(&self, name: &[u8]) -> bool {
        self.vars.get(name).is_some_and(|var| var.has(flag::NAMEREF))
    }

    /// Returns the variable that a name refers to, ignoring any subscript in a reference.
    pub fn var(&self, name: &[u8]) -> Option<&Var> {
        let mut var = self.vars.get(name)?;
        for _ in 0..MAX_REFERENCES {
            if !var.has(flag::NAMEREF) {
                break;
            }
            let target = var.first()?;
            let at = target.iter().position(|c| *c == b'[').unwrap_or(target.len());
            if &target[..at] == name {
                break;
            }
            var = self.vars.get(&target[..at])?;
        }
        Some(var)
    }

    /// Returns the value of `$name`.
    pub fn get(&mut self, name: &[u8]) -> Option<Text> {
        if let Some(var) = self.vars.get(name) {
            if !var.has(flag::NAMEREF) {
                return var.first().cloned();
            }
            let place = self.resolve(name);
            if place.name == name {
                return None;
            }
            return match place.index {
                None if self.is_reference(&place.name) => None,
                None => self.get(&place.name),
                Some(index) if index == b"@" || index == b"*" => {
                    let values = self.var(&place.name).map(Var::values).unwrap_or_default();
                    Some(values.join(&b' '))
                }
                Some(index) => self.get_element(&place.name, &index).ok().flatten(),
            };
        }
        self.dynamic(name)
    }

    /// Returns the value of `${name[index]}`.
    pub fn get_element(&mut self, name: &[u8], index: &[u8]) -> Result<Option<Text>, Flow> {
        let place = self.resolve(name);
        if !self.vars.contains_key(place.name.as_slice()) {
            if matches!(place.name.as_slice(), b"BASH_ALIASES" | b"BASH_CMDS") {
                let map = self.computed_map(&place.name);
                return Ok(map.into_iter().find(|(key, _)| key == index).map(|(_, value)| value));
            }
            let values = self.dynamic_array(&place.name);
            let at = self.number_of(index)?;
            let at = if at < 0 { at + values.len() as i64 } else { at };
            return Ok(usize::try_from(at).ok().and_then(|at| values.get(at).cloned()));
        }
        if let Some(Value::Assoc(map, _)) = self.vars.get(place.name.as_slice()).map(|v| &v.value) {
            return Ok(map.get(index).cloned());
        }
        let at = self.number_of(index)?;
        let Some(var) = self.vars.get(place.name.as_slice()) else { return Ok(None) };
        Ok(match &var.value {
            Value::Unset => None,
            Value::Scalar(text) => (at == 0 || at == -1).then(|| text.clone()),
            Value::Indexed(map, _) => match wrapped(map, at) {
                Some(at) => map.get(&at).cloned(),
                None => {
                    let name = String::from_utf8_lossy(&place.name).into_owned();
                    self.warn(&format!("{name}: bad array subscript"));
                    None
                }
            },
            Value::Assoc(map, _) => map.get(index).cloned(),
        })
    }

    /// Evaluates a subscript or the value of an integer variable. As in bash, an error there
    /// abandons more than one in `$((…))`.
    pub fn number_of(&mut self, text: &[u8]) -> Result<i64, Flow> {
        self.arith_value(text).map_err(|flow| match flow {
            Flow::Discard(status) => Flow::Abandon(status),
            other => other,
        })
    }

    /// Assigns `name=value`, applying attributes and following references.
    pub fn set(&mut self, name: &[u8], value: Text) -> Result<(), Flow> {
        self.assign(name, None, value, false)
    }

    /// Assigns `name[index]=value`, or appends if `append` is set.
    pub fn assign(
        &mut self,
        name: &[u8],
        index: Option<&[u8]>,
        value: Text,
        append: bool,
    ) -> Result<(), Flow> {
        // Fast path: most assignments are to an existing plain variable.
        if index.is_none()
            && !append
            && let Some(var) = self.vars.get_mut(name)
            && var.flags & !flag::EXPORT == 0
            && (!self.options.allexport() || var.flags != 0)
            && let Value::Scalar(old) = &mut var.value
        {
            *old = value;
            if !name.is_empty() && name[0].is_ascii_uppercase() {
                self.noticed(name);
            }
            return Ok(());
        }
        let mut place = self.resolve(name);
        if index.is_some()
            && let Some(inner) = &place.index
        {
            let inner = [place.name.as_slice(), b"[", inner, b"]"].concat();
            let inner = String::from_utf8_lossy(&inner).into_owned();
            self.warn(&format!("`{inner}': not a valid identifier"));
            return Err(Flow::Discard(1));
        }
        if let Some(index) = index {
            place.index = Some(index.to_vec());
        }
        if self.is_reference(&place.name) {
            let target = self.vars.get(place.name.as_slice()).and_then(|var| var.first()).cloned();
            if target.as_ref() == Some(&place.name) {
                return self.assign_outer(&place.name, value);
            }
            if target.is_some_and(|target| !target.is_empty()) {
                return Err(Flow::Discard(1));
            }
            return self.aim(&place.name, value);
        }
        if !is_name(&place.name) {
            let name = String::from_utf8_lossy(&place.name).into_owned();
            self.warn(&format!("`{name}': not a valid identifier"));
            return Err(Flow::Discard(1));
        }
        self.check_writable(&place.name)?;
        let flags = self.vars.get(place.name.as_slice()).map_or(0, |var| var.flags);
        let value = if flags & flag::INTEGER != 0 {
            let number = self.number_of(&value)?;
            if append {
                let before = match &place.index {
                    Some(index) => self.get_element(&place.name, index)?,
                    None => self.get(&place.name),
                };
                let before = self.number_of(&before.unwrap_or_default())?;
                before.wrapping_add(number).to_string().into_bytes()
            } else {
                number.to_string().into_bytes()
            }
        } else {
            value
        };
        let append = append && flags & flag::INTEGER == 0;
        if append && flags & (flag::LOWER | flag::UPPER | flag::CAPITAL) != 0 {
            let before = match &place.index {
                Some(index) => self.get_element(&place.name, index)?,
                None => self.get(&place.name),
            };
            let whole = [before.unwrap_or_default(), value].concat();
            return self.assign(name, index, whole, false);
        }
        let value = cased(flags, value);
        match place.index {
            None => self.assign_plain(&place.name, value, append),
            Some(index) => self.assign_element(&place.name, &index, value, append)?,
        }
        self.noticed(&place.name);
        Ok(())
    }

    /// Assigns through a local reference that has its own name as target. As in bash, the variable
    /// outside the function gets the value.
    fn assign_outer(&mut self, name: &[u8], value: Text) -> Result<(), Flow> {
        let message =
            format!("warning: {}: circular name reference", String::from_utf8_lossy(name));
        self.warn(&message);
        self.warn(&message);
        let mut frames = self.frames.iter_mut().rev();
        let saved =
            frames.find_map(|frame| frame.saved.iter_mut().find(|(saved, _)| saved[..] == *name));
        match saved {
            Some((_, Some(var))) if !var.has(flag::READONLY) => {
                var.value = Value::Scalar(value);
                Ok(())
            }
            Some((_, outer @ None)) => {
                *outer = Some(Var { value: Value::Scalar(value), flags: 0 });
                Ok(())
            }
            _ => Err(Flow::Discard(1)),
        }
    }

    /// Sets the target of a reference that has none.
    fn aim(&mut self, name: &[u8], value: Text) -> Result<(), Flow> {
        if split_place(&value).is_none() {
            let value = String::from_utf8_lossy(&value).into_owned();
            self.warn(&format!("`{value}': not a valid identifier"));
            return Err(Flow::Discard(1));
        }
        if let Some(var) = self.vars.get_mut(name) {
            var.value = Value::Scalar(value);
        }
        Ok(())
    }

    fn assign_plain(&mut self, name: &[u8], value: Text, append: bool) {
        if self.assign_dynamic(name, &value) {
            return;
        }
        let all_export = self.options.allexport();
        let var = self.entry(name);
        if all_export {
            var.flags |= flag::EXPORT;
        }
        let join = |old: Option<&Text>, value: Text| match old {
            Some(old) if append => [old.as_slice(), &value].concat(),
            _ => value,
        };
        match &mut var.value {
            Value::Scalar(old) if append => old.extend_from_slice(&value),
            Value::Unset | Value::Scalar(_) => var.value = Value::Scalar(value),
            Value::Indexed(map, assigned) => {
                *assigned = true;
                let value = join(map.get(&0), value);
                map.insert(0, value);
            }
            Value::Assoc(map, assigned) => {
                *assigned = true;
                let value = join(map.get(b"0"), value);
                map.insert(b"0".to_vec(), value);
            }
        }
    }

    fn assign_element(
        &mut self,
        name: &[u8],
        index: &[u8],
        value: Text,
        append: bool,
    ) -> Result<(), Flow> {
        if !self.vars.contains_key(name) {
            match name {
                b"BASH_ALIASES" => {
                    let aliases = std::rc::Rc::make_mut(&mut self.aliases);
                    aliases.insert(index.to_vec(), value);
                    return Ok(());
                }
                b"DIRSTACK" => {
                    let at = self.arith_value(index)?;
                    let len = self.dir_stack.len();
                    // Element 0 is the working directory, which only `cd` changes.
                    if let Some(entry) = usize::try_from(at)
                        .ok()
                        .and_then(|at| self.dir_stack.get_mut(len.checked_sub(at)?))
                    {
                        *entry = value;
                    }
                    return Ok(());
                }
                b"BASH_CMDS" => {
                    self.hashed.insert(index.to_vec(), value);
                    return Ok(());
                }
                _ => {}
            }
        }
        let is_assoc = matches!(self.vars.get(name).map(|var| &var.value), Some(Value::Assoc(..)));
        let shown = || String::from_utf8_lossy(name).into_owned();
        if is_assoc && index.is_empty() {
            self.warn(&format!("{}[]: bad array subscript", shown()));
            return Err(Flow::Discard(1));
        }
        if is_assoc {
            let var = self.entry(name);
            if let Value::Assoc(map, assigned) = &mut var.value {
                *assigned = true;
                let value = match map.get(index) {
                    Some(old) if append => [old.as_slice(), &value].concat(),
                    _ => value,
                };
                map.insert(index.to_vec(), value);
            }
            return Ok(());
        }
        if index.trim_ascii().is_empty() || index == b"@" || index == b"*" {
            let index = String::from_utf8_lossy(index).into_owned();
            self.warn(&format!("{}[{index}]: bad array subscript", shown()));
            return Err(Flow::Discard(1));
        }
        let at = self.number_of(index)?;
        let var = self.entry(name);
        make_indexed(var);
        if let Value::Indexed(map, assigned) = &mut var.value {
            *assigned = true;
            let Some(at) = wrapped(map, at) else {
                let index = String::from_utf8_lossy(index).into_owned();
                self.warn(&format!("{}[{index}]: bad array subscript", shown()));
                return Err(Flow::Discard(1));
            };
            if append {
                map.entry(at).or_default().extend_from_slice(&value);
            } else {
                map.insert(at, value);
            }
        }
        Ok(())
    }

    /// Replaces a variable's value with an array, keeping its attributes.
    pub fn set_array(&mut self, name: &[u8], values: Vec<Text>) -> Result<(), Flow> {
        let place = self.resolve(name);
        self.check_writable(&place.name)?;
        let map: BTreeMap<i64, Text> = (0..).zip(values).collect();
        self.entry(&place.name).value = Value::Indexed(map, true);
        Ok(())
    }

    /// Fails if the variable is read-only, after printing an error.
    pub fn check_writable(&mut self, name: &[u8]) -> Result<(), Flow> {
        if is_fixed(name) || self.vars.get(name).is_some_and(|var| var.has(flag::READONLY)) {
            let name = String::from_utf8_lossy(name).into_owned();
            self.warn(&format!("{name}: readonly variable"));
            if self.options.posix() && !self.interactive {
                return Err(Flow::Fatal(1));
            }
            let ends = self.options.errexit() && self.errexit_off == 0;
            return Err(if ends { Flow::Exit(1) } else { Flow::Discard(1) });
        }
        Ok(())
    }

    /// Returns the variable of this exact name, creating it if necessary; references are not
    /// followed.
    pub fn entry(&mut self, name: &[u8]) -> &mut Var {
        self.vars.entry(Name::from(name)).or_insert(Var { value: Value::Unset, flags: 0 })
    }

    /// Makes a name local to the running function, without a value. Returns false outside
    /// functions, or if the name is already local.
    pub fn make_local(&mut self, name: &[u8]) -> bool {
        let name = Name::from(name);
        let Some(frame) = self.frames.iter_mut().rev().find(|frame| frame.is_function) else {
            return false;
        };
        if let Some(at) = frame.saved.iter().position(|(saved, _)| *saved == name) {
            // An assignment before the call becomes an ordinary local variable.
            if at < frame.temporary {
                let entry = frame.saved.remove(at);
                frame.saved.push(entry);
                frame.temporary -= 1;
            }
            return false;
        }
        let old = self.vars.remove(&name);
        // A local variable is exported if the variable that it shadows is. It also takes the value
        // of one that was assigned before a call.
        if let Some(old) = old.as_ref().filter(|old| old.has(flag::TEMPORARY)) {
            let var = Var { value: old.value.clone(), flags: flag::EXPORT };
            self.vars.insert(name.clone(), var);
        } else if old.as_ref().is_some_and(|old| old.has(flag::EXPORT)) {
            let var = Var { value: Value::Unset, flags: flag::EXPORT };
            self.vars.insert(name.clone(), var);
        }
        frame.saved.push((name, old));
        true
    }

    /// Returns the environment of a child, each entry `NAME=value`.
    pub fn exported(&mut self) -> Vec<Text> {
        let mut list = self.exported_variables();
        for (at, name) in [&b"SHELLOPTS"[..], b"BASHOPTS"].into_iter().enumerate() {
            if self.exported_options[at]
                && let Some(value) = self.dynamic(name)
            {
                list.push([name, b"=", value.as_slice()].concat());
            }
        }
        list
    }

    fn exported_variables(&self) -> Vec<Text> {
        let mut list: Vec<Text> = self
            .vars
            .iter()
            .filter(|(_, var)| var.has(flag::EXPORT))
            .filter_map(|(name, var)| match &var.value {
                Value::Scalar(value) => Some([name, b"=".as_slice(), value].concat()),
                _ => None,
            })
            .collect();
        for (name, function) in &self.functions {
            if function.exported {
                let text = crate::syntax::function_text(b"", &function.body());
                let text = text.strip_suffix(b"\n").unwrap_or(&text);
                list.push([b"BASH_FUNC_", name.as_slice(), b"%%=()", &text[3..]].concat());
            }
        }
        list.extend(self.foreign.iter().cloned());
        list.sort_unstable();
        list
    }
}

/// Returns true for a variable of the shell that is read-only from the start.
pub fn is_fixed(name: &[u8]) -> bool {
    matches!(name, b"SHELLOPTS" | b"BASHOPTS" | b"UID" | b"EUID" | b"PPID" | b"BASH_VERSINFO")
}

/// Converts a variable to an indexed array; a scalar becomes element 0.
pub fn make_indexed(var: &mut Var) {
    match &mut var.value {
        Value::Unset => var.value = Value::Indexed(BTreeMap::new(), false),
        Value::Scalar(text) => {
            let text = std::mem::take(text);
            var.value = Value::Indexed(BTreeMap::from([(0, text)]), true);
        }
        Value::Indexed(..) | Value::Assoc(..) => {}
    }
}

/// Converts a variable to an associative array. Returns false if it is an indexed array.
pub fn make_assoc(var: &mut Var) -> bool {
    match &mut var.value {
        Value::Unset => var.value = Value::Assoc(Assoc::default(), false),
        Value::Scalar(text) => {
            let mut map = Assoc::default();
            map.insert(b"0".to_vec(), std::mem::take(text));
            var.value = Value::Assoc(map, true);
        }
        Value::Assoc(..) => {}
        Value::Indexed(..) => return false,
    }
    true
}

/// Resolves a negative index, counted from the end. Returns `None` if it lies before the beginning.
pub fn wrapped(map: &BTreeMap<i64, Text>, at: i64) -> Option<i64> {
    if at >= 0 {
        return Some(at);
    }
    let end = map.last_key_value().map_or(0, |(last, _)| last.wrapping_add(1));
    let at = end.wrapping_add(at);
    (at >= 0).then_some(at)
}

/// Parses `name` or `name[index]`.
pub fn split_place(text: &[u8]) -> Option<Place> {
    let Some(open) = text.iter().position(|c| *c == b'[') else {
        return is_name(text).then(|| Place { name: text.to_vec(), index: None });
    };
    let index = text[open + 1..].strip_suffix(b"]")?;
    let name = &text[..open];
    (is_name(name) && !index.is_empty())
        .then(|| Place { name: name.to_vec(), index: Some(index.to_vec()) })
}

/// Applies the case attributes `-l`, `-u` and `-c` to a value.
pub fn cased(flags: u16, value: Text) -> Text {
    if flags & (flag::LOWER | flag::UPPER | flag::CAPITAL) == 0 {
        return value;
    }
    let text = String::from_utf8_lossy(&value);
    if flags & flag::LOWER != 0 {
        text.to_lowercase().into_bytes()
    } else if flags & flag::UPPER != 0 {
        text.to_uppercase().into_bytes()
    } else {
        let mut chars = text.chars();
        let first: String = chars.next().into_iter().flat_map(char::to_uppercase).collect();
        (first + &chars.as_str().to_lowercase()).into_bytes()
    }
}
