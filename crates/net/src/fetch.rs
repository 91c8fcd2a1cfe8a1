//! One request of a guest and its limits: plain data, filled in by the caller.

use std::time::Duration;

use cofferdam_caps::network::{FetchUrl, Method};
use http::HeaderMap;

use crate::body::Body;

/// One request of a guest.
#[derive(Debug)]
#[expect(missing_docs, reason = "the types say it")]
pub struct Fetch {
    pub method: Method,
    pub url: FetchUrl,
    /// Headers set by the guest. Headers that frame the message or address a proxy are not sent, as
    /// in the fetch standard.
    pub headers: HeaderMap,
    pub body: Body,
    pub redirect: Redirect,
    pub limits: Limits,
}

/// Treatment of redirects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Redirect {
    /// Follows the redirect if the authority allows it.
    #[default]
    Follow,
    /// Returns the redirect as the response.
    Manual,
    /// Fails.
    Error,
}

/// Limits of one fetch, redirects included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// Longest response body, after decoding.
    pub body_bytes: usize,
    /// Longest request body.
    pub send_bytes: usize,
    /// Longest header block, of the request and of each response.
    pub header_bytes: usize,
    /// Most redirects followed.
    pub redirects: u32,
    /// Longest time from the first name lookup to the last byte read, without the time the
    /// authority takes to decide.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 10 * 1024 * 1024,
            send_bytes: 10 * 1024 * 1024,
            header_bytes: 64 * 1024,
            redirects: 5,
            time: Duration::from_secs(30),
        }
    }
}

impl Fetch {
    /// Creates a request without headers or body, under the default limits.
    pub fn new(method: Method, url: FetchUrl) -> Self {
        Self {
            method,
            url,
            headers: HeaderMap::new(),
            body: Body::empty(),
            redirect: Redirect::default(),
            limits: Limits::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fetch_has_ten_mebibytes_five_redirects_and_half_a_minute() {
        let Limits { body_bytes, send_bytes, header_bytes, redirects, time } = Limits::default();
        assert_eq!((body_bytes, send_bytes, header_bytes), (10_485_760, 10_485_760, 65_536));
        assert_eq!((redirects, time.as_secs()), (5, 30));
    }
}
