//! The sandbox's page behind permits.

use std::sync::{Mutex, MutexGuard};

use cofferdam_abi::dom::DomOperation;
use cofferdam_broker::{Action, Desk, Permit};
use cofferdam_caps::{Access, Request};
use cofferdam_dom::proxy::Answer;
use cofferdam_dom::{Error, Interrupt};

use super::page_view::{PagePart, PageView};
use crate::shared::call_error::CallError;
use crate::shared::lock::lock;
use crate::shared::page::{Answered, Asked, Shown};

/// The page of a sandbox.
///
/// Its document cannot be reached, and a call that was not permitted is not answered:
///
/// ```compile_fail
/// use cofferdam_kernel::permitted::Page;
///
/// fn html(page: Page<'_>) -> Option<String> {
///     page.shown.lock().unwrap().here().map(|page| page.html())
/// }
/// ```
///
/// ```compile_fail
/// use cofferdam_broker::Desk;
/// use cofferdam_dom::Interrupt;
/// use cofferdam_kernel::permitted::{Page, PageView, UsePage};
///
/// fn call(page: Page<'_>, view: &mut PageView, desk: &Desk, action: UsePage) {
///     let _ = page.call(view, desk, &Interrupt::default(), action);
/// }
/// ```
///
/// A permit answers one call:
///
/// ```compile_fail
/// use cofferdam_broker::{Desk, Permit};
/// use cofferdam_dom::Interrupt;
/// use cofferdam_kernel::permitted::{Page, PageView, UsePage};
///
/// fn call(page: Page<'_>, view: &mut PageView, desk: &Desk, permit: Permit<UsePage>) {
///     let _ = page.call(view, desk, &Interrupt::default(), permit);
///     let _ = page.call(view, desk, &Interrupt::default(), permit);
/// }
/// ```
///
/// ```
/// use cofferdam_broker::{Desk, Permit};
/// use cofferdam_dom::Interrupt;
/// use cofferdam_kernel::permitted::{Page, PageView, UsePage};
///
/// fn call(page: Page<'_>, view: &mut PageView, desk: &Desk, permit: Permit<UsePage>) {
///     let _ = page.call(view, desk, &Interrupt::default(), permit);
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Page<'a> {
    shown: &'a Mutex<Shown>,
}

/// One call on a part of the page.
// T-DOM-001: a page read or changed outside the grant.
pub struct UsePage {
    pub(super) asked: Asked,
    pub(super) part: PagePart,
    /// The page is held by someone else.
    pub(crate) is_elsewhere: bool,
}

impl Action for UsePage {
    fn request(&self) -> Request {
        let PagePart { access, markup, selector } = &self.part;
        Request::Dom { access: *access, markup: *markup, selector: selector.clone() }
    }
}

impl Asked {
    pub(super) fn access(&self) -> Access {
        if self.call().writes() { Access::Write } else { Access::Read }
    }

    /// Returns true if the call is about a selector, and not about a handle alone.
    fn has_selector(&self) -> bool {
        self.handle == 0
            || matches!(
                self.operation,
                DomOperation::QuerySelector | DomOperation::QuerySelectorAll
            )
    }
}

impl<'a> Page<'a> {
    pub(super) fn new(shown: &'a Mutex<Shown>) -> Self {
        Page { shown }
    }

    /// Finds the part of the page that a call is about.
    pub(crate) fn to_use(
        self,
        view: &mut PageView,
        desk: &Desk,
        interrupt: &Interrupt,
        asked: Asked,
    ) -> Result<UsePage, CallError> {
        let mut is_elsewhere = false;
        let part = match &mut *self.lock() {
            Shown::Nothing => view.part(desk, None, &asked)?,
            Shown::Here(page) => {
                // Nobody is asked about a selector that cannot be parsed.
                if asked.has_selector() {
                    page.check_selector(&asked.selector)?;
                }
                page.while_wanted(interrupt, |page| view.part(desk, Some(page), &asked))?
            }
            Shown::Elsewhere(_) => {
                is_elsewhere = true;
                view.part(desk, None, &asked)?
            }
        };
        Ok(UsePage { asked, part, is_elsewhere })
    }

    /// Carries a call out on a page that is held here.
    pub fn call(
        self,
        view: &mut PageView,
        desk: &Desk,
        interrupt: &Interrupt,
        permit: Permit<UsePage>,
    ) -> Result<Answer, CallError> {
        let Shown::Here(page) = &mut *self.lock() else {
            return Err(CallError::new("NotFoundError", "this sandbox has no page"));
        };
        page.while_wanted(interrupt, |page| view.call(desk, page, &permit))
    }

    /// Hands a call to whoever holds the page.
    pub fn call_elsewhere(
        self,
        view: &mut PageView,
        desk: &Desk,
        permit: Permit<UsePage>,
    ) -> Result<Answered, CallError> {
        let Shown::Elsewhere(page) = &*self.lock() else {
            return Err(CallError::new("NotFoundError", "this sandbox has no page"));
        };
        let grants = view.grants(desk, &permit)?;
        Ok(page.answer(Asked { grants, ..permit.into_action().asked }))
    }

    fn lock(self) -> MutexGuard<'a, Shown> {
        lock(self.shown)
    }
}

impl From<Error> for CallError {
    fn from(error: Error) -> Self {
        CallError::new(error.kind().dom_name(), error.message())
    }
}
