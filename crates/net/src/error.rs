//! The error of a fetch: its kind for programs, its message for people.
//!
//! Separate, because every module of the crate creates one.

use std::fmt;

use cofferdam_caps::visible;

use crate::authority::NotAuthorised;

/// A fetch that has no response, or a response body that ended prematurely.
///
/// Displayed as one line that starts with the host. Contains no header, no query and no secret.
#[derive(Debug, Clone)]
pub struct FetchError {
    kind: FetchErrorKind,
    subject: String,
    reason: String,
    not_authorised: Option<NotAuthorised>,
}

/// The kind of a [`FetchError`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FetchErrorKind {
    /// The authority refused the request; see [`FetchError::not_authorised`].
    Denied,
    /// A request that cannot be sent, such as a GET with a body.
    BadRequest,
    /// The port belongs to another protocol.
    BadPort,
    /// The address is not public and the grant does not open it.
    Address,
    /// The name has no address.
    Resolve,
    /// No address could be connected to.
    Connect,
    /// TLS failed or the server's certificate does not match its name.
    Tls,
    /// The response is not HTTP or ended too early.
    Protocol,
    /// Headers exceed [`Limits::header_bytes`](crate::Limits::header_bytes).
    HeaderLimit,
    /// A body exceeds its limit.
    BodyLimit,
    /// More redirects than [`Limits::redirects`](crate::Limits::redirects).
    RedirectLimit,
    /// A redirect without a usable target, or one that needs a body which cannot be sent again.
    BadRedirect,
    /// A redirect under [`Redirect::Error`](crate::Redirect::Error).
    Redirected,
    /// The fetch took longer than [`Limits::time`](crate::Limits::time).
    TimeLimit,
    /// The body does not match its `Content-Encoding`.
    Encoding,
    /// The writer of the request's body was dropped before the end.
    Aborted,
    /// The client itself cannot work: no thread, or no root certificates.
    Stopped,
}

impl FetchError {
    pub(crate) fn new(
        kind: FetchErrorKind,
        subject: impl fmt::Display,
        reason: impl fmt::Display,
    ) -> Self {
        let subject = visible(&subject.to_string()).into_owned();
        let reason = visible(&reason.to_string()).into_owned();
        Self { kind, subject, reason, not_authorised: None }
    }

    pub(crate) fn denied(subject: impl fmt::Display, refusal: NotAuthorised) -> Self {
        let error = Self::new(FetchErrorKind::Denied, subject, refusal.message());
        Self { not_authorised: Some(refusal), ..error }
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> FetchErrorKind {
        self.kind
    }

    /// Returns the authority's refusal if the kind is [`FetchErrorKind::Denied`].
    pub fn not_authorised(&self) -> Option<&NotAuthorised> {
        self.not_authorised.as_ref()
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.subject, self.reason)
    }
}

impl std::error::Error for FetchError {}
