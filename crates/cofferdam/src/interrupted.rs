//! Results of the steps of a run: a step completes, ends the run, or fails.

use crate::error::Error;
use crate::outcome::Ending;

/// Reason why a step of a run did not complete.
pub(crate) enum Interrupted {
    /// The run ends in this way; the caller receives an outcome.
    Ending(Ending),
    /// The sandbox itself failed.
    Failed(Error),
}

impl Interrupted {
    /// Returns how the run ends, or the failure of the sandbox.
    pub(crate) fn ending(self) -> Result<Ending, Error> {
        match self {
            Interrupted::Ending(ending) => Ok(ending),
            Interrupted::Failed(error) => Err(error),
        }
    }
}

impl From<Ending> for Interrupted {
    fn from(ending: Ending) -> Self {
        Interrupted::Ending(ending)
    }
}

impl From<Error> for Interrupted {
    fn from(error: Error) -> Self {
        Interrupted::Failed(error)
    }
}

impl From<cofferdam_broker::Error> for Interrupted {
    fn from(error: cofferdam_broker::Error) -> Self {
        Interrupted::Failed(error.into())
    }
}

impl From<cofferdam_cell::Error> for Interrupted {
    fn from(error: cofferdam_cell::Error) -> Self {
        Interrupted::Failed(error.into())
    }
}
