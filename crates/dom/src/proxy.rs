//! A page as a tool sees it: elements inside what was granted, as copies.
//!
//! # What is outside does not exist
//!
//! A grant names elements by a selector. They and what is below them can be reached; each of the
//! outermost is a tree of its own for the tool's selectors: it has no parent and no siblings, it is
//! `:root`, and `:has()`, sibling combinators and states of forms stop at it. So no selector can
//! tell whether, or what, there is outside.
//!
//! Which elements a grant names is found when a tool first uses the page, and again when the host
//! changed it. What the tool itself changes does not count: a class that it gives to an element
//! never makes the element readable.
//!
//! In reading order: `reach` (what may be reached), `call` (what can be asked), `snapshot`,
//! `read`, `write`, `event`.

mod call;
mod event;
mod reach;
mod read;
mod snapshot;
mod write;

pub use call::{Answer, Call, Target};
pub use event::{Event, EventKind};
pub use reach::Reach;
pub use snapshot::Snapshot;

use crate::error::{Error, ErrorKind};
use crate::node::NodeId;
use crate::page::Page;
use reach::Roots;
use std::collections::HashMap;

/// Most elements a tool can hold handles of.
const MAX_HANDLES: usize = 100_000;

/// How markup and attributes of a tool get into the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Writing {
    /// Only what cannot run or load anything; the rest is taken out or refused.
    #[default]
    Sanitised,
    /// As it is.
    Raw,
}

/// What one run may do with a page, and the handles it was given.
#[derive(Debug, Default)]
pub struct Proxy {
    read: Reach,
    write: Reach,
    writing: Writing,
    roots: Option<(u64, Roots)>,
    handles: Vec<NodeId>,
    numbers: HashMap<NodeId, u32>,
}

impl Proxy {
    /// A proxy with these grants; the default has none.
    pub fn new(read: Reach, write: Reach, writing: Writing) -> Proxy {
        Proxy { read, write, writing, ..Proxy::default() }
    }

    /// Takes the grants as they are now; handles stay. What the grants name is found anew where
    /// they are others than before.
    pub fn regrant(&mut self, read: Reach, write: Reach, writing: Writing) {
        self.writing = writing;
        if self.read != read || self.write != write {
            (self.read, self.write, self.roots) = (read, write, None);
        }
    }

    /// Answers a call on a page.
    ///
    /// Nothing there is [`Answer::Nothing`]; a selector that cannot be read is a `SyntaxError`.
    pub fn call(&mut self, page: &mut Page, call: &Call<'_>) -> Result<Answer, Error> {
        // Both kinds at once, and before anything is written: see the module's text.
        let roots = match self.roots.take() {
            Some((epoch, roots)) if epoch == page.epoch => roots,
            _ => Roots::find(page, &self.read, &self.write)?,
        };
        let answer = self.answer(page, &roots, call);
        self.roots = Some((page.epoch, roots));
        answer
    }

    fn answer(&mut self, page: &mut Page, roots: &Roots, call: &Call<'_>) -> Result<Answer, Error> {
        let begin = if call.writes() { &roots.write } else { &roots.read };
        match call {
            Call::QuerySelector { within, selector } => self.first(page, begin, *within, selector),
            Call::QuerySelectorAll { within, selector } => self.all(page, begin, *within, selector),
            Call::GetTextContent(target) => self.text(page, begin, *target),
            Call::GetAttribute(target, name) => self.attribute(page, begin, *target, name),
            Call::GetHtml(target) => self.html(page, begin, *target),
            Call::Exists(target) => self.exists(page, begin, *target),
            Call::Count(selector) => self.count(page, begin, selector),
            Call::WaitFor(selector) => self.first(page, begin, None, selector),
            Call::SetTextContent(target, text) => self.set_text(page, begin, *target, text),
            Call::SetAttribute(target, name, value) => {
                self.set_attribute(page, begin, *target, name, value)
            }
            Call::SetHtml(target, html) => self.set_html(page, begin, *target, html),
            Call::Append(target, html) => self.append(page, begin, *target, html),
            Call::Remove(target) => self.remove(page, begin, *target),
            Call::Click(target) => self.click(page, begin, *target),
            Call::Fill(target, value) => self.fill(page, begin, *target, value),
            Call::Submit(target) => self.submit(page, begin, *target),
        }
    }

    /// The number that stands for an element in later calls of this run.
    fn handle(&mut self, node: NodeId) -> Result<u32, Error> {
        if let Some(&number) = self.numbers.get(&node) {
            return Ok(number);
        }
        if self.handles.len() >= MAX_HANDLES {
            let text = format!("page: more than {MAX_HANDLES} elements were handed out");
            return Err(Error::new(ErrorKind::QuotaExceeded, text));
        }
        self.handles.push(node);
        let number = self.handles.len() as u32;
        self.numbers.insert(node, number);
        Ok(number)
    }

    fn handled(&self, number: u32) -> Option<NodeId> {
        self.handles.get((number as usize).checked_sub(1)?).copied()
    }
}
