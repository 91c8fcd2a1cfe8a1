//! Errors of the API, as `application/problem+json`.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use cofferdam_front::runner::{Fault, NotStarted, fault};
use serde_json::{Value as Json, json};

/// An error answer. Text from clients in it is escaped by JSON.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    code: &'static str,
    detail: String,
    retry_after: Option<u64>,
    more: Option<Box<(&'static str, Json)>>,
}

impl Problem {
    /// Creates a problem. `code` is for programs, `detail` for people.
    pub fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Problem { status, code, detail: detail.into(), retry_after: None, more: None }
    }

    /// Creates a problem with the parameters of a request.
    pub fn params(detail: impl Into<String>) -> Self {
        Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-params", detail)
    }

    /// Creates a problem with the form of a request.
    pub fn request(detail: impl Into<String>) -> Self {
        Problem::new(StatusCode::BAD_REQUEST, "bad-request", detail)
    }

    /// Creates a problem for something that does not exist, or that the client may not see.
    pub fn not_found(what: &str) -> Self {
        Problem::new(StatusCode::NOT_FOUND, "not-found", format!("{what}: not found"))
    }

    /// Creates a problem for a client without a credential that counts here.
    pub fn unauthorised(detail: impl Into<String>) -> Self {
        Problem::new(StatusCode::UNAUTHORIZED, "unauthorised", detail)
    }

    /// Creates a problem for a client that may not do this, whatever it sends.
    pub fn forbidden(detail: impl Into<String>) -> Self {
        Problem::new(StatusCode::FORBIDDEN, "forbidden", detail)
    }

    /// Creates a problem with the state of something: busy, changed, used.
    pub fn conflict(code: &'static str, detail: impl Into<String>) -> Self {
        Problem::new(StatusCode::CONFLICT, code, detail)
    }

    /// Creates a problem for a client that has to slow down.
    pub fn busy(detail: impl Into<String>, seconds: u64) -> Self {
        let mut problem = Problem::new(StatusCode::TOO_MANY_REQUESTS, "busy", detail);
        problem.retry_after = Some(seconds.max(1));
        problem
    }

    /// Creates a problem of this program. The log has the reason, the client does not.
    pub fn internal(reason: impl std::fmt::Display) -> Self {
        tracing::error!(%reason, "request failed");
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "internal",
            "the server failed; see its log",
        )
    }

    /// Adds a member to the object.
    pub fn with(mut self, name: &'static str, value: Json) -> Self {
        self.more = Some(Box::new((name, value)));
        self
    }

    /// Returns the status code.
    pub fn status(&self) -> StatusCode {
        self.status
    }

    /// Returns the text for people.
    pub fn detail(&self) -> &str {
        &self.detail
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut object = json!({
            "type": format!("urn:cofferdam:problem:{}", self.code),
            "title": self.status.canonical_reason().unwrap_or("Error"),
            "status": self.status.as_u16(),
            "code": self.code,
            "detail": self.detail,
        });
        if let Some((name, value)) = self.more.map(|more| *more) {
            object[name] = value;
        }
        let mut response = (self.status, object.to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<cofferdam_front::exec::BadParams> for Problem {
    fn from(bad: cofferdam_front::exec::BadParams) -> Self {
        Problem::params(bad.0)
    }
}

impl From<cofferdam::Error> for Problem {
    fn from(error: cofferdam::Error) -> Self {
        let is_found = error.kind() != cofferdam::ErrorKind::NotFound;
        match fault(error.kind()) {
            Fault::Busy => Problem::conflict("busy", error.to_string()),
            Fault::Caller if is_found => Problem::params(error.to_string()),
            Fault::Caller => Problem::new(StatusCode::NOT_FOUND, "not-found", error.to_string()),
            Fault::Host => Problem::internal(error),
        }
    }
}

impl From<cofferdam::permissions::Error> for Problem {
    fn from(error: cofferdam::permissions::Error) -> Self {
        use cofferdam::permissions::ErrorKind;
        match error.kind() {
            ErrorKind::NotFound => Problem::not_found("this id"),
            ErrorKind::Late => Problem::conflict("stale", error.to_string()),
            ErrorKind::NotEnough => Problem::params(error.to_string()),
            _ => Problem::internal(error),
        }
    }
}

impl From<NotStarted> for Problem {
    fn from(not_started: NotStarted) -> Self {
        match not_started {
            NotStarted::Params(text) => Problem::params(text),
            NotStarted::Busy(text) => Problem::busy(text, 1),
            NotStarted::Internal(text) => Problem::internal(text),
            NotStarted::Outcome(outcome) => {
                let text = outcome.error().map_or(String::new(), |error| error.message);
                Problem::params(text).with("outcome", outcome.to_json())
            }
        }
    }
}
