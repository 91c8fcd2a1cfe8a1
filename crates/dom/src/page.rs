//! [`Page`], the document that a host shares with tools.

use crate::budget::Budget;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::node::NodeId;
use crate::proxy::Event;
use crate::tree::Tree;

/// A page that a host owns and tools access through a [`Proxy`](crate::proxy::Proxy).
///
/// Tools receive copies, never the page itself.
#[derive(Debug, Clone)]
pub struct Page {
    pub(crate) tree: Tree,
    document: NodeId,
    /// Incremented when the host, but not a tool, changes the page.
    pub(crate) epoch: u64,
    pub(crate) events: Vec<Event>,
}

impl Page {
    /// Parses HTML into a page.
    pub fn parse(html: &str, budget: Budget) -> Result<Page, Error> {
        let mut tree = Tree::new(budget);
        let document = tree.parse_html(html)?;
        tree.pin(document)?;
        Ok(Page { tree, document, epoch: 0, events: Vec::new() })
    }

    /// Returns the page as HTML.
    pub fn html(&self) -> String {
        self.tree.outer_html(self.document).unwrap_or_default()
    }

    /// Checks the syntax of a selector; the error gives the reason.
    pub fn check_selector(&mut self, selector: &str) -> Result<(), Error> {
        self.tree.memory.selector(selector).map(drop)
    }

    /// Returns the document.
    pub fn document(&self) -> NodeId {
        self.document
    }

    /// Returns the tree for reading.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// Returns the tree for the host to change. The elements that tools may reach are determined
    /// again afterwards.
    pub fn tree_mut(&mut self) -> &mut Tree {
        self.epoch += 1;
        &mut self.tree
    }

    /// Runs a closure whose searches end with an error as soon as `interrupt` holds.
    pub fn while_wanted<T>(
        &mut self,
        interrupt: &Interrupt,
        run: impl FnOnce(&mut Page) -> T,
    ) -> T {
        self.tree.interrupt = interrupt.clone();
        let done = run(self);
        self.tree.interrupt = Interrupt::default();
        done
    }

    /// Returns the user actions that tools have simulated, in order, and clears the list.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}
