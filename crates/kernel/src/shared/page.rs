//! The page that a sandbox's tools see: held by the host, or by someone else.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use cofferdam_abi::dom::DomOperation;
use cofferdam_abi::wire::{Reader, Result};
use cofferdam_dom::proxy::{Answer, Call, Grants, Target};
use cofferdam_dom::{Error, Page};

/// The page of a sandbox.
#[derive(Default)]
pub enum Shown {
    /// No page.
    #[default]
    Nothing,
    /// A page held here.
    Here(Box<Page>),
    /// A page that someone else holds.
    Elsewhere(Arc<dyn Elsewhere>),
}

impl Shown {
    /// Returns the page if it is held here.
    pub fn here(&mut self) -> Option<&mut Page> {
        match self {
            Shown::Here(page) => Some(page),
            Shown::Nothing | Shown::Elsewhere(_) => None,
        }
    }

    /// Returns the page of a fork: a copy if it is held here, otherwise the same page.
    pub(crate) fn fork(&self) -> Self {
        match self {
            Shown::Nothing => Shown::Nothing,
            Shown::Here(page) => Shown::Here(page.clone()),
            Shown::Elsewhere(page) => Shown::Elsewhere(page.clone()),
        }
    }
}

/// The answer to a call on a page elsewhere.
pub type Answered = Pin<Box<dyn Future<Output = std::result::Result<Answer, Error>> + Send>>;

/// Answers for a page that is not held here, such as a tab of a browser.
///
/// A call arrives after it was permitted. The implementation must neither reveal nor change
/// anything outside the grants of the call, as [`Proxy`](cofferdam_dom::proxy::Proxy) does for a
/// page held here.
pub trait Elsewhere: Send + Sync {
    /// Answers one call. The future is dropped if the run ends first.
    fn answer(&self, asked: Asked) -> Answered;
}

/// A call of a tool on a page elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    pub(crate) operation: DomOperation,
    /// Handle of an element that was returned before; zero for none.
    pub(crate) handle: u32,
    pub(crate) selector: String,
    pub(crate) text: String,
    pub(crate) more: String,
    /// Parts of the page that the run may read and change now.
    pub grants: Grants,
}

impl Asked {
    pub(crate) fn parse(fields: &mut Reader<'_>) -> Result<Self> {
        let Some(operation) = DomOperation::from_number(fields.u8()?) else {
            return Err(fields.malformed("unknown operation on a page"));
        };
        let (handle, selector) = (fields.u32()?, fields.string()?);
        let (text, more) = (fields.string()?, fields.string()?);
        Ok(Asked { operation, handle, selector, text, more, grants: Grants::default() })
    }

    /// Returns the call for the proxy.
    pub fn call(&self) -> Call<'_> {
        let within = (self.handle != 0).then_some(self.handle);
        let (selector, text) = (self.selector.as_str(), self.text.as_str());
        let target = match within {
            Some(handle) => Target::Handle(handle),
            None => Target::Selector(selector),
        };
        match self.operation {
            DomOperation::QuerySelector => Call::QuerySelector { within, selector },
            DomOperation::QuerySelectorAll => Call::QuerySelectorAll { within, selector },
            DomOperation::GetTextContent => Call::GetTextContent(target),
            DomOperation::GetAttribute => Call::GetAttribute(target, text),
            DomOperation::GetHtml => Call::GetHtml(target),
            DomOperation::Exists => Call::Exists(target),
            DomOperation::Count => Call::Count(selector),
            DomOperation::WaitFor => Call::WaitFor(selector),
            DomOperation::SetTextContent => Call::SetTextContent(target, text),
            DomOperation::SetAttribute => Call::SetAttribute(target, text, &self.more),
            DomOperation::SetHtml => Call::SetHtml(target, text),
            DomOperation::Append => Call::Append(target, text),
            DomOperation::Remove => Call::Remove(target),
            DomOperation::Click => Call::Click(target),
            DomOperation::Fill => Call::Fill(target, text),
            DomOperation::Submit => Call::Submit(target),
        }
    }
}
