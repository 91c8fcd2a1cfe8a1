//! Cancellation of operations whose cost grows with their input (T-CELL-030).

use std::fmt;
use std::sync::Arc;

use crate::Errno;

/// A condition that is polled while files are copied, listed or walked. As soon as it holds, the
/// operation ends with [`Errno::Interrupted`] and leaves the files as they were between two steps.
/// The default never holds.
#[derive(Clone, Default)]
pub struct Interrupt(Option<Arc<dyn Fn() -> bool + Send + Sync>>);

/// The condition that never holds.
pub(crate) static NEVER: Interrupt = Interrupt(None);

impl Interrupt {
    /// Creates a condition from `is_over`, which should cost no more than reading a clock.
    pub fn new(is_over: impl Fn() -> bool + Send + Sync + 'static) -> Interrupt {
        Interrupt(Some(Arc::new(is_over)))
    }

    /// Fails if the condition holds. A loop that grows with its input asks at every step.
    pub fn check(&self) -> Result<(), Errno> {
        match &self.0 {
            Some(is_over) if is_over() => Err(Errno::Interrupted),
            Some(_) | None => Ok(()),
        }
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interrupt")
    }
}
