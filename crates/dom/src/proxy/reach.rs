//! The elements that a grant makes reachable.

use super::Grants;
use crate::error::Error;
use crate::node::{NIL, NodeId};
use crate::page::Page;
use crate::select::Place;
use std::collections::{HashMap, HashSet};

/// The part of a page that a grant covers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Reach {
    /// No element.
    #[default]
    Nothing,
    /// The elements that match any of these selectors, and their descendants.
    Inside(Vec<String>),
    /// The whole page.
    Everything,
}

/// The outermost reachable elements, in document order.
#[derive(Debug)]
pub(super) enum Begin {
    Everywhere,
    At {
        order: Vec<NodeId>,
        set: HashSet<NodeId>,
        /// Elements that each selector of a grant selected. A tool that uses exactly the text of a
        /// grant receives these, even if the selector refers to elements outside.
        named: HashMap<String, Vec<NodeId>>,
    },
}

#[derive(Debug)]
pub(super) struct Roots {
    pub(super) read: Begin,
    pub(super) write: Begin,
    raw: Begin,
}

/// Treatment of markup and attributes that a tool writes to an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// Removes or refuses everything that could run or load anything.
    Sanitised,
    /// Inserts everything unchanged.
    Raw,
}

impl Roots {
    pub(super) fn find(
        page: &mut Page,
        named: &mut Named,
        grants: &Grants,
    ) -> Result<Roots, Error> {
        let mut begin = |reach| named.begin(page, reach);
        Ok(Roots {
            read: begin(&grants.read)?,
            write: begin(&grants.write)?,
            raw: begin(&grants.raw)?,
        })
    }

    pub(super) fn writing(&self, page: &Page, at: Place) -> Writing {
        match self.raw.place_of(page, page.tree.id(at.scope)) {
            Some(_) => Writing::Raw,
            None => Writing::Sanitised,
        }
    }
}

/// The elements that selectors of grants selected when first used since the host last changed the
/// page. There is one entry per grant.
#[derive(Debug, Default)]
pub(super) struct Named {
    epoch: u64,
    by_selector: HashMap<String, Vec<NodeId>>,
}

impl Named {
    fn nodes(&mut self, page: &mut Page, selector: &str) -> Result<&[NodeId], Error> {
        if self.epoch != page.epoch {
            (self.epoch, self.by_selector) = (page.epoch, HashMap::new());
        }
        if !self.by_selector.contains_key(selector) {
            let nodes = page.tree.query_all(page.document(), selector)?;
            self.by_selector.insert(selector.to_owned(), nodes);
        }
        Ok(self.by_selector.get(selector).map_or(&[], Vec::as_slice))
    }

    pub(super) fn begin(&mut self, page: &mut Page, reach: &Reach) -> Result<Begin, Error> {
        let selectors = match reach {
            Reach::Nothing => {
                let (order, set, named) = Default::default();
                return Ok(Begin::At { order, set, named });
            }
            Reach::Everything => return Ok(Begin::Everywhere),
            Reach::Inside(selectors) => selectors,
        };
        let document = page.document();
        let mut is_named = vec![false; page.tree.nodes.len()];
        let mut named = HashMap::new();
        for selector in selectors {
            let nodes = self.nodes(page, selector)?.to_vec();
            for node in &nodes {
                // The slot of a freed node may hold another element by now.
                if let Ok(slot) = page.tree.slot(*node) {
                    is_named[slot as usize] = true;
                }
            }
            named.insert(selector.clone(), nodes);
        }
        let tree = &page.tree;
        let mut outermost = Vec::new();
        let mut here = document.slot;
        while here != NIL {
            here = if is_named[here as usize] {
                outermost.push(tree.id(here));
                tree.following_skipping(here, document.slot)
            } else {
                tree.following(here, document.slot)
            };
        }
        let set = outermost.iter().copied().collect();
        Ok(Begin::At { order: outermost, set, named })
    }
}

impl Begin {
    /// Returns the places to search.
    pub(super) fn places(&self, page: &Page) -> Vec<Place> {
        match self {
            Begin::Everywhere => vec![Place { scope: page.document().slot, boundary: NIL }],
            Begin::At { order, .. } => order
                .iter()
                .filter(|root| is_in_page(page, **root))
                .map(|root| Place { scope: root.slot, boundary: root.slot })
                .collect(),
        }
    }

    /// Returns the places that a grant with exactly this selector selected, in document order.
    pub(super) fn named(&self, page: &Page, selector: &str) -> Vec<Place> {
        match self {
            Begin::Everywhere => Vec::new(),
            Begin::At { named, .. } => {
                let nodes = named.get(selector.trim()).into_iter().flatten();
                nodes.filter_map(|node| self.place_of(page, *node)).collect()
            }
        }
    }

    /// Returns the place that contains an element, or `None` if it is not reachable.
    pub(super) fn place_of(&self, page: &Page, node: NodeId) -> Option<Place> {
        if !is_in_page(page, node) {
            return None;
        }
        let scope = node.slot;
        match self {
            Begin::Everywhere => Some(Place { scope, boundary: NIL }),
            Begin::At { set, .. } => {
                let tree = &page.tree;
                std::iter::once(scope)
                    .chain(tree.ancestors_at(scope))
                    .find(|&above| set.contains(&tree.id(above)))
                    .map(|boundary| Place { scope, boundary })
            }
        }
    }
}

fn is_in_page(page: &Page, node: NodeId) -> bool {
    page.tree.slot(node).is_ok_and(|slot| page.tree.root_of(slot) == page.document().slot)
}
