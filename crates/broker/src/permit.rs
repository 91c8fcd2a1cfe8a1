use std::fmt;
use std::sync::Arc;

use cofferdam_caps::{Capability, Request, visible};

use crate::held_grant::HeldGrant;
use crate::secret::SecretHeaders;

/// Leave to do one thing now. Only the broker makes one.
///
/// A function that touches a resource takes it by value and does what [`request`](Self::request)
/// says: what was checked is what is done.
#[must_use]
pub struct Permit {
    checked: Arc<Checked>,
    held: Arc<HeldGrant>,
}

/// A request that a run made, kept as long as the run may make it again.
pub(crate) struct Checked {
    pub(crate) request: Request,
    /// What the audit calls its object.
    pub(crate) target: Arc<str>,
}

impl Permit {
    pub(crate) fn new(checked: Arc<Checked>, held: Arc<HeldGrant>) -> Self {
        Self { checked, held }
    }

    /// What may be done.
    pub fn request(&self) -> &Request {
        &self.checked.request
    }

    /// What allows it.
    pub fn capability(&self) -> &Capability {
        &self.held.grant.capability
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
            | Request::Function { .. } => false,
        }
    }

    /// What the host adds to this request, to this origin and to no other.
    pub fn headers(&self) -> &SecretHeaders {
        &self.held.grant.headers
    }

    pub(crate) fn held(&self) -> &Arc<HeldGrant> {
        &self.held
    }

    pub(crate) fn checked(&self) -> &Arc<Checked> {
        &self.checked
    }
}

impl Checked {
    pub(crate) fn new(request: Request) -> Self {
        let target = target(&request);
        Self { request, target }
    }
}

/// The object of a request, with hidden characters spelled out and without the query of a URL.
/// The kind is not in it: it stands in the capability already.
fn target(request: &Request) -> Arc<str> {
    let name = match request {
        Request::Dom { selector, .. } => selector.as_ref().map_or("", |s| s.as_str()),
        Request::Env { name } => name.as_str(),
        Request::Fs { path, .. } => path.as_str(),
        Request::Network { method, url } => {
            return visible(&format!("{method} {}{}", url.origin(), url.path())).into();
        }
        Request::Process { command } => command.as_str(),
        Request::State { name, .. } => name.as_str(),
        Request::Storage { key, .. } => key.as_ref().map_or("", |key| key.as_str()),
        Request::Function { name } => name.as_str(),
    };
    visible(name).into()
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Permit({} by {})", self.checked.request, self.held.text)
    }
}
