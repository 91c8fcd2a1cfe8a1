//! Parsing of selectors, with limits on their size and nesting.

use super::language::{read_direction, read_ranges};
use super::plan::Plan;
use super::pseudo::{PseudoClass, PseudoElement};
use super::types::{Css, Text, Url};
use crate::error::{Error, ErrorKind, shortened};
use cssparser::{ParseError, Parser as Input};
use html5ever::Namespace;
use selectors::parser::{
    Combinator, Component, ParseRelative, Parser, RelativeSelector, Selector, SelectorList,
    SelectorParseErrorKind, SelectorVisitor,
};

/// Longest selector, in bytes.
// T-DOM-004: host time and memory through selectors.
pub(crate) const MAX_LENGTH: usize = 16 * 1024;

/// Deepest nesting of brackets; parsing and matching recurse once per level.
const MAX_NESTING: usize = 24;

/// Most combinators in one alternative, including those in brackets; matching recurses for each.
const MAX_COMBINATORS: usize = 128;

/// A parsed selector list and the plan for finding its matches.
#[derive(Debug)]
pub(crate) struct Parsed {
    pub(crate) list: SelectorList<Css>,
    pub(crate) plan: Plan,
}

/// Parses a selector list.
pub(crate) fn read(text: &str) -> Result<Parsed, Error> {
    let wrong = |reason: &str| {
        let text = format!("'{}': {reason}", shortened(text));
        Err(Error::new(ErrorKind::Syntax, text))
    };
    if text.len() > MAX_LENGTH {
        return wrong(&format!("longer than {MAX_LENGTH} bytes"));
    }
    if nesting(text) > MAX_NESTING {
        return wrong(&format!("nested more than {MAX_NESTING} levels deep"));
    }
    let mut input = Input::new(text);
    let Ok(list) = SelectorList::parse(&Reader, &mut input, ParseRelative::No) else {
        return wrong("not a valid selector");
    };
    if list.slice().iter().any(|selector| combinators(selector) > MAX_COMBINATORS) {
        return wrong(&format!("more than {MAX_COMBINATORS} combinators"));
    }
    let plan = Plan::of(&list);
    Ok(Parsed { list, plan })
}

/// Returns the depth of brackets. Counts those in strings too, so it may overestimate.
fn nesting(text: &str) -> usize {
    let (mut depth, mut most) = (0usize, 0);
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => {
                depth += 1;
                most = most.max(depth);
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    most
}

fn combinators(selector: &Selector<Css>) -> usize {
    let mut count = Count(0);
    selector.visit(&mut count);
    count.0
}

struct Count(usize);

impl SelectorVisitor for Count {
    type Impl = Css;

    fn visit_complex_selector(&mut self, combinator: Option<Combinator>) -> bool {
        self.0 += usize::from(combinator.is_some());
        true
    }

    fn visit_relative_selector_list(&mut self, list: &[RelativeSelector<Css>]) -> bool {
        for relative in list {
            self.0 += 1;
            relative.selector.visit(self);
        }
        true
    }

    fn visit_simple_selector(&mut self, _: &Component<Css>) -> bool {
        true
    }
}

struct Reader;

impl<'i> Parser<'i> for Reader {
    type Impl = Css;
    type Error = SelectorParseErrorKind;

    fn parse_is_and_where(&self) -> bool {
        true
    }

    fn parse_has(&self) -> bool {
        true
    }

    fn parse_nth_child_of(&self) -> bool {
        true
    }

    fn is_is_alias(&self, name: &str) -> bool {
        name.eq_ignore_ascii_case("-webkit-any")
    }

    fn parse_non_ts_pseudo_class(
        &self,
        name: &str,
    ) -> Result<PseudoClass, ParseError<SelectorParseErrorKind>> {
        PseudoClass::named(name).ok_or_else(unsupported)
    }

    fn parse_pseudo_element(
        &self,
        name: &str,
    ) -> Result<PseudoElement, ParseError<SelectorParseErrorKind>> {
        PseudoElement::named(name).ok_or_else(unsupported)
    }

    fn parse_functional_pseudo_element(
        &self,
        name: &str,
        arguments: &mut Input<'i>,
    ) -> Result<PseudoElement, ParseError<SelectorParseErrorKind>> {
        let element = PseudoElement::function(name).ok_or_else(unsupported)?;
        // The arguments have no effect on a selector that matches nothing.
        if arguments.is_exhausted() {
            return Err(unsupported());
        }
        while arguments.next().is_ok() {}
        Ok(element)
    }

    fn parse_non_ts_functional_pseudo_class(
        &self,
        name: &str,
        arguments: &mut Input<'i>,
        _: bool,
    ) -> Result<PseudoClass, ParseError<SelectorParseErrorKind>> {
        if name.eq_ignore_ascii_case("lang") {
            return read_ranges(arguments).map(PseudoClass::Lang);
        }
        if name.eq_ignore_ascii_case("dir") {
            return read_direction(arguments).map(PseudoClass::Dir);
        }
        Err(unsupported())
    }

    fn namespace_for_prefix(&self, prefix: &Text) -> Option<Url> {
        // The DOM standard declares no prefix for selectors.
        let _ = prefix;
        None
    }

    fn default_namespace(&self) -> Option<Url> {
        None::<Namespace>.map(Url)
    }
}

fn unsupported() -> ParseError<SelectorParseErrorKind> {
    ParseError::custom(SelectorParseErrorKind::UnsupportedPseudoClassOrElement)
}
