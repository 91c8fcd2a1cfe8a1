//! The page of a sandbox, and the globals of the tools that use it.

use cofferdam_dom::{Budget, Page};
/// A page that lives in another process; see
/// [`page_elsewhere`](crate::SandboxBuilder::page_elsewhere).
pub use cofferdam_kernel::{Answered, Asked, Elsewhere};

use crate::error::{Error, ErrorKind};
use crate::limits::Limits;

/// The globals of a tool, named after the boundaries of browsers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Boundary {
    /// The globals of a worker. The page is `btcp.dom`.
    #[default]
    Worker,
    /// A worker's globals, plus a `window` and an empty `document` of the tool's own. The page is
    /// `btcp.parentDOM`.
    Iframe,
}

impl Boundary {
    /// All boundaries.
    pub const ALL: &'static [Boundary] = &[Boundary::Worker, Boundary::Iframe];

    /// Returns the name used in options and parameters.
    pub const fn name(self) -> &'static str {
        match self {
            Boundary::Worker => "worker",
            Boundary::Iframe => "iframe",
        }
    }

    /// Returns the member of `btcp` that is the page.
    pub(crate) const fn page_member(self) -> &'static str {
        match self {
            Boundary::Worker => "dom",
            Boundary::Iframe => "parentDOM",
        }
    }
}

/// Parses a page. Its budget is the memory limit of a run.
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
