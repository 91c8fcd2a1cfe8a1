//! User actions that tools simulate, recorded for the embedding program.

use crate::error::{Error, ErrorKind};
use crate::node::{NIL, NodeId};
use crate::page::Page;
use crate::tree::Tree;

/// Most events that wait for the embedding program.
const MAX_EVENTS: usize = 10_000;

/// A user action that a tool has simulated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The action.
    pub kind: EventKind,
    /// The element, which may have left the page since.
    pub node: NodeId,
    /// A selector that matched the element when the event was recorded.
    pub path: String,
}

/// The action of an [`Event`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventKind {
    /// A click.
    Click,
    /// A field received this value.
    Fill(String),
    /// A form was submitted with these names and values, limited to fields that the tool can reach.
    Submit(Vec<(String, String)>),
}

pub(super) fn record(page: &mut Page, kind: EventKind, slot: u32) -> Result<(), Error> {
    if page.events.len() >= MAX_EVENTS {
        let text = format!("page: more than {MAX_EVENTS} events are waiting");
        return Err(Error::new(ErrorKind::QuotaExceeded, text));
    }
    let (node, path) = (page.tree.id(slot), path(&page.tree, slot));
    page.events.push(Event { kind, node, path });
    Ok(())
}

/// Returns a selector for the element: `html > body > form:nth-child(2) > input:nth-child(1)`.
fn path(tree: &Tree, slot: u32) -> String {
    let mut steps = Vec::new();
    let mut here = slot;
    while here != NIL {
        let Some(element) = tree.element(here) else { break };
        let mut name = String::new();
        // Writing to a string cannot fail.
        let _ = cssparser::serialize_identifier(&element.name.local, &mut name);
        let mut place = 1;
        let mut before = tree.node(here).previous;
        while before != NIL {
            place += u32::from(tree.element(before).is_some());
            before = tree.node(before).previous;
        }
        let parent = tree.node(here).parent;
        let alone = parent == NIL || tree.element(parent).is_none();
        steps.push(if alone { name } else { format!("{name}:nth-child({place})") });
        here = parent;
    }
    steps.reverse();
    steps.join(" > ")
}
