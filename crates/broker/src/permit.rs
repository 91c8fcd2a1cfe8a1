use std::fmt;
use std::sync::Arc;

use cofferdam_caps::Request;

use crate::held::Held;
use crate::secret::SecretHeaders;

/// Leave to do one thing now. Only the broker makes one.
///
/// A function that touches a resource takes it by value and does what [`request`](Self::request)
/// says: what was checked is what is done.
#[must_use]
pub struct Permit {
    checked: Arc<Checked>,
    held: Arc<Held>,
}

/// A request that a run made, kept as long as the run may make it again.
pub(crate) struct Checked {
    pub(crate) request: Request,
    /// What the audit calls its object.
    pub(crate) target: Arc<str>,
}

impl Permit {
    pub(crate) fn new(checked: Arc<Checked>, held: Arc<Held>) -> Self {
        Self { checked, held }
    }

    /// What may be done.
    pub fn request(&self) -> &Request {
        &self.checked.request
    }

    /// Whether an address that is not public may be connected to: the grant names the very
    /// origin of the request.
    pub fn reaches_private_addresses(&self) -> bool {
        match &self.checked.request {
            Request::Network { url, .. } => self.held.grant.capability.names_origin(url),
            Request::Dom { .. }
            | Request::Env { .. }
            | Request::Fs { .. }
            | Request::Process { .. }
            | Request::State { .. }
            | Request::Storage { .. }
            | Request::Tool { .. } => false,
        }
    }

    /// What the host adds to this request, to this origin and to no other.
    pub fn headers(&self) -> &SecretHeaders {
        &self.held.grant.headers
    }

    pub(crate) fn held(&self) -> &Arc<Held> {
        &self.held
    }

    pub(crate) fn checked(&self) -> &Arc<Checked> {
        &self.checked
    }
}

impl Checked {
    pub(crate) fn new(request: Request) -> Self {
        let line = request.to_string();
        // The kind stands in the capability already.
        let target = line.split_once(' ').map_or("", |(_, object)| object).into();
        Self { request, target }
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Permit({} by {})", self.checked.request, self.held.text)
    }
}
