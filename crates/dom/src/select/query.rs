//! Queries on a tree: finding and testing elements by selector.

use super::element::{ElementRef, Matching};
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
use selectors::matching::{MatchingContext, matches_selector, matches_selector_list};
use selectors::parser::Selector;
use std::cell::Cell;

/// Most steps of one query, which take a few hundred milliseconds.
///
/// Selectors such as `:is(* :is(* :is(* a)))` visit all ancestors of all ancestors; without a
/// limit, the longest accepted selector would not finish in a lifetime.
// T-DOM-004: host time and memory through selectors.
const MAX_STEPS: u64 = 10_000_000;

/// The part of the tree that a query searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// The descendants of this node are searched.
    pub(crate) scope: u32,
    /// Element beyond which nothing is visible, or `NIL` for the whole tree.
    pub(crate) boundary: u32,
}

impl Tree {
    /// Returns the first element below `scope` that matches a selector.
    pub fn query_first(&mut self, scope: NodeId, selector: &str) -> Result<Option<NodeId>, Error> {
        let scope = self.slot(scope)?;
        let found = self.find(Place { scope, boundary: NIL }, selector, 1)?;
        Ok(found.first().map(|&slot| self.id(slot)))
    }

    /// Returns all elements below `scope` that match a selector, in document order.
    pub fn query_all(&mut self, scope: NodeId, selector: &str) -> Result<Vec<NodeId>, Error> {
        let scope = self.slot(scope)?;
        let found = self.find(Place { scope, boundary: NIL }, selector, usize::MAX)?;
        Ok(found.into_iter().map(|slot| self.id(slot)).collect())
    }

    /// Returns the first element below `root` with this id.
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

    /// Returns all elements below `root` that satisfy `test`, in document order. The test receives
    /// the name and the `class` attribute.
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

    /// Returns true if the element matches a selector.
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

    /// Returns the specificity of the most specific selector of a list that the element matches, or
    /// `None` if it matches none. Greater is more specific.
    pub fn specificity(&mut self, element: NodeId, list: &str) -> Result<Option<u32>, Error> {
        let slot = self.slot(element)?;
        let parsed = self.memory.selector(list)?;
        if self.element(slot).is_none() {
            return Ok(None);
        }
        let mut search = Search::new(self, &parsed, NIL, slot);
        let matched = parsed.list.slice().iter().filter(|one| search.matches_one(one, slot));
        let found = matched.map(|selector| selector.specificity()).max();
        search.end(list)?;
        Ok(found)
    }

    /// Returns the nearest element that matches a selector, starting with the element itself.
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

    /// Returns the first `most` matches in a place, including the boundary if it is the scope.
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

    /// Builds the index if it pays off. Returns true if this query can use it.
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
        let parsed = self.parsed;
        self.test(slot, |element, context| matches_selector_list(&parsed.list, element, context))
    }

    /// Tests one selector of the list.
    fn matches_one(&mut self, selector: &Selector<Css>, slot: u32) -> bool {
        self.test(slot, |element, context| matches_selector(selector, 0, None, element, context))
    }

    fn test(
        &mut self,
        slot: u32,
        test: impl FnOnce(ElementRef<'_>, &mut MatchingContext<'_, Css>) -> bool,
    ) -> bool {
        let mut context = MatchingContext::<Css>::new(
            MatchingMode::Normal,
            None,
            &mut self.caches,
            self.quirks,
            NeedsSelectorFlags::No,
            MatchingForInvalidation::No,
        );
        // A document is not an element. With `None`, `:scope` is the root.
        if self.matching.tree.element(self.scope).is_some() {
            let scope = ElementRef { matching: &self.matching, slot: self.scope };
            context.scope_element = Some(selectors::Element::opaque(&scope));
        }
        let element = ElementRef { matching: &self.matching, slot };
        test(element, &mut context)
    }

    /// Returns true if the element really has the key, not just its hash.
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

    /// Returns true if no steps are left.
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
