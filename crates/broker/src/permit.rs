//! The [`Permit`], proof that a request was checked.

use std::fmt;
use std::sync::Arc;

use cofferdam_caps::{Capability, Request, visible};

use crate::held_grant::HeldGrant;
use crate::secret::SecretHeaders;

/// Permission to carry out one request now; only the broker can create one.
///
/// A function that touches a resource takes the permit by value and takes its target from
/// [`request`](Self::request), so that only what was checked is done.
#[must_use]
pub struct Permit {
    checked: Arc<Checked>,
    held: Arc<HeldGrant>,
}

/// A checked request, shared by its permits and the cached verdict.
pub(crate) struct Checked {
    pub(crate) request: Request,
    /// Object of the request as the audit log shows it.
    pub(crate) target: Arc<str>,
}

impl Permit {
    pub(crate) fn new(checked: Arc<Checked>, held: Arc<HeldGrant>) -> Self {
        Self { checked, held }
    }

    /// Returns the permitted request.
    pub fn request(&self) -> &Request {
        &self.checked.request
    }

    /// Returns the granted capability that allows the request.
    pub fn capability(&self) -> &Capability {
        &self.held.grant.capability
    }

    /// Returns true if the request may connect to an address that is not public, because the
    /// grant names exactly the origin of the request.
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

    /// Returns the headers that the host adds to this request; they must go to no other origin.
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

/// Returns the object of a request, with hidden characters escaped and without the query of a
/// URL.
///
/// Omits the kind, which the audit line's capability contains.
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
