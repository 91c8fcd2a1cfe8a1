//! The adapter through which the `selectors` crate sees elements of the arena.
//!
//! Meets T-DOM-011.

use super::pseudo::{PseudoClass, PseudoElement, is_link};
use super::types::{Css, Name, Text, Url};
use crate::node::{Data, Element, NIL};
use crate::tree::Tree;
use html5ever::{local_name, ns};
use selectors::OpaqueElement;
use selectors::attr::{AttrSelectorOperation, CaseSensitivity, NamespaceConstraint};
use selectors::bloom::BloomFilter;
use selectors::matching::{ElementSelectorFlags, MatchingContext};
use std::cell::Cell;
use std::fmt;

/// The visible part of the tree and the remaining work of one search.
pub(crate) struct Matching<'t> {
    pub(crate) tree: &'t Tree,
    /// Topmost visible element, or `NIL` if the whole tree is visible.
    pub(crate) boundary: u32,
    /// True if names of HTML elements are compared without regard to case.
    pub(crate) html: bool,
    /// Remaining steps. At zero nothing is visible any more, which ends every search.
    pub(crate) steps: Cell<u64>,
}

/// Steps between two polls of the interrupt, about 100 microseconds.
const UNINTERRUPTED: u64 = 4096;

impl Matching<'_> {
    fn step(&self) -> bool {
        let left = self.steps.get();
        if left == 0 {
            return false;
        }
        if left.is_multiple_of(UNINTERRUPTED) && self.tree.interrupt.is_over() {
            self.steps.set(0);
            return false;
        }
        self.steps.set(left - 1);
        true
    }
}

/// An element as seen by one search.
#[derive(Clone, Copy)]
pub(crate) struct ElementRef<'m> {
    pub(crate) matching: &'m Matching<'m>,
    pub(crate) slot: u32,
}

impl fmt::Debug for ElementRef<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "ElementRef({})", self.slot)
    }
}

impl<'m> ElementRef<'m> {
    fn inner(&self) -> Option<&'m Element> {
        self.matching.tree.element(self.slot)
    }

    fn at(&self, slot: u32) -> Option<Self> {
        (slot != NIL && self.matching.tree.element(slot).is_some())
            .then_some(ElementRef { matching: self.matching, slot })
    }

    fn plain(&self, local: &html5ever::LocalName) -> Option<&'m str> {
        self.inner()?.plain(local)
    }
}

impl<'m> selectors::Element for ElementRef<'m> {
    type Impl = Css;

    fn opaque(&self) -> OpaqueElement {
        OpaqueElement::new(self.matching.tree.node(self.slot))
    }

    fn parent_element(&self) -> Option<Self> {
        if !self.matching.step() || self.slot == self.matching.boundary {
            return None;
        }
        self.at(self.matching.tree.node(self.slot).parent)
    }

    fn parent_node_is_shadow_root(&self) -> bool {
        false
    }

    fn containing_shadow_host(&self) -> Option<Self> {
        None
    }

    fn is_pseudo_element(&self) -> bool {
        false
    }

    fn prev_sibling_element(&self) -> Option<Self> {
        if self.slot == self.matching.boundary {
            return None;
        }
        let mut here = self.slot;
        while self.matching.step() {
            here = self.matching.tree.node(here).previous;
            if here == NIL {
                return None;
            }
            if let Some(element) = self.at(here) {
                return Some(element);
            }
        }
        None
    }

    fn next_sibling_element(&self) -> Option<Self> {
        if self.slot == self.matching.boundary {
            return None;
        }
        let mut here = self.slot;
        while self.matching.step() {
            here = self.matching.tree.node(here).next;
            if here == NIL {
                return None;
            }
            if let Some(element) = self.at(here) {
                return Some(element);
            }
        }
        None
    }

    fn first_element_child(&self) -> Option<Self> {
        let mut here = self.matching.tree.node(self.slot).first;
        while here != NIL && self.matching.step() {
            if let Some(element) = self.at(here) {
                return Some(element);
            }
            here = self.matching.tree.node(here).next;
        }
        None
    }

    fn is_html_element_in_html_document(&self) -> bool {
        self.matching.html && self.inner().is_some_and(|e| e.name.ns == ns!(html))
    }

    fn has_local_name(&self, name: &Name) -> bool {
        self.matching.step() && self.inner().is_some_and(|e| e.name.local == name.0)
    }

    fn has_namespace(&self, namespace: &Url) -> bool {
        self.inner().is_some_and(|e| e.name.ns == namespace.0)
    }

    fn is_same_type(&self, other: &Self) -> bool {
        match (self.inner(), other.inner()) {
            (Some(a), Some(b)) => a.name.expanded() == b.name.expanded(),
            _ => false,
        }
    }

    fn attr_matches(
        &self,
        namespace: &NamespaceConstraint<&Url>,
        name: &Name,
        operation: &AttrSelectorOperation<&Text>,
    ) -> bool {
        let Some(inner) = self.inner() else { return false };
        self.matching.step()
            && inner.attributes.iter().any(|attribute| {
                let fits = match namespace {
                    NamespaceConstraint::Any => true,
                    NamespaceConstraint::Specific(url) => attribute.name.ns == url.0,
                };
                fits && attribute.name.local == name.0 && operation.eval_str(&attribute.value)
            })
    }

    fn match_non_ts_pseudo_class(&self, class: &PseudoClass, _: &mut MatchingContext<Css>) -> bool {
        self.matching.step() && class.matches(self.matching.tree, self.slot, self.matching.boundary)
    }

    fn match_pseudo_element(&self, _: &PseudoElement, _: &mut MatchingContext<Css>) -> bool {
        false
    }

    fn apply_selector_flags(&self, _: ElementSelectorFlags) {}

    fn is_link(&self) -> bool {
        self.inner().is_some_and(is_link)
    }

    fn is_html_slot_element(&self) -> bool {
        false
    }

    fn has_id(&self, id: &Text, case: CaseSensitivity) -> bool {
        self.matching.step()
            && self
                .plain(&local_name!("id"))
                .is_some_and(|own| case.eq(own.as_bytes(), id.0.as_bytes()))
    }

    fn has_class(&self, name: &Text, case: CaseSensitivity) -> bool {
        self.matching.step()
            && self.plain(&local_name!("class")).is_some_and(|own| {
                own.split_ascii_whitespace().any(|c| case.eq(c.as_bytes(), name.0.as_bytes()))
            })
    }

    fn has_custom_state(&self, _: &Text) -> bool {
        false
    }

    fn imported_part(&self, _: &Text) -> Option<Text> {
        None
    }

    fn is_part(&self, _: &Text) -> bool {
        false
    }

    fn is_empty(&self) -> bool {
        let tree = self.matching.tree;
        self.matching.step()
            && tree.children_at(self.slot).all(|child| match &tree.node(child).data {
                Data::Text(text) | Data::CData(text) => text.is_empty(),
                Data::Element(_) => false,
                Data::Comment(_)
                | Data::Instruction(_)
                | Data::Doctype(_)
                | Data::Document(..)
                | Data::Fragment(_)
                | Data::Free(_) => true,
            })
    }

    fn is_root(&self) -> bool {
        if self.matching.boundary != NIL {
            return self.slot == self.matching.boundary;
        }
        let parent = self.matching.tree.node(self.slot).parent;
        parent != NIL && matches!(self.matching.tree.node(parent).data, Data::Document(..))
    }

    fn add_element_unique_hashes(&self, _: &mut BloomFilter) -> bool {
        false
    }
}
