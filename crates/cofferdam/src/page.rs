//! The page of a sandbox, and the globals of the tools that use it.

#[cfg(feature = "dom")]
mod held;

/// A page that lives in another process; see
/// [`page_elsewhere`](crate::SandboxBuilder::page_elsewhere).
#[cfg(feature = "dom")]
pub use cofferdam_kernel::{Answered, Asked, Elsewhere};

pub(crate) use held::PageSource;

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

/// Stands for the pages of a build without the feature `dom`: no sandbox has one.
#[cfg(not(feature = "dom"))]
mod held {
    use cofferdam_kernel::Shown;

    use crate::error::Error;
    use crate::limits::Limits;

    pub(crate) enum PageSource {}

    impl PageSource {
        pub(crate) fn show(self, _: &Limits) -> Result<Shown, Error> {
            match self {}
        }
    }
}
