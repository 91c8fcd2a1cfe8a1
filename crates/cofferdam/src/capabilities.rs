//! Names of actions that may be granted, and the errors of texts that name none.

pub use cofferdam_caps::{Capability, CapabilitySet, Error, ErrorKind, Kind, Request, visible};
