//! The interface through which the caller allows or refuses each request.
//!
//! Separate from the client, which asks: this crate makes no decision on grants itself.
//!
//! Meets T-NET-005.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use cofferdam_caps::network::{FetchUrl, Method};
use http::{HeaderName, HeaderValue};

use crate::Later;

/// Decides whether a request may be sent and which secret headers it carries.
///
/// Called on the caller's side, once for the request and once for each redirect before it is
/// followed. The call may wait for a person's approval; the time limit of the fetch is paused
/// meanwhile.
pub trait Authority: Send + Sync {
    /// Returns a passage for exactly this method and URL, or the refusal.
    fn allow<'a>(
        &'a self,
        method: &'a Method,
        url: &'a FetchUrl,
    ) -> Later<'a, Result<Passage, NotAuthorised>>;
}

/// The terms under which one request to one origin may be sent.
///
/// By default only public addresses are reachable and no header is added.
#[derive(Clone, Default)]
pub struct Passage {
    /// Headers that the host adds and the guest never sees. They replace the guest's headers of the
    /// same name and are not forwarded when a redirect is followed.
    pub secret_headers: Vec<(HeaderName, HeaderValue)>,
    /// True if the grant names exactly this origin; see
    /// [`Capability::names_origin`](cofferdam_caps::Capability::names_origin).
    pub names_origin: bool,
}

impl Passage {
    /// Creates a passage with these headers, names and values. A header that HTTP does not allow is
    /// left out.
    pub fn new<'a>(
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
        names_origin: bool,
    ) -> Self {
        let secret = |(name, value): (&str, &str)| {
            let mut value = HeaderValue::from_str(value).ok()?;
            value.set_sensitive(true);
            Some((HeaderName::from_bytes(name.as_bytes()).ok()?, value))
        };
        Passage { secret_headers: headers.into_iter().filter_map(secret).collect(), names_origin }
    }
}

/// A refused request: a message for the guest and an optional cause for the caller.
#[derive(Clone)]
pub struct NotAuthorised {
    message: String,
    cause: Option<Arc<dyn Any + Send + Sync>>,
}

impl NotAuthorised {
    /// Creates a refusal with a message for the guest.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), cause: None }
    }

    /// Attaches a cause, which the caller finds in the [`FetchError`](crate::FetchError).
    pub fn with_cause(self, cause: impl Any + Send + Sync) -> Self {
        Self { cause: Some(Arc::new(cause)), ..self }
    }

    /// Returns the message for the guest.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Returns the cause given to [`with_cause`](Self::with_cause) if its type is `T`.
    pub fn cause<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.cause.as_deref().and_then(|cause| cause.downcast_ref())
    }
}

/// Shows the names of secret headers, never their values.
impl fmt::Debug for Passage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.secret_headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Passage")
            .field("secret_headers", &names)
            .field("names_origin", &self.names_origin)
            .finish()
    }
}

impl fmt::Debug for NotAuthorised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NotAuthorised").field("message", &self.message).finish_non_exhaustive()
    }
}
