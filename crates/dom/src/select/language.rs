//! Language and direction of elements, for `:lang()` and `:dir()`.

use crate::node::{Data, Element};
use crate::tree::Tree;
use cssparser::{ParseError, Parser as Input};
use html5ever::{local_name, ns};
use selectors::parser::SelectorParseErrorKind;

/// Most ranges in one `:lang()`.
const MAX_RANGES: usize = 64;

/// The direction of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    LeftToRight,
    RightToLeft,
}

/// Parses the arguments of `:lang()`: identifiers or strings, separated by commas.
pub(super) fn read_ranges(
    input: &mut Input<'_>,
) -> Result<Box<[Box<str>]>, ParseError<SelectorParseErrorKind>> {
    let mut ranges = Vec::new();
    loop {
        ranges.push(Box::from(input.expect_ident_or_string()?.as_ref()));
        if input.is_exhausted() {
            return Ok(ranges.into());
        }
        if ranges.len() == MAX_RANGES {
            return Err(ParseError::custom(SelectorParseErrorKind::UnexpectedIdent));
        }
        input.expect_comma()?;
    }
}

/// Parses the argument of `:dir()`. Other words than the two are valid and match nothing.
pub(super) fn read_direction(
    input: &mut Input<'_>,
) -> Result<Option<Direction>, ParseError<SelectorParseErrorKind>> {
    let word = input.expect_ident()?;
    Ok(if word.eq_ignore_ascii_case("ltr") {
        Some(Direction::LeftToRight)
    } else if word.eq_ignore_ascii_case("rtl") {
        Some(Direction::RightToLeft)
    } else {
        None
    })
}

/// Returns the element and its ancestors up to `boundary`, since nothing outside it may be
/// observed.
fn within(tree: &Tree, slot: u32, boundary: u32) -> impl Iterator<Item = &Element> {
    let mut is_over = false;
    std::iter::once(slot)
        .chain(tree.ancestors_at(slot))
        .take_while(move |&here| !std::mem::replace(&mut is_over, here == boundary))
        .filter_map(|here| tree.element(here))
}

/// Returns the language tag that holds for an element; empty if it is unknown.
pub(super) fn language_of(tree: &Tree, slot: u32, boundary: u32) -> &str {
    within(tree, slot, boundary)
        .find_map(|element| {
            let xml = |a: &&crate::node::Attribute| {
                a.name.ns == ns!(xml) && a.name.local == local_name!("lang")
            };
            match element.attributes.iter().find(xml) {
                Some(attribute) => Some(attribute.value()),
                None if element.name.ns == ns!(html) => element.plain(&local_name!("lang")),
                None => None,
            }
        })
        .unwrap_or_default()
}

/// Returns true if a language tag is in a range, by the extended filtering of RFC 4647.
pub(super) fn is_in_range(range: &str, tag: &str) -> bool {
    if range.is_empty() || tag.is_empty() {
        return range.is_empty() && tag.is_empty();
    }
    let (mut wanted, mut own) = (range.split('-'), tag.split('-'));
    let (Some(first), Some(primary)) = (wanted.next(), own.next()) else { return false };
    if first != "*" && !first.eq_ignore_ascii_case(primary) {
        return false;
    }
    for part in wanted.filter(|part| *part != "*") {
        loop {
            match own.next() {
                None => return false,
                Some(subtag) if subtag.eq_ignore_ascii_case(part) => break,
                // A single letter begins an extension, which a range must name.
                Some(subtag) if subtag.len() == 1 => return false,
                Some(_) => {}
            }
        }
    }
    true
}

/// Returns the direction of an element: its own, or that of the nearest ancestor with one.
pub(super) fn direction_of(tree: &Tree, slot: u32, boundary: u32) -> Direction {
    let mut here = slot;
    loop {
        let element = tree.element(here).filter(|element| element.name.ns == ns!(html));
        let dir = element.and_then(|e| e.plain(&local_name!("dir"))).unwrap_or_default();
        let is_bidi = element.is_some_and(|e| &*e.name.local == "bdi");
        if dir.eq_ignore_ascii_case("ltr") {
            return Direction::LeftToRight;
        }
        if dir.eq_ignore_ascii_case("rtl") {
            return Direction::RightToLeft;
        }
        if dir.eq_ignore_ascii_case("auto") || is_bidi {
            return text_direction(tree, here).unwrap_or(Direction::LeftToRight);
        }
        let above = tree.node(here).parent;
        if here == boundary || above == crate::node::NIL {
            return Direction::LeftToRight;
        }
        here = above;
    }
}

/// Returns the direction of the first letter below an element.
fn text_direction(tree: &Tree, slot: u32) -> Option<Direction> {
    for below in tree.subtree_at(slot) {
        let (Data::Text(text) | Data::CData(text)) = &tree.node(below).data else { continue };
        if let Some(letter) = text.chars().find(|c| c.is_alphabetic()) {
            let is_rtl = matches!(
                letter,
                '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}'
                    | '\u{10800}'..='\u{10fff}' | '\u{1e800}'..='\u{1efff}'
            );
            return Some(if is_rtl { Direction::RightToLeft } else { Direction::LeftToRight });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::is_in_range;

    fn check(range: &str, tag: &str, expect: bool) {
        assert_eq!(is_in_range(range, tag), expect, "{range} {tag}");
    }

    #[test]
    fn a_range_contains_longer_tags_and_not_longer_words() {
        check("en", "EN-gb", true);
        check("en", "english", false);
        check("en-gb", "en", false);
    }

    #[test]
    fn a_range_skips_subtags_but_no_extension() {
        check("de-DE", "de-Latn-DE-1996", true);
        check("*-CH", "fr-CH", true);
        check("de-DE", "de-x-DE", false);
    }

    #[test]
    fn an_empty_range_contains_the_unknown_language_only() {
        check("", "", true);
        check("", "en", false);
        check("*", "", false);
    }
}
