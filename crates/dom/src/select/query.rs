use super::element::{Element, Matching};
use super::index::Index;
use super::plan::Key;
use super::read::Parsed;
use super::types::Css;
use crate::error::{Error, ErrorKind, shortened};
use crate::node::{NIL, NodeId, Quirks};
use crate::tree::Tree;
use selectors::context::{
    MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
};
use selectors::matching::{MatchingContext, matches_selector_list};
use std::cell::Cell;

/// Most steps of one query: a few hundred milliseconds.
///
/// Selectors such as `:is(* :is(* :is(* a)))` look at all ancestors of all ancestors; the longest
/// that may be written would not end in a lifetime.
const MAX_STEPS: u64 = 10_000_000;

/// Where a query looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// What is below this node can be found.
    pub(crate) scope: u32,
    /// The element that nothing is seen beyond, or `NIL` for the whole tree.
    pub(crate) boundary: u32,
}

impl Tree {
    /// The first element below `scope` that a selector matches.
    pub fn query_first(&mut self, scope: NodeId, selector: &str) -> Result<Option<NodeId>, Error> {
        let scope = self.slot(scope)?;
        let found = self.find(Place { scope, boundary: NIL }, selector, 1)?;
        Ok(found.first().map(|&slot| self.id(slot)))
    }

    /// All elements below `scope` that a selector matches, in document order.
    pub fn query_all(&mut self, scope: NodeId, selector: &str) -> Result<Vec<NodeId>, Error> {
        let scope = self.slot(scope)?;
        let found = self.find(Place { scope, boundary: NIL }, selector, usize::MAX)?;
        Ok(found.into_iter().map(|slot| self.id(slot)).collect())
    }

    /// The first element below `root` with this id.
    pub fn element_by_id(&mut self, root: NodeId, id: &str) -> Result<Option<NodeId>, Error> {
        let scope = self.slot(root)?;
        let is_it = |tree: &Tree, slot: u32| {
            tree.element(slot).is_some_and(|e| e.plain(&html5ever::local_name!("id")) == Some(id))
        };
        let key = Key::Id(id.into());
        if !id.is_empty() && self.index_is_ready(scope) {
            let candidates = self.memory.index.as_ref().and_then(|index| index.below(scope, &key));
            if let Some(mut candidates) = candidates {
                return Ok(candidates.find(|&slot| is_it(self, slot)).map(|slot| self.id(slot)));
            }
        }
        let found = self.subtree_at(scope).find(|&slot| is_it(self, slot) && !id.is_empty());
        Ok(found.map(|slot| self.id(slot)))
    }

    /// All elements below `root` that a test holds for, in document order.
    pub fn elements_below(
        &self,
        root: NodeId,
        test: impl Fn(&html5ever::QualName, &str) -> bool,
    ) -> Result<Vec<NodeId>, Error> {
        let root = self.slot(root)?;
        let mut found = Vec::new();
        let mut here = self.following(root, root);
        while here != NIL {
            if let Some(element) = self.element(here)
                && test(
                    &element.name,
                    element.plain(&html5ever::local_name!("class")).unwrap_or_default(),
                )
            {
                found.push(self.id(here));
            }
            here = self.following(here, root);
        }
        Ok(found)
    }

    /// Whether a selector matches an element.
    pub fn matches(&mut self, element: NodeId, selector: &str) -> Result<bool, Error> {
        let slot = self.slot(element)?;
        let parsed = self.memory.selector(selector)?;
        if self.element(slot).is_none() {
            return Ok(false);
        }
        let mut search = Search::new(self, &parsed, NIL, slot);
        let found = search.matches(slot);
        search.end(selector)?;
        Ok(found)
    }

    /// The element itself or the nearest above it that a selector matches.
    pub fn closest(&mut self, element: NodeId, selector: &str) -> Result<Option<NodeId>, Error> {
        let slot = self.slot(element)?;
        let parsed = self.memory.selector(selector)?;
        let mut search = Search::new(self, &parsed, NIL, slot);
        let found = std::iter::once(slot)
            .chain(self.ancestors_at(slot))
            .filter(|&above| self.element(above).is_some())
            .find(|&above| search.matches(above));
        search.end(selector)?;
        Ok(found.map(|slot| self.id(slot)))
    }

    /// The first `most` matches in a place; the boundary itself can be one when it is the scope.
    pub(crate) fn find(
        &mut self,
        place: Place,
        selector: &str,
        most: usize,
    ) -> Result<Vec<u32>, Error> {
        let Place { scope, boundary } = place;
        let parsed = self.memory.selector(selector)?;
        let indexed = self.prepare_index(scope, &parsed);
        let mut search = Search::new(self, &parsed, boundary, scope);
        let mut found = Vec::new();
        if scope == boundary && most > 0 && search.matches(scope) {
            found.push(scope);
        }
        if found.len() >= most {
            search.end(selector)?;
            return Ok(found);
        }
        let candidates = match &self.memory.index {
            Some(index) if indexed => index.below(scope, &parsed.plan.key),
            _ => None,
        };
        match candidates {
            Some(candidates) => {
                for slot in candidates {
                    let fits = match parsed.plan.exact {
                        true => search.has_key(slot, &parsed.plan.key),
                        false => search.matches(slot),
                    };
                    if fits {
                        found.push(slot);
                        if found.len() >= most {
                            break;
                        }
                    }
                    if search.has_given_up() {
                        break;
                    }
                }
            }
            None => {
                let mut here = self.following(scope, scope);
                while here != NIL && !search.has_given_up() {
                    if self.element(here).is_some() && search.matches(here) {
                        found.push(here);
                        if found.len() >= most {
                            break;
                        }
                    }
                    here = self.following(here, scope);
                }
            }
        }
        search.end(selector)?;
        Ok(found)
    }

    /// Makes the index when it is worth it; whether this query can use it.
    fn prepare_index(&mut self, scope: u32, parsed: &Parsed) -> bool {
        if parsed.plan.key == Key::Nothing {
            return false;
        }
        let (_, quirks) = self.document_kind(self.document_of(scope));
        if quirks == Quirks::Full && !matches!(parsed.plan.key, Key::Tag(_)) {
            return false;
        }
        self.index_is_ready(scope)
    }

    fn index_is_ready(&mut self, scope: u32) -> bool {
        let root = self.root_of(scope);
        let now = (root, self.version);
        let fresh = |index: &Index| (index.root, index.version) == now;
        if self.memory.index.as_ref().is_some_and(fresh) {
            return true;
        }
        if self.memory.wanted.replace(now) != Some(now) {
            return false;
        }
        self.memory.index = None;
        self.memory.index = Some(Index::of(self, root));
        true
    }
}

struct Search<'t, 'p> {
    matching: Matching<'t>,
    parsed: &'p Parsed,
    caches: SelectorCaches,
    quirks: QuirksMode,
    scope: u32,
}

impl<'t, 'p> Search<'t, 'p> {
    fn new(tree: &'t Tree, parsed: &'p Parsed, boundary: u32, scope: u32) -> Search<'t, 'p> {
        let document = tree.document_of(scope);
        let quirks = match tree.document_kind(document).1 {
            Quirks::None => QuirksMode::NoQuirks,
            Quirks::Full => QuirksMode::Quirks,
        };
        let html = tree.is_html_document(document);
        let matching = Matching { tree, boundary, html, steps: Cell::new(MAX_STEPS) };
        Search { matching, parsed, caches: SelectorCaches::default(), quirks, scope }
    }

    fn matches(&mut self, slot: u32) -> bool {
        let mut context = MatchingContext::<Css>::new(
            MatchingMode::Normal,
            None,
            &mut self.caches,
            self.quirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        // A document is no element; `:scope` then is the root, which is what `None` says.
        if self.matching.tree.element(self.scope).is_some() {
            let scope = Element { matching: &self.matching, slot: self.scope };
            context.scope_element = Some(selectors::Element::opaque(&scope));
        }
        let element = Element { matching: &self.matching, slot };
        matches_selector_list(&self.parsed.list, element, &mut context)
    }

    /// Whether an element has what a hash says it may have.
    fn has_key(&self, slot: u32, key: &Key) -> bool {
        let Some(element) = self.matching.tree.element(slot) else { return false };
        let plain = |name| element.plain(&name).unwrap_or_default();
        match key {
            Key::Tag(name) => element.name.local == *name,
            Key::Id(id) => plain(html5ever::local_name!("id")) == &**id,
            Key::Class(class) => plain(html5ever::local_name!("class"))
                .split_ascii_whitespace()
                .any(|c| c == &**class),
            Key::Nothing => false,
        }
    }

    /// Whether there are no steps left.
    fn has_given_up(&self) -> bool {
        self.matching.steps.get() == 0
    }

    fn end(&self, selector: &str) -> Result<(), Error> {
        if !self.has_given_up() {
            return Ok(());
        }
        let text = format!("'{}': the selector needs too many steps", shortened(selector));
        Err(Error::new(ErrorKind::QuotaExceeded, text))
    }
}
