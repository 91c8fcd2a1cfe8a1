//! The cheapest way to the elements that a selector can match.

use super::types::Css;
use html5ever::LocalName;
use selectors::parser::{Component, SelectorList};

/// Where to look, and whether what is found there needs another look.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) key: Key,
    /// Whether whatever has the key matches.
    pub(crate) exact: bool,
}

/// What every match of a selector has.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Id(Box<str>),
    Class(Box<str>),
    Tag(LocalName),
    Nothing,
}

impl Plan {
    pub(crate) fn of(list: &SelectorList<Css>) -> Plan {
        let nothing = Plan { key: Key::Nothing, exact: false };
        let [selector] = list.slice() else { return nothing };
        let mut key = Key::Nothing;
        let mut parts = 0;
        // The compound of the subject comes first.
        for component in selector.iter() {
            parts += 1;
            match component {
                Component::ID(id) => key = Key::Id(id.0.clone()),
                Component::Class(class) if !matches!(key, Key::Id(_)) => {
                    key = Key::Class(class.0.clone());
                }
                Component::LocalName(name)
                    if key == Key::Nothing && name.name == name.lower_name =>
                {
                    key = Key::Tag(name.name.0.clone());
                }
                _ => {}
            }
        }
        let exact = parts == 1 && selector.len() == 1 && key != Key::Nothing;
        Plan { key, exact }
    }
}
