use super::Grants;
use crate::error::Error;
use crate::node::{NIL, NodeId};
use crate::page::Page;
use crate::select::Place;
use std::collections::{HashMap, HashSet};

/// How much of a page a grant opens.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Reach {
    /// Nothing.
    #[default]
    Nothing,
    /// What any of these selectors matches, and what is below it.
    Inside(Vec<String>),
    /// All of it.
    Everything,
}

/// The elements at which what can be reached begins, outermost only, in document order.
#[derive(Debug)]
pub(super) enum Begin {
    Everywhere,
    At {
        order: Vec<NodeId>,
        set: HashSet<NodeId>,
        /// What each selector of a grant named. A tool that uses the very text of a grant gets
        /// these, though the selector may speak of what is outside.
        named: HashMap<String, Vec<NodeId>>,
    },
}

#[derive(Debug)]
pub(super) struct Roots {
    pub(super) read: Begin,
    pub(super) write: Begin,
    raw: Begin,
}

/// How markup and attributes of a tool get into an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Writing {
    /// Only what cannot run or load anything; the rest is taken out or refused.
    Sanitised,
    /// As it is.
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

/// What selectors of grants named when they were first asked about, since the host last changed
/// the page. They are as many as there are grants.
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
                // A place that was freed may be another element's by now.
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
    /// The places to look in.
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

    /// The places of what a grant with this very selector named, in document order.
    pub(super) fn named(&self, page: &Page, selector: &str) -> Vec<Place> {
        match self {
            Begin::Everywhere => Vec::new(),
            Begin::At { named, .. } => {
                let nodes = named.get(selector.trim()).into_iter().flatten();
                nodes.filter_map(|node| self.place_of(page, *node)).collect()
            }
        }
    }

    /// The place that an element is in; none when it cannot be reached.
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
