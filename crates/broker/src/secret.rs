//! Headers with secrets that a grant adds to requests.

use std::fmt;

use cofferdam_caps::visible;

/// Most headers of one grant.
pub const MAX_HEADERS: usize = 16;

/// Longest name and value of one header together, in bytes.
pub const MAX_HEADER_LEN: usize = 8 * 1024;

/// Headers that the host adds to a request, invisible to guests.
///
/// `Debug` shows only their number. Only [`expose`](Self::expose) returns the values, for the code
/// that sends the request or stores the grant.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct SecretHeaders(Vec<(Box<str>, Box<str>)>);

/// Error for a header that a grant cannot carry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadHeader {
    // The name only: the value is secret even if it is invalid.
    name: String,
    reason: &'static str,
}

impl SecretHeaders {
    /// Adds a header, or replaces the one with the same name.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), BadHeader> {
        let bad = |reason| Err(BadHeader { name: visible(name).into_owned(), reason });
        let is_token =
            |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_token) {
            return bad("not a valid header name");
        }
        if !value.bytes().all(|byte| matches!(byte, b'\t' | 0x20..=0x7e)) {
            return bad("a header value must be printable ASCII");
        }
        if name.len() + value.len() > MAX_HEADER_LEN {
            return bad("the header is too long");
        }
        let name = name.to_ascii_lowercase();
        // These headers frame or route the message, which is up to the HTTP client.
        if ["host", "content-length", "transfer-encoding", "connection", "upgrade", "te", "trailer"]
            .contains(&name.as_str())
        {
            return bad("a grant may not set this header");
        }
        self.0.retain(|(have, _)| **have != *name);
        if self.0.len() == MAX_HEADERS {
            return bad("a grant may carry at most 16 headers");
        }
        self.0.push((name.into(), value.into()));
        Ok(())
    }

    /// Returns true if there are no headers.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the names in lower case; they are not secret.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    /// Returns names and values, to be sent or stored and for nothing else.
    pub fn expose(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (&**name, &**value))
    }
}

impl fmt::Debug for SecretHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretHeaders({})", self.0.len())
    }
}

impl fmt::Display for BadHeader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.reason)
    }
}

impl std::error::Error for BadHeader {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_no_secret() {
        let mut headers = SecretHeaders::default();
        headers.set("Authorization", "Bearer s3cr3t").unwrap();
        assert_eq!(format!("{headers:?}"), "SecretHeaders(1)");
        assert_eq!(headers.expose().collect::<Vec<_>>(), [("authorization", "Bearer s3cr3t")]);
    }

    #[test]
    fn header_cannot_carry_another_line() {
        let mut headers = SecretHeaders::default();
        let error = headers.set("x-key", "s3cr3t\r\nhost: evil").unwrap_err();
        assert_eq!(error.to_string(), "x-key: a header value must be printable ASCII");
        assert!(headers.set("x key", "a").is_err());
        assert!(headers.set("Host", "a").is_err());
        assert!(headers.is_empty());
    }

    #[test]
    fn second_value_replaces_the_first() {
        let mut headers = SecretHeaders::default();
        headers.set("X-Key", "a").unwrap();
        headers.set("x-key", "b").unwrap();
        assert_eq!(headers.expose().collect::<Vec<_>>(), [("x-key", "b")]);
    }

    #[test]
    fn headers_are_bounded() {
        let mut headers = SecretHeaders::default();
        (0..MAX_HEADERS).for_each(|i| headers.set(&format!("x{i}"), "v").unwrap());
        assert!(headers.set("y", "v").is_err());
        assert!(headers.set("x0", &"v".repeat(MAX_HEADER_LEN)).is_err());
    }
}
