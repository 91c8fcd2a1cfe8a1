//! Expanding assignments and carrying them out.

use std::collections::BTreeMap;

use super::spawn::shown;
use crate::expand::Quoting;
use crate::shell::assoc::Assoc;
use crate::shell::scope::{cased, make_indexed, wrapped};
use crate::shell::value::{Value, flag};
use crate::shell::{Flow, Shell};
use crate::syntax::ast::{Arg, Assign, AssignValue, Text};

/// An assignment after expansion of its words.
#[derive(Debug, Clone)]
pub struct Assigned {
    /// Variable name.
    pub name: Text,
    /// Subscript.
    pub index: Option<Text>,
    /// True for `+=`.
    pub append: bool,
    /// New value.
    pub value: NewValue,
}

/// Value of an assignment.
#[derive(Debug, Clone)]
pub enum NewValue {
    /// A single value.
    Scalar(Text),
    /// An array literal, `(…)`.
    Array(Vec<NewElement>),
}

/// An element of an array literal.
#[derive(Debug, Clone)]
pub struct NewElement {
    /// Key in `[key]=value`.
    pub key: Option<Text>,
    /// True for `[key]+=value`.
    pub append: bool,
    /// Fields of the word: exactly one if there is a key, any number otherwise.
    pub values: Vec<Text>,
}

/// An argument of a command; declaration builtins such as `declare` keep assignments apart.
#[derive(Debug, Clone)]
pub enum Decl {
    /// An option, a name, or a `name=value` produced by an expansion.
    Word(Text),
    /// An assignment written literally in the script.
    Assign(Assigned),
}

impl Decl {
    /// Returns the argument as text, as an ordinary command receives it.
    pub fn text(&self) -> Text {
        self.text_with(|value| value.to_vec())
    }

    /// Returns the argument as text, with the elements of an array quoted by `quoted`.
    pub(super) fn text_with(&self, quoted: fn(&[u8]) -> Text) -> Text {
        match self {
            Decl::Word(text) => text.clone(),
            Decl::Assign(assign) => {
                let mut text = assign.name.clone();
                if let Some(index) = &assign.index {
                    text.push(b'[');
                    text.extend_from_slice(index);
                    text.push(b']');
                }
                text.extend_from_slice(if assign.append { b"+=" } else { b"=" });
                match &assign.value {
                    NewValue::Scalar(value) => text.extend_from_slice(value),
                    NewValue::Array(elements) => {
                        let words: Vec<Text> = elements
                            .iter()
                            .flat_map(|e| {
                                e.values.iter().map(|value| match &e.key {
                                    Some(key) => {
                                        [b"[", quoted(key).as_slice(), b"]=", &quoted(value)]
                                            .concat()
                                    }
                                    None => quoted(value),
                                })
                            })
                            .collect();
                        text.push(b'(');
                        text.extend_from_slice(&words.join(&b' '));
                        text.push(b')');
                    }
                }
                text
            }
        }
    }
}

impl Shell {
    /// Expands the words of a command.
    pub(super) fn expand_args(&mut self, args: &[Arg]) -> Result<Vec<Decl>, Flow> {
        let mut list = Vec::with_capacity(args.len());
        let mut fields = Vec::new();
        for arg in args {
            match arg {
                Arg::Word(word) => {
                    self.expand_fields(word, &mut fields)?;
                    list.extend(fields.drain(..).map(Decl::Word));
                }
                Arg::Assign(assign) => {
                    // `declare -A` makes the array associative before it assigns the words.
                    let is_map = |arg: &Decl| matches!(arg, Decl::Word(text) if text.starts_with(b"-") && text.contains(&b'A'));
                    let makes_map = assign.is_array() && list.iter().any(is_map);
                    list.push(Decl::Assign(self.expand_assign_to(assign, makes_map)?));
                }
            }
        }
        Ok(list)
    }

    /// Expands the words of an assignment.
    pub(super) fn expand_assign(&mut self, assign: &Assign) -> Result<Assigned, Flow> {
        self.expand_assign_to(assign, false)
    }

    fn expand_assign_to(&mut self, assign: &Assign, makes_map: bool) -> Result<Assigned, Flow> {
        let index = match &assign.index {
            Some(word) => Some(self.expand_subscript(word)?),
            None => None,
        };
        let value = match &assign.value {
            AssignValue::Scalar(word) => NewValue::Scalar(self.expand_assigned(word)?),
            AssignValue::Array(elements) => {
                let is_map = makes_map
                    || matches!(
                        self.var(&assign.name).map(|var| &var.value),
                        Some(Value::Assoc(..))
                    );
                let mut list = Vec::with_capacity(elements.len());
                for element in elements {
                    let mut values = Vec::new();
                    if let Some(word) = element.braced().filter(|_| !is_map) {
                        // Brace expansion comes first and leaves words that are no assignments.
                        self.expand_fields(&word, &mut values)?;
                        list.push(NewElement { key: None, append: false, values });
                        continue;
                    }
                    let key = match &element.index {
                        Some(word) => Some(self.expand_subscript(word)?),
                        None => None,
                    };
                    if key.is_some() && is_map {
                        // As in bash 5.2, tildes stay as they are.
                        values.push(self.expand_single(&element.value, Quoting::Bare, false)?);
                    } else if is_map {
                        // Keys and values that alternate are not split.
                        values.push(self.expand_single(&element.value, Quoting::Bare, true)?);
                    } else if key.is_some() {
                        values.push(self.expand_assigned(&element.value)?);
                    } else {
                        self.expand_fields(&element.value, &mut values)?;
                    }
                    list.push(NewElement { key, append: element.append, values });
                }
                NewValue::Array(list)
            }
        };
        Ok(Assigned { name: assign.name.clone(), index, append: assign.append, value })
    }

    /// Carries out an assignment.
    pub fn apply_assign(&mut self, assign: Assigned) -> Result<(), Flow> {
        match assign.value {
            NewValue::Scalar(value) => {
                self.assign(&assign.name, assign.index.as_deref(), value, assign.append)
            }
            NewValue::Array(_) if assign.index.is_some() => {
                self.warn(&format!("{}: cannot assign list to array member", shown(&assign.name)));
                Err(Flow::Discard(1))
            }
            NewValue::Array(elements) => self.assign_array(&assign.name, elements, assign.append),
        }
    }

    /// Assigns an array literal, `name=(…)`.
    pub fn assign_array(
        &mut self,
        name: &[u8],
        elements: Vec<NewElement>,
        append: bool,
    ) -> Result<(), Flow> {
        let place = self.resolve(name);
        if place.index.is_some() {
            self.warn(&format!("{}: cannot assign list to array member", shown(name)));
            return Err(Flow::Discard(1));
        }
        let name = place.name;
        self.check_writable(&name)?;
        let flags = self.vars.get(name.as_slice()).map_or(0, |var| var.flags);
        if let Some(Value::Assoc(old, _)) = self.vars.get(name.as_slice()).map(|var| &var.value) {
            let old = old.clone();
            let map = if append { old.clone() } else { Assoc::default() };
            let before = if append { None } else { Some(old) };
            let map = self.fill_assoc(&name, map, before, elements, flags)?;
            self.entry(&name).value = Value::Assoc(map, true);
            return Ok(());
        }
        let mut map = BTreeMap::new();
        if append && let Some(var) = self.vars.get_mut(name.as_slice()) {
            make_indexed(var);
            if let Value::Indexed(old, _) = &mut var.value {
                map = std::mem::take(old);
            }
        } else if flags & flag::NAMEREF != 0 {
            self.entry(&name).flags &= !flag::NAMEREF;
        }
        let is_number = |key: &Text| key.iter().all(u8::is_ascii_digit);
        if elements.iter().any(|e| e.key.as_ref().is_some_and(|key| !is_number(key))) {
            return self.fill_in_place(&name, map, elements, flags);
        }
        let filled = self.fill_indexed(map, elements, flags)?;
        let var = self.entry(&name);
        var.value = Value::Indexed(filled, true);
        Ok(())
    }

    /// Assigns elements one by one, because their subscripts may read the elements before them.
    fn fill_in_place(
        &mut self,
        name: &[u8],
        map: BTreeMap<i64, Text>,
        elements: Vec<NewElement>,
        flags: u16,
    ) -> Result<(), Flow> {
        let mut next = map.last_key_value().map_or(0, |(last, _)| last.wrapping_add(1));
        self.entry(name).value = Value::Indexed(map, true);
        for element in elements {
            if let Some(key) = &element.key {
                let at =
                    if key.trim_ascii().is_empty() { None } else { Some(self.number_of(key)?) };
                let at = match &self.entry(name).value {
                    Value::Indexed(map, _) => at.and_then(|at| wrapped(map, at)),
                    _ => None,
                };
                let Some(at) = at else {
                    self.warn(&format!("[{}]: bad array subscript", shown(key)));
                    continue;
                };
                next = at;
            }
            for value in element.values {
                let value = self.valued(flags, value)?;
                if let Value::Indexed(map, _) = &mut self.entry(name).value {
                    if element.append {
                        map.entry(next).or_default().extend_from_slice(&value);
                    } else {
                        map.insert(next, value);
                    }
                }
                next = next.wrapping_add(1);
            }
        }
        Ok(())
    }

    fn fill_indexed(
        &mut self,
        mut map: BTreeMap<i64, Text>,
        elements: Vec<NewElement>,
        flags: u16,
    ) -> Result<BTreeMap<i64, Text>, Flow> {
        let mut next = map.last_key_value().map_or(0, |(last, _)| last.wrapping_add(1));
        for element in elements {
            if let Some(key) = &element.key {
                let at =
                    if key.trim_ascii().is_empty() { None } else { Some(self.number_of(key)?) };
                match at.and_then(|at| wrapped(&map, at)) {
                    Some(at) => next = at,
                    None => {
                        let key = shown(key);
                        self.warn(&format!("[{key}]: bad array subscript"));
                        continue;
                    }
                }
            }
            for value in element.values {
                let value = self.valued(flags, value)?;
                if element.append {
                    map.entry(next).or_default().extend_from_slice(&value);
                } else {
                    map.insert(next, value);
                }
                next = next.wrapping_add(1);
            }
        }
        Ok(map)
    }

    fn fill_assoc(
        &mut self,
        name: &[u8],
        mut map: Assoc,
        before: Option<Assoc>,
        elements: Vec<NewElement>,
        flags: u16,
    ) -> Result<Assoc, Flow> {
        let keyless = elements.first().is_some_and(|element| element.key.is_none());
        if keyless {
            // Without subscripts the words alternate: `(key value key value)`.
            let mut words = elements.into_iter().flat_map(|element| element.values);
            while let Some(key) = words.next() {
                let value = words.next().unwrap_or_default();
                let value = self.valued(flags, value)?;
                map.insert(key, value);
            }
            return Ok(map);
        }
        for element in elements {
            let Some(key) = element.key else {
                let text = shown(&element.values.join(&b' '));
                let name = shown(name);
                self.warn(&format!(
                    "{name}: {text}: must use subscript when assigning associative array"
                ));
                continue;
            };
            let mut value = element.values.into_iter().next().unwrap_or_default();
            value = self.valued(flags, value)?;
            // As in bash, `=(…)` appends to the elements from before the assignment.
            if element.append
                && let Some(old) = before.as_ref().unwrap_or(&map).get(&key)
            {
                value = [old.as_slice(), &value].concat();
            }
            map.insert(key, value);
        }
        Ok(map)
    }

    fn valued(&mut self, flags: u16, value: Text) -> Result<Text, Flow> {
        if flags & flag::INTEGER != 0 {
            return Ok(self.number_of(&value)?.to_string().into_bytes());
        }
        Ok(cased(flags, value))
    }
}
