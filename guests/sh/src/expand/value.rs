//! Lookup of a parameter's value, before any operator is applied.

use crate::shell::scope::split_place;
use crate::shell::value::{Value, Var, flag};
use crate::shell::{Flow, Shell};
use crate::syntax::ast::{Index, Param, Text};
use crate::syntax::is_name_start;

/// A parameter's value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Got {
    /// The parameter is unset.
    Nothing,
    /// A single value.
    One(Text),
    /// A list; true for `*`, which joins the elements, false for `@`, which keeps them apart.
    Many(Vec<Text>, bool),
}

impl Got {
    pub(crate) fn is_null(&self) -> bool {
        match self {
            Got::Nothing => true,
            Got::One(text) => text.is_empty(),
            Got::Many(list, _) => list.iter().all(Vec::is_empty) && list.len() <= 1,
        }
    }

    pub(crate) fn is_unset(&self) -> bool {
        match self {
            Got::Nothing => true,
            Got::One(_) => false,
            Got::Many(list, _) => list.is_empty(),
        }
    }

    /// Applies `f` to each value.
    pub(crate) fn map(self, mut f: impl FnMut(Text) -> Text) -> Got {
        match self {
            Got::Nothing => Got::Nothing,
            Got::One(text) => Got::One(f(text)),
            Got::Many(list, star) => Got::Many(list.into_iter().map(f).collect(), star),
        }
    }
}

/// A parameter's name and index, after indirection through `!`.
#[derive(Debug, Clone)]
pub(crate) struct Named {
    pub(crate) name: Text,
    pub(crate) index: Option<Key>,
}

/// An expanded index; its interpretation depends on the kind of array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Key {
    At,
    Star,
    Text(Text),
}

impl Shell {
    /// Returns the name and index that a parameter refers to.
    pub(super) fn named(&mut self, param: &Param) -> Result<Named, Flow> {
        let index = match &param.index {
            None => None,
            Some(Index::At) => Some(Key::At),
            Some(Index::Star) => Some(Key::Star),
            Some(Index::One(word)) => Some(Key::Text(self.expand_subscript(word)?)),
        };
        let named = Named { name: param.name.clone(), index };
        if !param.indirect {
            return Ok(named);
        }
        // `${!ref}` of a name reference gives the name of its target.
        if named.index.is_none() && self.is_reference(&named.name) {
            let target = self.vars.get(named.name.as_slice()).and_then(|var| var.first().cloned());
            self.indirect_text(target.unwrap_or_default())?;
            return Ok(Named { name: named.name, index: None });
        }
        let text = match self.look_up(&named)? {
            Got::One(text) => text,
            Got::Many(list, _) if list.is_empty() => {
                return Ok(Named { name: Vec::new(), index: None });
            }
            Got::Many(list, _) => list.join(&b' '),
            // An array without element 0 is set and names nothing.
            Got::Nothing if self.var(&named.name).is_some_and(Var::is_array) => {
                return Ok(Named { name: Vec::new(), index: None });
            }
            Got::Nothing => {
                let name = String::from_utf8_lossy(&named.name).into_owned();
                self.warn(&format!("{name}: invalid indirect expansion"));
                return Err(Flow::Discard(1));
            }
        };
        self.indirect_text(text)
    }

    fn indirect_text(&mut self, text: Text) -> Result<Named, Flow> {
        let special = text.len() == 1 && b"@*#?-$!".contains(&text[0]);
        let digits = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
        if special || digits {
            return Ok(Named { name: text, index: None });
        }
        match split_place(&text) {
            Some(place) => {
                let index = match place.index {
                    None => None,
                    Some(index) => Some(self.key(index)?),
                };
                Ok(Named { name: place.name, index })
            }
            None => {
                let text = String::from_utf8_lossy(&text).into_owned();
                self.warn(&format!("{text}: invalid variable name"));
                Err(Flow::Discard(1))
            }
        }
    }

    /// Returns the index of a name that came from a value, expanding its text.
    pub(crate) fn key(&mut self, index: Text) -> Result<Key, Flow> {
        Ok(match index.as_slice() {
            b"@" => Key::At,
            b"*" => Key::Star,
            _ => Key::Text(self.expand_key(&index)?),
        })
    }

    /// Expands text that is not part of the script's words.
    pub(crate) fn expand_text(&mut self, text: &[u8]) -> Result<Text, Flow> {
        match self.expanded(text)? {
            Ok(text) => Ok(text),
            Err(message) => {
                self.warn(&message);
                Err(Flow::Discard(1))
            }
        }
    }

    /// Expands a subscript that is not part of the script's words. One with a lone quote, such as
    /// `it's`, has been expanded before and is the key itself.
    pub(crate) fn expand_key(&mut self, text: &[u8]) -> Result<Text, Flow> {
        Ok(self.expanded(text)?.unwrap_or_else(|_| text.to_vec()))
    }

    fn expanded(&mut self, text: &[u8]) -> Result<Result<Text, String>, Flow> {
        if !text.iter().any(|c| matches!(c, b'$' | b'`' | b'\\' | b'\'' | b'"')) {
            return Ok(Ok(text.to_vec()));
        }
        match crate::syntax::parse_index(text) {
            Ok(word) => self.expand_string(&word).map(Ok),
            Err(error) => Ok(Err(error.message)),
        }
    }

    /// Returns the value of a name and index.
    pub(super) fn look_up(&mut self, named: &Named) -> Result<Got, Flow> {
        let name = named.name.as_slice();
        if !is_name_start(name.first().copied().unwrap_or(0)) {
            return Ok(self.special(name));
        }
        if named.index.is_none() {
            if let Some(var) = self.vars.get(name)
                && !var.has(flag::NAMEREF)
            {
                return Ok(var.first().map_or(Got::Nothing, |text| Got::One(text.clone())));
            }
            let place = self.resolve(name);
            if place.index.is_some() {
                let index = match place.index {
                    None => None,
                    Some(index) => Some(self.key(index)?),
                };
                return self.look_up(&Named { name: place.name, index });
            }
            return Ok(self.get(name).map_or(Got::Nothing, Got::One));
        }
        match &named.index {
            Some(Key::Text(index)) => {
                Ok(self.get_element(name, index)?.map_or(Got::Nothing, Got::One))
            }
            Some(Key::At) => Ok(Got::Many(self.elements(name), false)),
            Some(Key::Star) => Ok(Got::Many(self.elements(name), true)),
            None => Ok(Got::Nothing),
        }
    }

    /// Returns all values of an array.
    pub(crate) fn elements(&mut self, name: &[u8]) -> Vec<Text> {
        let place = self.resolve(name);
        match self.vars.get(place.name.as_slice()) {
            Some(var) => var.values(),
            None => self.dynamic_array(&place.name),
        }
    }

    /// Returns all keys of an array.
    pub(super) fn all_keys(&mut self, name: &[u8]) -> Vec<Text> {
        let place = self.resolve(name);
        match self.vars.get(place.name.as_slice()) {
            Some(var) => var.keys(),
            None if matches!(place.name.as_slice(), b"BASH_ALIASES" | b"BASH_CMDS") => {
                self.computed_map(&place.name).into_iter().map(|(key, _)| key).collect()
            }
            None => {
                let count = self.dynamic_array(&place.name).len();
                (0..count).map(|at| at.to_string().into_bytes()).collect()
            }
        }
    }

    fn special(&mut self, name: &[u8]) -> Got {
        let number = |n: i64| Got::One(n.to_string().into_bytes());
        match name {
            b"@" => Got::Many(self.args.to_vec(), false),
            b"*" => Got::Many(self.args.to_vec(), true),
            b"#" => number(self.args.len() as i64),
            b"?" => number(i64::from(self.status)),
            b"$" => number(i64::from(self.pid)),
            b"!" => match self.last_background {
                Some(pid) => number(i64::from(pid)),
                None => Got::Nothing,
            },
            b"-" => {
                let extra = match (&self.command_string, self.interactive) {
                    (Some(_), false) => "c",
                    (Some(_), true) => "ci",
                    (None, true) => "is",
                    (None, false) if self.source.is_empty() => "s",
                    (None, false) => "",
                };
                Got::One(self.options.letters(extra).into_bytes())
            }
            b"0" => Got::One(self.arg0.clone()),
            digits => {
                let at: Option<usize> =
                    std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok());
                match at {
                    Some(0) => Got::One(self.arg0.clone()),
                    Some(at) => {
                        self.args.get(at - 1).map_or(Got::Nothing, |arg| Got::One(arg.clone()))
                    }
                    None => Got::Nothing,
                }
            }
        }
    }

    /// Returns a variable's attribute letters, as `${x@a}` shows them.
    pub(crate) fn attributes(var: &Var) -> String {
        let mut letters = String::new();
        match var.value {
            Value::Indexed(..) => letters.push('a'),
            Value::Assoc(..) => letters.push('A'),
            Value::Unset | Value::Scalar(_) => {}
        }
        let flags = [
            (flag::INTEGER, 'i'),
            (flag::NAMEREF, 'n'),
            (flag::READONLY, 'r'),
            (flag::TRACE, 't'),
            (flag::EXPORT, 'x'),
            (flag::CAPITAL, 'c'),
            (flag::LOWER, 'l'),
            (flag::UPPER, 'u'),
        ];
        letters.extend(flags.iter().filter(|(flag, _)| var.has(*flag)).map(|(_, letter)| letter));
        letters
    }
}
