//! Whether a long search is still wanted.

use std::fmt;
use std::sync::Arc;

/// Asked now and then while selectors are matched; once it says yes, the search ends with an error.
/// The default never does.
#[derive(Clone, Default)]
pub struct Interrupt(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Interrupt {
    /// `is_over` should cost no more than a look at a clock.
    pub fn new(is_over: impl Fn() -> bool + Send + Sync + 'static) -> Interrupt {
        Interrupt(Some(Arc::new(is_over)))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.as_ref().is_some_and(|is_over| is_over())
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Interrupt")
    }
}
