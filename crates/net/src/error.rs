use std::fmt;

use cofferdam_caps::visible;

use crate::authority::Refused;

/// Why there is no response, or no more of its body.
///
/// Displayed as one line, the host first. Holds no header, no query and no secret.
#[derive(Debug, Clone)]
pub struct FetchError {
    kind: FetchErrorKind,
    subject: String,
    reason: String,
    refused: Option<Refused>,
}

/// What went wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FetchErrorKind {
    /// The authority said no; see [`FetchError::refused`].
    Denied,
    /// A request that cannot be sent: a body with GET, a header where none can be.
    BadRequest,
    /// A port of another protocol.
    BadPort,
    /// An address that is not public, and the grant does not open it.
    Address,
    /// The name has no address.
    Resolve,
    /// No address could be connected to.
    Connect,
    /// The server did not prove to be who its name says.
    Tls,
    /// What came back is not HTTP, or ended too early.
    Protocol,
    /// Headers longer than [`Limits::header_bytes`](crate::Limits::header_bytes).
    HeaderLimit,
    /// A body longer than its limit.
    BodyLimit,
    /// More redirects than [`Limits::redirects`](crate::Limits::redirects).
    RedirectLimit,
    /// A redirect to nowhere, or one that would need the body again.
    BadRedirect,
    /// A redirect where [`Redirect::Error`](crate::Redirect::Error) was asked for.
    Redirected,
    /// Longer than [`Limits::time`](crate::Limits::time).
    TimeLimit,
    /// A body that is not what its `Content-Encoding` says.
    Encoding,
    /// The sender of the request's body went away before its end.
    Aborted,
    /// The client itself is out of order: no thread, no root certificates.
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
        Self { kind, subject, reason, refused: None }
    }

    pub(crate) fn denied(subject: impl fmt::Display, refused: Refused) -> Self {
        let error = Self::new(FetchErrorKind::Denied, subject, refused.message());
        Self { refused: Some(refused), ..error }
    }

    /// What went wrong, to be matched on.
    pub fn kind(&self) -> FetchErrorKind {
        self.kind
    }

    /// What the authority said, where it said no.
    pub fn refused(&self) -> Option<&Refused> {
        self.refused.as_ref()
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.subject, self.reason)
    }
}

impl std::error::Error for FetchError {}
