use crate::error::{Error, ErrorKind};
use crate::node::{NIL, NodeId};
use crate::page::Page;
use crate::tree::Tree;

/// Most events that wait for the embedding program.
const MAX_EVENTS: usize = 10_000;

/// Something a tool did that a person does with mouse and keyboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What was done.
    pub kind: EventKind,
    /// The element; it may have left the page since.
    pub node: NodeId,
    /// A selector that led to the element when it happened.
    pub path: String,
}

/// The kinds of [`Event`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EventKind {
    /// A click.
    Click,
    /// A field got this value.
    Fill(String),
    /// A form was submitted with these names and values, those the tool can reach.
    Submit(Vec<(String, String)>),
}

pub(super) fn record(page: &mut Page, kind: EventKind, slot: u32) -> Result<(), Error> {
    if page.events.len() >= MAX_EVENTS {
        let text = format!("page: more than {MAX_EVENTS} events wait to be taken");
        return Err(Error::new(ErrorKind::QuotaExceeded, text));
    }
    let (node, path) = (page.tree.id(slot), path(&page.tree, slot));
    page.events.push(Event { kind, node, path });
    Ok(())
}

/// `html > body > form:nth-child(2) > input:nth-child(1)`.
fn path(tree: &Tree, slot: u32) -> String {
    let mut steps = Vec::new();
    let mut here = slot;
    while here != NIL {
        let Some(element) = tree.element(here) else { break };
        let mut name = String::new();
        // Writing into a string does not fail.
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
