//! Access of tools to a page: copies of elements within the granted parts.
//!
//! # Elements outside a grant do not exist
//!
//! A grant selects elements with a selector. These elements and their descendants are reachable.
//! For the tool's selectors, each outermost selected element is a tree of its own: it has no
//! parent and no siblings, it is `:root`, and `:has()`, sibling combinators and form states stop at
//! it. No selector can therefore detect the existence or content of anything outside.
//!
//! The elements that a grant selects are determined when a run with that grant first uses the page,
//! and again when the host has changed the page. Changes by the tool itself do not count: adding a
//! class to an element never makes that element readable.
//!
//! In reading order: `reach` (the reachable elements), `call` (requests and answers), `snapshot`,
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
use crate::select::Place;
use crate::tree::Tree;
use reach::{Begin, Named, Roots};
use std::collections::HashMap;

/// Most elements that a tool can hold handles of.
const MAX_HANDLES: usize = 100_000;

/// The parts of a page that a run may use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Grants {
    /// Elements that may be read.
    pub read: Reach,
    /// Elements that may be changed. Markup and attributes are sanitised.
    pub write: Reach,
    /// Elements that accept unsanitised markup and attributes. Only effective within `write`.
    pub raw: Reach,
}

/// One run's access to a page: its grants and the handles it has received.
#[derive(Debug, Default)]
pub struct Proxy {
    grants: Grants,
    roots: Option<(u64, Roots)>,
    named: Named,
    handles: Vec<NodeId>,
    numbers: HashMap<NodeId, u32>,
}

impl Proxy {
    /// Creates a proxy with these grants; the default has none.
    pub fn new(grants: Grants) -> Proxy {
        Proxy { grants, ..Proxy::default() }
    }

    /// Returns the current grants.
    pub fn grants(&self) -> &Grants {
        &self.grants
    }

    /// Replaces the grants. Handles stay valid, and so do the elements that an unchanged grant has
    /// already selected.
    pub fn regrant(&mut self, grants: Grants) {
        if self.grants != grants {
            (self.grants, self.roots) = (grants, None);
        }
    }

    /// Returns true if the call would find anything with this reach alone.
    pub fn finds(
        &mut self,
        page: &mut Page,
        call: &Call<'_>,
        reach: &Reach,
    ) -> Result<bool, Error> {
        let begin = self.named.begin(page, reach)?;
        let found = match *call {
            Call::QuerySelector { within, selector }
            | Call::QuerySelectorAll { within, selector } => {
                return self.matches(page, &begin, within, selector, 1).map(|m| !m.is_empty());
            }
            Call::Count(selector) | Call::WaitFor(selector) => Target::Selector(selector),
            Call::GetTextContent(target)
            | Call::GetAttribute(target, _)
            | Call::GetHtml(target)
            | Call::Exists(target)
            | Call::SetTextContent(target, _)
            | Call::SetAttribute(target, ..)
            | Call::SetHtml(target, _)
            | Call::Append(target, _)
            | Call::Remove(target)
            | Call::Click(target)
            | Call::Fill(target, _)
            | Call::Submit(target) => target,
        };
        self.resolve(page, &begin, found).map(|place| place.is_some())
    }

    /// Performs a call on a page.
    ///
    /// A missing element gives [`Answer::Nothing`]; a malformed selector is a `SyntaxError`.
    pub fn call(&mut self, page: &mut Page, call: &Call<'_>) -> Result<Answer, Error> {
        // All grants are resolved together, before anything is written; see the module
        // documentation.
        let roots = match self.roots.take() {
            Some((epoch, roots)) if epoch == page.epoch => roots,
            _ => Roots::find(page, &mut self.named, &self.grants)?,
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
            Call::Count(selector) => self.count(page, begin, selector),
            Call::WaitFor(selector) => self.first(page, begin, None, selector),
            Call::Exists(target) => Ok(Answer::Is(self.resolve(page, begin, *target)?.is_some())),
            Call::GetTextContent(target) => self.read(page, begin, *target, read::text),
            Call::GetAttribute(target, name) => {
                self.read(page, begin, *target, |tree, slot| read::attribute(tree, slot, name))
            }
            Call::GetHtml(target) => self.read(page, begin, *target, read::html),
            Call::SetTextContent(target, text) => self.write(page, begin, *target, |page, at| {
                write::set_text(page, at.scope, text, roots.writing(page, at))
            }),
            Call::SetAttribute(target, name, value) => {
                self.write(page, begin, *target, |page, at| {
                    write::set_attribute(page, at.scope, name, value, roots.writing(page, at))
                })
            }
            Call::SetHtml(target, html) => self.write(page, begin, *target, |page, at| {
                write::set_html(page, at.scope, html, roots.writing(page, at))
            }),
            Call::Append(target, html) => self.write(page, begin, *target, |page, at| {
                write::append(page, at.scope, html, roots.writing(page, at))
            }),
            Call::Remove(target) => self.write(page, begin, *target, write::remove),
            Call::Click(target) => self.write(page, begin, *target, write::click),
            Call::Fill(target, value) => self.write(page, begin, *target, |page, at| {
                write::fill(page, at.scope, value, roots.writing(page, at))
            }),
            Call::Submit(target) => self.write(page, begin, *target, write::submit),
        }
    }

    /// Reads from an element; returns [`Answer::Nothing`] if there is none.
    fn read(
        &self,
        page: &mut Page,
        begin: &Begin,
        target: Target<'_>,
        read: impl FnOnce(&Tree, u32) -> Result<Answer, Error>,
    ) -> Result<Answer, Error> {
        match self.resolve(page, begin, target)? {
            Some(place) => read(&page.tree, place.scope),
            None => Ok(Answer::Nothing),
        }
    }

    /// Changes an element; the answer is false if there is none.
    fn write(
        &self,
        page: &mut Page,
        begin: &Begin,
        target: Target<'_>,
        write: impl FnOnce(&mut Page, Place) -> Result<bool, Error>,
    ) -> Result<Answer, Error> {
        match self.resolve(page, begin, target)? {
            Some(place) => write(page, place).map(Answer::Is),
            None => Ok(Answer::Is(false)),
        }
    }

    /// Returns the number that names the element in later calls of this run.
    fn handle(&mut self, node: NodeId) -> Result<u32, Error> {
        if let Some(&number) = self.numbers.get(&node) {
            return Ok(number);
        }
        if self.handles.len() >= MAX_HANDLES {
            let text = format!("page: more than {MAX_HANDLES} element handles");
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
