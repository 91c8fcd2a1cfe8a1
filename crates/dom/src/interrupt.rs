//! Cancellation of long searches.

use std::fmt;
use std::sync::Arc;

/// A condition that is polled while selectors are matched. As soon as it holds, the search ends
/// with an error. The default never holds.
#[derive(Clone, Default)]
pub struct Interrupt(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

impl Interrupt {
    /// Creates a condition from `is_over`, which should cost no more than reading a clock.
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
