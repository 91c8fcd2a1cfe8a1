use crate::budget::Budget;
use crate::error::Error;
use crate::interrupt::Interrupt;
use crate::node::NodeId;
use crate::proxy::Event;
use crate::tree::Tree;

/// A page that a host holds and that tools see through a [`Proxy`](crate::proxy::Proxy).
///
/// Tools get copies of it, never the page.
#[derive(Debug, Clone)]
pub struct Page {
    pub(crate) tree: Tree,
    document: NodeId,
    /// Moves when the host changes the page, and not when a tool does.
    pub(crate) epoch: u64,
    pub(crate) events: Vec<Event>,
}

impl Page {
    /// A page out of HTML.
    pub fn parse(html: &str, budget: Budget) -> Result<Page, Error> {
        let mut tree = Tree::new(budget);
        let document = tree.parse_html(html)?;
        tree.pin(document)?;
        Ok(Page { tree, document, epoch: 0, events: Vec::new() })
    }

    /// The page as HTML.
    pub fn html(&self) -> String {
        self.tree.outer_html(self.document).unwrap_or_default()
    }

    /// Whether a selector can be read; a `SyntaxError` says why not.
    pub fn check_selector(&mut self, selector: &str) -> Result<(), Error> {
        self.tree.memory.selector(selector).map(drop)
    }

    /// The document.
    pub fn document(&self) -> NodeId {
        self.document
    }

    /// The tree, to look at.
    pub fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The tree, for the host to change. What tools may reach is found anew afterwards.
    pub fn tree_mut(&mut self) -> &mut Tree {
        self.epoch += 1;
        &mut self.tree
    }

    /// Runs something that searches for as long as it is wanted.
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

    /// What tools did to the page that a person would have done, in order; they are given once.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}
