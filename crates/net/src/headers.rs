//! Headers of requests and responses: removed, added and measured here alone.
//!
//! Separate from `hop`, so that the list of headers a guest may not set is in one place.

use cofferdam_caps::network::{Method, Origin};
use http::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONNECTION, CONTENT_ENCODING, CONTENT_LANGUAGE,
    CONTENT_LENGTH, CONTENT_LOCATION, CONTENT_TYPE, COOKIE, HOST, PROXY_AUTHORIZATION, RANGE,
    SET_COOKIE, USER_AGENT,
};
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::authority::Passage;
use crate::error::{FetchError, FetchErrorKind};

/// Bytes a header takes besides its name and value: a colon, a space and a line end.
const HEADER_COST: usize = 4;

/// Headers that frame the message, choose the connection or override the method. A guest that could
/// set them could send two requests as one, or a DELETE under a grant for POST (T-NET-006).
const NOT_FOR_GUESTS: [&str; 16] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "cookie2",
];

/// Removes headers that a guest may not set; silently, as in the fetch standard.
pub(crate) fn drop_forbidden(headers: &mut HeaderMap) {
    remove_where(headers, |name| NOT_FOR_GUESTS.contains(&name) || name.starts_with("proxy-"));
}

/// Removes credentials, which belong to one origin.
pub(crate) fn drop_credentials(headers: &mut HeaderMap) {
    for name in [AUTHORIZATION, COOKIE, PROXY_AUTHORIZATION] {
        headers.remove(name);
    }
}

/// Removes headers that describe a body which is no longer sent.
pub(crate) fn drop_body_headers(headers: &mut HeaderMap) {
    for name in [CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LOCATION, CONTENT_TYPE] {
        headers.remove(name);
    }
}

/// Removes cookies from a response; guests never see them.
pub(crate) fn drop_cookies(headers: &mut HeaderMap) {
    headers.remove(SET_COOKIE);
    headers.remove("set-cookie2");
}

/// Returns the headers to send: the guest's, the client's and the secrets of the passage.
pub(crate) fn to_send(
    guest: &HeaderMap,
    passage: &Passage,
    method: &Method,
    origin: &Origin,
    no_body: bool,
) -> Result<HeaderMap, FetchError> {
    let mut headers = guest.clone();
    let mut default = |name: HeaderName, value: &'static str| {
        if !headers.contains_key(&name) {
            headers.insert(name, HeaderValue::from_static(value));
        }
    };
    default(ACCEPT, "*/*");
    default(USER_AGENT, concat!("cofferdam/", env!("CARGO_PKG_VERSION")));
    // A part of an encoded body cannot be decoded, and HEAD must report the unencoded length.
    let plain = headers.contains_key(RANGE) || method.as_str() == "HEAD";
    let encodings = if plain { "identity" } else { "gzip, deflate" };
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(encodings));
    headers.insert(CONNECTION, HeaderValue::from_static("close"));
    if no_body && matches!(method.as_str(), "POST" | "PUT" | "PATCH") {
        headers.insert(CONTENT_LENGTH, HeaderValue::from_static("0"));
    }
    add_secrets(&mut headers, passage, origin)?;
    let bad_host = |_| FetchError::new(FetchErrorKind::BadRequest, &origin.host, "no host header");
    headers.insert(HOST, host_value(origin).parse().map_err(bad_host)?);
    Ok(headers)
}

/// Adds secrets to the copy that is sent, never to the headers a redirect starts from (T-NET-004,
/// T-NET-005).
fn add_secrets(
    headers: &mut HeaderMap,
    passage: &Passage,
    origin: &Origin,
) -> Result<(), FetchError> {
    for (name, _) in &passage.secret_headers {
        if NOT_FOR_GUESTS.contains(&name.as_str()) {
            let reason = format!("a grant's secret header cannot be {name}");
            return Err(FetchError::new(FetchErrorKind::BadRequest, &origin.host, reason));
        }
        headers.remove(name);
    }
    for (name, value) in &passage.secret_headers {
        let mut value = value.clone();
        value.set_sensitive(true);
        headers.append(name, value);
    }
    Ok(())
}

/// Returns the value of the `Host` header, without the scheme's default port.
fn host_value(origin: &Origin) -> String {
    match origin.port == origin.scheme.default_port() {
        true => origin.host.to_string(),
        false => format!("{}:{}", origin.host, origin.port),
    }
}

/// Returns the size of a header block in bytes.
pub(crate) fn size(headers: &HeaderMap) -> usize {
    let cost = |(name, value): (&HeaderName, &HeaderValue)| {
        name.as_str().len() + value.len() + HEADER_COST
    };
    headers.iter().map(cost).sum()
}

fn remove_where(headers: &mut HeaderMap, unwanted: impl Fn(&str) -> bool) {
    let names: Vec<HeaderName> =
        headers.keys().filter(|name| unwanted(name.as_str())).cloned().collect();
    for name in names {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use cofferdam_caps::network::FetchUrl;

    use super::*;

    fn map(pairs: &[(&str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&str, &str)| {
            (name.parse::<HeaderName>().unwrap(), value.parse::<HeaderValue>().unwrap())
        };
        let mut headers = HeaderMap::new();
        for (name, value) in pairs.iter().map(pair) {
            headers.append(name, value);
        }
        headers
    }

    fn sent(guest: &[(&str, &str)], secrets: &[(&str, &str)], url: &str) -> HeaderMap {
        let mut guest = map(guest);
        drop_forbidden(&mut guest);
        let secret_headers = map(secrets).iter().map(|(n, v)| (n.clone(), v.clone())).collect();
        let passage = Passage { secret_headers, names_origin: false };
        let url: FetchUrl = url.parse().unwrap();
        to_send(&guest, &passage, &"POST".parse().unwrap(), url.origin(), true).unwrap()
    }

    #[test]
    fn guest_cannot_set_framing_headers() {
        for name in NOT_FOR_GUESTS.into_iter().chain(["proxy-authorization", "Proxy-Whatever"]) {
            let headers = sent(&[(name, "guest")], &[], "http://a.example");
            let values = headers.get_all(name).iter();
            assert!(values.into_iter().all(|value| value != "guest"), "{name}");
        }
    }

    #[test]
    fn host_is_that_of_the_url() {
        let headers = sent(&[("host", "evil.example")], &[], "https://a.example:8443/");
        assert_eq!(headers[HOST], "a.example:8443");
        assert_eq!(sent(&[], &[], "https://a.example:443/")[HOST], "a.example");
        assert_eq!(sent(&[], &[], "http://[::1]:81/")[HOST], "[::1]:81");
    }

    #[test]
    fn secret_wins_over_every_header_of_its_name() {
        let guest = [("X-Key", "one"), ("x-key", "two"), ("x-other", "mine")];
        let headers = sent(&guest, &[("x-key", "s3cr3t")], "https://a.example");
        assert_eq!(headers.get_all("x-key").iter().collect::<Vec<_>>(), ["s3cr3t"]);
        assert_eq!(headers["x-other"], "mine");
    }

    #[test]
    fn secret_is_not_shown() {
        let headers = sent(&[], &[("x-key", "s3cr3t")], "https://a.example");
        assert!(!format!("{headers:?}").contains("s3cr3t"));
        let value = HeaderValue::from_static("s3cr3t");
        let passage = Passage { secret_headers: vec![(AUTHORIZATION, value)], names_origin: false };
        assert!(!format!("{passage:?}").contains("s3cr3t"));
    }

    #[test]
    fn range_is_asked_for_unencoded() {
        let headers = sent(&[("range", "bytes=0-9")], &[], "https://a.example");
        assert_eq!(headers[ACCEPT_ENCODING], "identity");
    }

    #[test]
    fn header_values_hold_no_line_ends() {
        for text in ["a\r\nb: c", "a\nb", "a\0"] {
            assert!(text.parse::<HeaderValue>().is_err());
        }
    }
}
