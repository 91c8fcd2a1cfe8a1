//! Sanitising of markup from tools: removes everything that could run or load anything.
//!
//! Only elements and attributes known to be harmless are kept. An unlisted element is replaced by
//! its children, unless its content is not markup. SVG and MathML are removed entirely, since they
//! allow one text to be parsed into two different trees. The result is serialised, parsed and
//! cleaned again until it no longer changes; markup that never settles is refused.

mod attribute;
mod lists;

pub(crate) use attribute::takes as takes_attribute;

use crate::error::{Error, ErrorKind};
use crate::node::{Data, Element, NIL, NodeId};
use crate::tree::{Tree, is_html};
use html5ever::{local_name, ns};
use lists::{is_kept, is_swallowed};

/// Most times that markup is parsed again.
const ROUNDS: usize = 4;

/// Parses `html` as the content of `context` and returns the cleaned nodes in a fragment.
pub(crate) fn fragment(tree: &mut Tree, context: NodeId, html: &str) -> Result<NodeId, Error> {
    let mut source = html.to_owned();
    for _ in 0..ROUNDS {
        let parsed = tree.parse_fragment(context, &source)?;
        let root = tree.slot(parsed)?;
        clean(tree, root);
        let written = tree.inner_html(parsed)?;
        if written == source {
            return Ok(parsed);
        }
        tree.destroy(root);
        source = written;
    }
    let text = "markup: changes each time it is parsed";
    Err(Error::new(ErrorKind::NotSupported, text))
}

/// Returns true if a tool may change the content of the element.
pub(crate) fn takes_content(element: &Element) -> bool {
    element.name.ns == ns!(html) && !is_swallowed(&element.name.local)
}

/// Returns true if other parsers may treat the element as text. Where scripts run, the content
/// of `noscript` is text up to the first `</noscript>`, even inside an attribute value.
pub(crate) fn is_text_elsewhere(tree: &Tree, slot: u32) -> bool {
    std::iter::once(slot)
        .chain(tree.ancestors_at(slot))
        .filter_map(|above| tree.element(above))
        .any(|element| is_html(&element.name, &local_name!("noscript")))
}

fn clean(tree: &mut Tree, root: u32) {
    let mut here = tree.node(root).first;
    while here != NIL {
        let keep = match &tree.node(here).data {
            Data::Text(_) => Keep::All,
            Data::Element(element) => fate(element),
            Data::Comment(_)
            | Data::CData(_)
            | Data::Instruction(_)
            | Data::Doctype(_)
            | Data::Document(..)
            | Data::Fragment(_)
            | Data::Free(_) => Keep::Nothing,
        };
        here = match keep {
            Keep::All => {
                clean_attributes(tree, here);
                tree.following(here, root)
            }
            Keep::Nothing => {
                let next = tree.following_skipping(here, root);
                tree.destroy(here);
                next
            }
            Keep::Children => {
                let parent = tree.node(here).parent;
                let first = tree.node(here).first;
                let next = match first {
                    NIL => tree.following_skipping(here, root),
                    first => first,
                };
                while tree.node(here).first != NIL {
                    let child = tree.node(here).first;
                    tree.unlink(child);
                    tree.link(parent, child, here);
                }
                tree.destroy(here);
                next
            }
        };
    }
}

enum Keep {
    All,
    Children,
    Nothing,
}

fn fate(element: &Element) -> Keep {
    let local = &*element.name.local;
    if element.name.ns != ns!(html) || is_swallowed(local) {
        Keep::Nothing
    } else if is_kept(local) {
        Keep::All
    } else {
        Keep::Children
    }
}

fn clean_attributes(tree: &mut Tree, slot: u32) {
    let Some(element) = tree.element(slot) else { return };
    let bad: Vec<usize> = (0..element.attributes.len())
        .filter(|&at| {
            let a = &element.attributes[at];
            a.name.ns != ns!() || !attribute::takes(element, &a.name.local, &a.value)
        })
        .collect();
    if bad.is_empty() {
        return;
    }
    let mut bad = bad.into_iter().peekable();
    let mut at = 0;
    let mut freed = 0;
    if let Some(element) = tree.element_mut(slot) {
        element.attributes.retain(|attribute| {
            let goes = bad.next_if_eq(&at).is_some();
            at += 1;
            freed += if goes { attribute.bytes() } else { 0 };
            !goes
        });
    }
    tree.account.refund(freed);
    tree.touch();
}
