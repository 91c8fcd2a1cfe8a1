//! Calls that read a page.

use super::Proxy;
use super::call::{Answer, Target};
use super::reach::Begin;
use super::snapshot::{MAX_ANSWER, MAX_EACH, MAX_SINGLE, copy, too_long};
use crate::error::{Error, ErrorKind};
use crate::page::Page;
use crate::select::Place;
use crate::serialize::Part;
use crate::tree::Tree;
use std::collections::HashSet;

/// Most elements in one answer.
const MAX_ELEMENTS: usize = 10_000;

impl Proxy {
    /// Returns the first element of a target and the place that contains it.
    pub(super) fn resolve(
        &self,
        page: &mut Page,
        begin: &Begin,
        target: Target<'_>,
    ) -> Result<Option<Place>, Error> {
        match target {
            Target::Handle(number) => {
                Ok(self.handled(number).and_then(|node| begin.place_of(page, node)))
            }
            Target::Selector(selector) => {
                // Parsed even if there is nothing to search, so that a malformed selector is
                // reported.
                page.tree.memory.selector(selector)?;
                if let Some(&place) = begin.named(page, selector).first() {
                    return Ok(Some(place));
                }
                for place in begin.places(page) {
                    if let Some(&scope) = page.tree.find(place, selector, 1)?.first() {
                        return Ok(Some(Place { scope, ..place }));
                    }
                }
                Ok(None)
            }
        }
    }

    pub(super) fn matches(
        &self,
        page: &mut Page,
        begin: &Begin,
        within: Option<u32>,
        selector: &str,
        most: usize,
    ) -> Result<Vec<u32>, Error> {
        page.tree.memory.selector(selector)?;
        let places = match within {
            None => begin.places(page),
            Some(number) => {
                let node = self.handled(number);
                node.and_then(|node| begin.place_of(page, node)).into_iter().collect()
            }
        };
        let mut found: Vec<u32> = match within {
            None => begin.named(page, selector).iter().map(|place| place.scope).collect(),
            Some(_) => Vec::new(),
        };
        found.truncate(most);
        let named: HashSet<u32> = found.iter().copied().collect();
        for place in places {
            let most = most - found.len();
            if most == 0 {
                break;
            }
            // A search below a handle excludes the element itself, even if it is the boundary.
            let own = usize::from(within.is_some() && place.scope == place.boundary);
            let more = page.tree.find(place, selector, most.saturating_add(own + named.len()))?;
            let is_new = |s: &u32| (own == 0 || *s != place.scope) && !named.contains(s);
            found.extend(more.into_iter().filter(is_new).take(most));
        }
        Ok(found)
    }

    pub(super) fn first(
        &mut self,
        page: &mut Page,
        begin: &Begin,
        within: Option<u32>,
        selector: &str,
    ) -> Result<Answer, Error> {
        let found = self.matches(page, begin, within, selector, 1)?;
        let Some(&slot) = found.first() else { return Ok(Answer::Nothing) };
        let handle = self.handle(page.tree.id(slot))?;
        let mut room = MAX_ANSWER;
        Ok(Answer::Element(Box::new(copy(&page.tree, slot, handle, MAX_SINGLE, &mut room)?)))
    }

    pub(super) fn all(
        &mut self,
        page: &mut Page,
        begin: &Begin,
        within: Option<u32>,
        selector: &str,
    ) -> Result<Answer, Error> {
        let found = self.matches(page, begin, within, selector, MAX_ELEMENTS + 1)?;
        if found.len() > MAX_ELEMENTS {
            let text = format!("answer: more than {MAX_ELEMENTS} elements");
            return Err(Error::new(ErrorKind::QuotaExceeded, text));
        }
        let mut room = MAX_ANSWER;
        let mut copies = Vec::with_capacity(found.len());
        for slot in found {
            let handle = self.handle(page.tree.id(slot))?;
            copies.push(copy(&page.tree, slot, handle, MAX_EACH, &mut room)?);
        }
        Ok(Answer::Elements(copies))
    }

    pub(super) fn count(
        &mut self,
        page: &mut Page,
        begin: &Begin,
        selector: &str,
    ) -> Result<Answer, Error> {
        let found = self.matches(page, begin, None, selector, usize::MAX)?;
        Ok(Answer::Count(u32::try_from(found.len()).unwrap_or(u32::MAX)))
    }
}

pub(super) fn text(tree: &Tree, slot: u32) -> Result<Answer, Error> {
    let text = tree.text_below(slot, MAX_ANSWER + 1);
    if text.len() > MAX_ANSWER { Err(too_long()) } else { Ok(Answer::Text(text)) }
}

pub(super) fn attribute(tree: &Tree, slot: u32, name: &str) -> Result<Answer, Error> {
    match tree.attribute(tree.id(slot), name) {
        None => Ok(Answer::Nothing),
        Some(value) if value.len() > MAX_ANSWER => Err(too_long()),
        Some(value) => Ok(Answer::Text(value.to_owned())),
    }
}

pub(super) fn html(tree: &Tree, slot: u32) -> Result<Answer, Error> {
    let html = tree.write_html(slot, Part::Inner, MAX_ANSWER);
    if html.complete { Ok(Answer::Text(html.text)) } else { Err(too_long()) }
}
