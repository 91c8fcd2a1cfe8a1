//! The page of a sandbox, and what tools find around them.

use cofferdam_dom::{Budget, Page};
/// A page that lives elsewhere; see [`page_elsewhere`](crate::SandboxBuilder::page_elsewhere).
pub use cofferdam_kernel::{Answered, Asked, Elsewhere};

use crate::error::{Error, ErrorKind};
use crate::limits::Limits;

/// What a tool finds around it, named as browsers' own boundaries are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Boundary {
    /// The globals of a worker; the page is `btcp.dom`.
    #[default]
    Worker,
    /// A `window` and an empty `document` of its own besides; the page is `btcp.parentDOM`.
    Iframe,
}

impl Boundary {
    /// Every boundary there is.
    pub const ALL: &'static [Boundary] = &[Boundary::Worker, Boundary::Iframe];

    /// Its name in options and parameters.
    pub const fn name(self) -> &'static str {
        match self {
            Boundary::Worker => "worker",
            Boundary::Iframe => "iframe",
        }
    }

    /// What the page is called in `btcp`.
    pub(crate) const fn page_member(self) -> &'static str {
        match self {
            Boundary::Worker => "dom",
            Boundary::Iframe => "parentDOM",
        }
    }
}

/// Reads a page. It may be as large as the memory of a run, however much of that is used.
pub(crate) fn parse(html: &str, limits: &Limits) -> Result<Page, Error> {
    let bytes = usize::try_from(limits.memory_bytes).unwrap_or(usize::MAX);
    Page::parse(html, Budget { bytes, ..Budget::default() }).map_err(|error| {
        let kind = match error.kind() {
            cofferdam_dom::ErrorKind::QuotaExceeded => ErrorKind::Limit,
            _ => ErrorKind::BadOption,
        };
        Error::new(kind, format!("page: {}", error.message()))
    })
}
