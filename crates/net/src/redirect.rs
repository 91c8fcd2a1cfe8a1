//! The redirect rules of the fetch standard: the target, and the changes to method, body and
//! headers.
//!
//! Separate from `client`, which follows redirects: nothing here does I/O.

use cofferdam_caps::ErrorKind;
use cofferdam_caps::network::{FetchUrl, Method};
use http::header::LOCATION;
use http::{HeaderMap, StatusCode};

use crate::body::Body;
use crate::error::{FetchError, FetchErrorKind};
use crate::headers;

/// A request between two connections.
pub(crate) struct Next {
    pub(crate) method: Method,
    pub(crate) url: FetchUrl,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Body,
}

/// Returns the target of a response that is a redirect.
pub(crate) fn target(
    status: StatusCode,
    response: &HeaderMap,
    url: &FetchUrl,
) -> Result<Option<FetchUrl>, FetchError> {
    if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return Ok(None);
    }
    let mut locations = response.get_all(LOCATION).iter();
    let Some(location) = locations.next() else {
        return Ok(None);
    };
    let bad = |reason| FetchError::new(FetchErrorKind::BadRedirect, &url.origin().host, reason);
    if locations.any(|other| other != location) {
        return Err(bad("redirects to two places at once"));
    }
    let location = str::from_utf8(location.as_bytes())
        .map_err(|_| bad("redirects to a URL that cannot be read"))?;
    // The message omits the URL, which may contain tokens.
    let target = url.join(location).map_err(|error| match error.kind() {
        ErrorKind::BadScheme => bad("redirects to a scheme other than http and https"),
        ErrorKind::Credentials => bad("redirects to a URL with a user name or password"),
        _ => bad("redirects to a URL that cannot be read"),
    })?;
    Ok(Some(target))
}

impl Next {
    /// Turns this request into the one that follows a redirect to `target`, as in the fetch
    /// standard.
    pub(crate) fn follow(
        &mut self,
        status: StatusCode,
        target: FetchUrl,
    ) -> Result<(), FetchError> {
        let host = &self.url.origin().host;
        // Also applies if the body would not be sent again: the outcome must not depend on how much
        // of the stream was read.
        if status != StatusCode::SEE_OTHER && self.body.len().is_none() {
            let reason = "redirects a request whose body was streamed and cannot be sent again";
            return Err(FetchError::new(FetchErrorKind::BadRedirect, host, reason));
        }
        let becomes_get = match status.as_u16() {
            301 | 302 => self.method.as_str() == "POST",
            303 => !matches!(self.method.as_str(), "GET" | "HEAD"),
            _ => false,
        };
        if becomes_get {
            let bad = |error| FetchError::new(FetchErrorKind::BadRequest, host, error);
            self.method = "GET".parse().map_err(bad)?;
            self.body = Body::empty();
            headers::drop_body_headers(&mut self.headers);
        }
        // T-NET-004: credentials stay with their origin.
        if target.origin() != self.url.origin() {
            headers::drop_credentials(&mut self.headers);
        }
        self.url = target;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    fn next(method: &str) -> Next {
        let mut headers = HeaderMap::new();
        for name in ["authorization", "cookie", "content-type", "x-mine"] {
            headers.insert(name, "v".parse().unwrap());
        }
        Next {
            method: method.parse().unwrap(),
            url: "https://a.example/x".parse().unwrap(),
            headers,
            body: Body::from(Bytes::from_static(b"data")),
        }
    }

    fn check(method: &str, status: u16, expect: &str, keeps_body: bool) {
        let mut next = next(method);
        let target = "https://a.example/y".parse().unwrap();
        next.follow(StatusCode::from_u16(status).unwrap(), target).unwrap();
        assert_eq!(next.method.as_str(), expect, "{method} {status}");
        assert_eq!(!next.body.is_empty(), keeps_body, "{method} {status}");
        assert_eq!(next.headers.contains_key("content-type"), keeps_body, "{method} {status}");
    }

    #[test]
    fn methods_change_as_the_standard_says() {
        check("POST", 301, "GET", false);
        check("POST", 302, "GET", false);
        check("POST", 303, "GET", false);
        check("PUT", 303, "GET", false);
        check("PUT", 301, "PUT", true);
        check("POST", 307, "POST", true);
        check("DELETE", 308, "DELETE", true);
    }

    #[test]
    fn head_stays_head() {
        check("HEAD", 303, "HEAD", true);
    }

    #[test]
    fn credentials_stay_with_their_origin() {
        for (target, kept) in [
            ("https://a.example/y", true),
            ("http://a.example/y", false),
            ("https://a.example:444/y", false),
            ("https://b.example/y", false),
        ] {
            let mut next = next("GET");
            next.follow(StatusCode::FOUND, target.parse().unwrap()).unwrap();
            assert_eq!(next.headers.contains_key("authorization"), kept, "{target}");
            assert_eq!(next.headers.contains_key("cookie"), kept, "{target}");
            assert!(next.headers.contains_key("x-mine"));
        }
    }

    #[test]
    fn stream_is_not_sent_twice() {
        let mut next = Next { body: Body::channel().1, ..next("POST") };
        let target = "https://a.example/y".parse().unwrap();
        let error = next.follow(StatusCode::TEMPORARY_REDIRECT, target).unwrap_err();
        assert_eq!(error.kind(), FetchErrorKind::BadRedirect);
    }

    fn check_target(location: &str, expect: Result<&str, &str>) {
        let url: FetchUrl = "https://a.example/x/y".parse().unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(LOCATION, location.parse().unwrap());
        let found = target(StatusCode::FOUND, &headers, &url);
        let found = found.map(|url| url.unwrap().as_str().to_owned());
        let found = found.map_err(|error| error.to_string());
        assert_eq!(found, expect.map(str::to_owned).map_err(str::to_owned));
    }

    #[test]
    fn location_is_read_against_the_url() {
        check_target("z?q#f", Ok("https://a.example/x/z?q"));
        check_target("//0x7f.1/", Ok("https://127.0.0.1/"));
    }

    #[test]
    fn invalid_location_is_refused_and_not_repeated() {
        let scheme = "a.example: redirects to a scheme other than http and https";
        check_target("file:///etc/passwd", Err(scheme));
        let credentials = "a.example: redirects to a URL with a user name or password";
        check_target("https://u:s3cr3t@a.example", Err(credentials));
        check_target("http://[", Err("a.example: redirects to a URL that cannot be read"));
    }

    #[test]
    fn two_different_locations_are_an_error() {
        let url: FetchUrl = "https://a.example/".parse().unwrap();
        let mut headers = HeaderMap::new();
        headers.append(LOCATION, "/a".parse().unwrap());
        headers.append(LOCATION, "/b".parse().unwrap());
        assert!(target(StatusCode::FOUND, &headers, &url).is_err());
    }
}
