//! Pages of sandboxes: how the embedding program gives one, reads it and changes it.

use std::sync::Arc;

use cofferdam_dom::proxy::Event;
use cofferdam_dom::{Budget, NodeId, Page, Tree};
use cofferdam_kernel::{Elsewhere, Shown};

use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use crate::sandbox::{Sandbox, SandboxBuilder, lock};

/// Source of the page.
pub(crate) enum PageSource {
    Html(String),
    Elsewhere(Arc<dyn Elsewhere>),
}

impl PageSource {
    /// Returns the page that tools see.
    pub(crate) fn show(self, limits: &Limits) -> Result<Shown, Error> {
        Ok(match self {
            PageSource::Html(html) => Shown::Here(Box::new(parse(&html, limits)?)),
            PageSource::Elsewhere(page) => Shown::Elsewhere(page),
        })
    }
}

impl SandboxBuilder {
    /// Sets the page that tools with a grant for it may read and change as `btcp.dom`. They see
    /// copies, never the page itself. The page counts against the memory limit of a run. Markup
    /// that tools write is sanitised unless the grant is `dom:write:raw@SELECTOR`.
    pub fn page(mut self, html: impl Into<String>) -> Self {
        self.page = Some(PageSource::Html(html.into()));
        self
    }

    /// Uses a page that another party holds, such as a browser tab, instead of one in this process.
    pub fn page_elsewhere(mut self, page: impl Elsewhere + 'static) -> Self {
        self.page = Some(PageSource::Elsewhere(Arc::new(page)));
        self
    }
}

impl Sandbox {
    /// Returns the page as HTML, or `None` if the sandbox holds no page.
    pub fn page_html(&self) -> Option<String> {
        lock(&self.state.resources.page).here().map(|page| page.html())
    }

    /// Replaces the page, or gives the sandbox one. Tools that are running see the new page.
    pub fn set_page(&self, html: &str) -> Result<(), Error> {
        self.state.check_alive()?;
        let page = parse(html, &self.state.limits)?;
        *lock(&self.state.resources.page) = Shown::Here(Box::new(page));
        Ok(())
    }

    /// Takes the events that tools caused on the page as a person would with mouse and keyboard,
    /// oldest first. Each event is returned once.
    pub fn page_events(&self) -> Vec<Event> {
        let mut page = lock(&self.state.resources.page);
        page.here().map(Page::take_events).unwrap_or_default()
    }

    /// Changes the page while tools may be running. `change` receives the tree and its document
    /// node. The elements that grants name are searched for again afterwards.
    pub fn change_page<T>(&self, change: impl FnOnce(&mut Tree, NodeId) -> T) -> Result<T, Error> {
        self.state.check_alive()?;
        let mut page = lock(&self.state.resources.page);
        let Some(page) = page.here() else {
            return Err(Error::new(ErrorKind::NotFound, "page: this sandbox has none"));
        };
        let document = page.document();
        Ok(change(page.tree_mut(), document))
    }
}

/// Parses a page. Its budget is the memory limit of a run.
fn parse(html: &str, limits: &Limits) -> Result<Page, Error> {
    let bytes = usize::try_from(limits.memory_bytes).unwrap_or(usize::MAX);
    Page::parse(html, Budget { bytes, ..Budget::default() }).map_err(|error| {
        let kind = match error.kind() {
            cofferdam_dom::ErrorKind::QuotaExceeded => ErrorKind::Limit,
            _ => ErrorKind::BadOption,
        };
        Error::new(kind, format!("page: {}", error.message()))
    })
}
