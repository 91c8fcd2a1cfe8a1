//! The [`Permit`], proof that an [`Action`] was checked.

use std::fmt;
use std::sync::Arc;

use cofferdam_caps::{Capability, Request, visible};

use crate::held_grant::HeldGrant;
use crate::particulars::Particulars;
use crate::secret::SecretHeaders;

/// Something that a guest wants to do, with the target that was resolved for it.
///
/// An action is defined beside the resource that carries it out, and its requests name the target
/// that the resource will use.
pub trait Action {
    /// Returns the request to check.
    fn request(&self) -> Request;

    /// Returns the next further request that must be permitted too, or `None` after the last.
    ///
    /// Called again only if the one before was permitted, so that an action with many targets finds
    /// each of them after those before it were checked.
    fn further(&mut self) -> Option<Request> {
        None
    }

    /// Returns true if the action changes something outside the sandbox although the kind of its
    /// requests does not imply that, such as a write to a folder of the host. Asked after the last
    /// request was permitted; the audit lines are then durable before a permit is returned.
    fn acts_outside(&self) -> bool {
        false
    }

    /// Returns facts for the person who is asked; computed only if the action is not granted.
    fn particulars(&self) -> Particulars {
        Particulars::default()
    }
}

impl Action for Request {
    fn request(&self) -> Request {
        self.clone()
    }
}

impl Action for &Request {
    fn request(&self) -> Request {
        Request::clone(self)
    }

    fn particulars(&self) -> Particulars {
        (**self).particulars()
    }
}

/// Permission to carry out one action now; only the broker can create one.
///
/// A function that touches a resource takes the permit by value and takes its target from the
/// permit's [`action`](Self::action), so that only what was checked is done, and done once.
///
/// No other crate can make a permit:
///
/// ```compile_fail
/// use cofferdam_broker::Permit;
/// use cofferdam_caps::Request;
///
/// fn forged(action: Request) -> Permit<Request> {
///     Permit { action }
/// }
/// ```
///
/// And none can be copied:
///
/// ```compile_fail
/// use cofferdam_broker::Permit;
/// use cofferdam_caps::Request;
///
/// fn twice(permit: Permit<Request>) -> (Permit<Request>, Permit<Request>) {
///     (permit.clone(), permit)
/// }
/// ```
#[must_use]
pub struct Permit<A> {
    action: A,
    checked: Arc<Checked>,
    held: Arc<HeldGrant>,
}

/// A checked request, shared by its permits and the cached verdict.
pub(crate) struct Checked {
    pub(crate) request: Request,
    /// Object of the request as the audit log shows it.
    pub(crate) target: Arc<str>,
    /// Facts for the person who is asked, or who reads what was denied; empty for a permit.
    pub(crate) particulars: Particulars,
}

impl Permit<()> {
    pub(crate) fn new(checked: Arc<Checked>, held: Arc<HeldGrant>) -> Self {
        Self { action: (), checked, held }
    }

    /// Returns the permit for the action that the request was made for.
    pub(crate) fn for_action<A>(self, action: A) -> Permit<A> {
        Permit { action, checked: self.checked, held: self.held }
    }
}

impl<A> Permit<A> {
    /// Returns the permitted action.
    pub fn action(&self) -> &A {
        &self.action
    }

    /// Uses the permit up and returns the permitted action.
    pub fn into_action(self) -> A {
        self.action
    }

    /// Returns the permitted request; the first, if the action has several.
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
        Self::with(request, Particulars::default())
    }

    pub(crate) fn with(request: Request, particulars: Particulars) -> Self {
        let target = target(&request);
        Self { request, target, particulars }
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

impl<A> fmt::Debug for Permit<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Permit({} by {})", self.checked.request, self.held.text)
    }
}
