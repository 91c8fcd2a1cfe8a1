use std::any::Any;
use std::fmt;
use std::sync::Arc;

use cofferdam_caps::network::{FetchUrl, Method};
use http::{HeaderName, HeaderValue};

use crate::Later;

/// Says whether a request may be sent, and with what.
///
/// Asked on the caller's side, once for the request and once for each redirect before it is
/// followed. May take as long as it likes: a person may have to answer, and the time limit of
/// the fetch does not run meanwhile.
pub trait Authority: Send + Sync {
    /// A passage for exactly this method and URL, or the reason why there is none.
    fn allow<'a>(
        &'a self,
        method: &'a Method,
        url: &'a FetchUrl,
    ) -> Later<'a, Result<Passage, Refused>>;
}

/// What a grant brings along for one request to one origin.
///
/// The default opens public addresses and adds nothing.
#[derive(Clone, Default)]
pub struct Passage {
    /// Headers that the host adds and the guest never sees. They replace the guest's headers of
    /// the same name, and are not sent on to where a redirect leads.
    pub secret_headers: Vec<(HeaderName, HeaderValue)>,
    /// Whether the grant names this very origin, see
    /// [`Capability::names_origin`](cofferdam_caps::Capability::names_origin).
    pub names_origin: bool,
}

/// A no, in words for the guest, and whatever the authority wants back from it.
#[derive(Clone)]
pub struct Refused {
    message: String,
    cause: Option<Arc<dyn Any + Send + Sync>>,
}

impl Refused {
    /// A no with its reason.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), cause: None }
    }

    /// The same, carrying `cause` to whoever gets the [`FetchError`](crate::FetchError).
    pub fn with_cause(self, cause: impl Any + Send + Sync) -> Self {
        Self { cause: Some(Arc::new(cause)), ..self }
    }

    /// The reason.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What [`with_cause`](Self::with_cause) was given, if it is a `T`.
    pub fn cause<T: Any + Send + Sync>(&self) -> Option<&T> {
        self.cause.as_deref().and_then(|cause| cause.downcast_ref())
    }
}

/// Names of headers only.
impl fmt::Debug for Passage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.secret_headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Passage")
            .field("secret_headers", &names)
            .field("names_origin", &self.names_origin)
            .finish()
    }
}

impl fmt::Debug for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refused").field("message", &self.message).finish_non_exhaustive()
    }
}
