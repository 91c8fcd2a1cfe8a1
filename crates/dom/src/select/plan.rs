//! The choice of an index key that narrows down the candidates of a selector.

use super::types::Css;
use html5ever::LocalName;
use selectors::parser::{Component, SelectorList};

/// The candidates of a selector, and the remaining check.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Plan {
    pub(crate) key: Key,
    /// True if every element with the key matches, without a further check.
    pub(crate) exact: bool,
}

/// A property that every match of a selector has.
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
        // The compound selector of the subject comes first.
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
