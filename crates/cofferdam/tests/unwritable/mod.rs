//! An audit log that fails for lines that must be written at once.

use cofferdam::permissions::{Error, ErrorKind, Line, Offered, Sink};

/// Accepts lines that may be written later, and fails for lines that must be written first.
pub(crate) struct Unwritable;

impl Sink for Unwritable {
    fn offer(&self, _: Vec<Line>) -> Offered {
        Offered::Taken
    }

    fn commit(&self, _: Vec<Line>) -> Result<(), Error> {
        Err(Error::new(ErrorKind::Full, "audit", "no room left"))
    }

    fn flush(&self) -> Result<(), Error> {
        Ok(())
    }
}
