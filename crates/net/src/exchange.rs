//! One request and its response, before redirects are considered. `hop` sends it over a connection,
//! `browser` by the page.

use std::time::Instant;

use cofferdam_caps::network::{FetchUrl, Method};
use http::{HeaderMap, StatusCode};

use crate::body::Outgoing;
use crate::fetch::Limits;
use crate::response::ResponseBody;

/// One request. The caller handles permissions and redirects.
pub(crate) struct Hop {
    pub(crate) method: Method,
    pub(crate) url: FetchUrl,
    /// Headers to send, secrets included.
    pub(crate) headers: HeaderMap,
    pub(crate) body: Outgoing,
    pub(crate) names_origin: bool,
    pub(crate) limits: Limits,
    pub(crate) deadline: Instant,
}

/// The response to one request.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) status_text: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: ResponseBody,
}
