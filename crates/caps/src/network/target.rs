//! [`FetchUrl`], the URL of one request, and its origin.

use std::fmt;
use std::str::FromStr;

use super::HostName;
use super::path::{self, Stars};
use crate::MAX_NAME_LEN;
use crate::error::{Error, ErrorKind};
use crate::pattern::Pattern;

/// Longest URL of a request in bytes, including its query.
const MAX_URL: usize = 64 * 1024;

pub(super) const NO_CREDENTIALS: &str = "a URL must not contain a user name or password";

/// A URL that a guest requests: `http` or `https`, without credentials or fragment.
///
/// Connect to this URL, not to the text it was parsed from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FetchUrl {
    url: url::Url,
    origin: Origin,
    path: Pattern,
}

/// Scheme, host and port.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the types say it")]
pub struct Origin {
    pub scheme: Scheme,
    pub host: HostName,
    pub port: u16,
}

/// The scheme of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "each variant is its name")]
pub enum Scheme {
    Http,
    Https,
}

impl FetchUrl {
    /// Returns the URL to send, including its query.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// Returns the origin to connect to.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Returns the path to send, without the query.
    pub fn path(&self) -> &str {
        self.url.path()
    }

    /// Resolves a reference, such as a `Location` header, against this URL.
    pub fn join(&self, reference: &str) -> Result<Self, Error> {
        check_length(reference)?;
        Self::read(reference, self.url.join(reference))
    }

    pub(super) fn segments(&self) -> &Pattern {
        &self.path
    }

    fn read(text: &str, url: Result<url::Url, url::ParseError>) -> Result<Self, Error> {
        let mut url = url
            .map_err(|error| Error::new(ErrorKind::BadUrl, text, format!("not a URL: {error}")))?;
        let scheme = url.scheme().parse::<Scheme>().map_err(|error| error.within(text))?;
        if !url.username().is_empty() || url.password().is_some() {
            // The text holds a password and is not repeated.
            let host = url.host_str().unwrap_or("");
            return Err(Error::new(ErrorKind::Credentials, host, NO_CREDENTIALS));
        }
        let no_host = || Error::new(ErrorKind::BadUrl, text, "a URL must have a host");
        let host = HostName::read(url.host().ok_or_else(no_host)?)?;
        url.set_host(Some(&host.to_string())).map_err(|_| no_host())?;
        url.set_fragment(None);
        if url.path().len() > MAX_NAME_LEN {
            let reason = format!("the path is longer than {MAX_NAME_LEN} bytes");
            return Err(Error::new(ErrorKind::TooLong, text, reason));
        }
        let path = path::read(url.path(), Stars::Letters)?;
        let port = url.port().unwrap_or(scheme.default_port());
        Ok(Self { url, origin: Origin { scheme, host, port }, path })
    }
}

fn check_length(text: &str) -> Result<(), Error> {
    match text.len() > MAX_URL {
        true => Err(Error::new(ErrorKind::TooLong, text, format!("longer than {MAX_URL} bytes"))),
        false => Ok(()),
    }
}

impl FromStr for FetchUrl {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        check_length(text)?;
        Self::read(text, url::Url::parse(text))
    }
}

impl Scheme {
    /// Returns the name, without a colon.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    /// Returns the port that is used if the URL has none.
    pub const fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

impl FromStr for Scheme {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let schemes = [Self::Http, Self::Https];
        let scheme = schemes.into_iter().find(|s| s.as_str().eq_ignore_ascii_case(text));
        scheme.ok_or_else(|| {
            Error::new(ErrorKind::BadScheme, text, "a URL must start with http:// or https://")
        })
    }
}

/// Writes the origin, without the scheme's default port: `https://api.example.com`.
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme.as_str(), self.host)?;
        match self.port == self.scheme.default_port() {
            true => Ok(()),
            false => write!(f, ":{}", self.port),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expect: &str) {
        let url: FetchUrl = input.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(url.as_str(), expect, "{input}");
        assert!(url.as_str().starts_with(&url.origin().to_string()));
    }

    fn check_refused(input: &str, kind: ErrorKind) {
        assert_eq!(input.parse::<FetchUrl>().unwrap_err().kind(), kind, "{input}");
    }

    #[test]
    fn url_has_one_spelling() {
        check("HTTPS://Example.COM.:443/a/./b/../c?q#f", "https://example.com/a/c?q");
        check("http://0x7f.1:080", "http://127.0.0.1/");
        check("http://a/%2e%2E/%2e/b", "http://a/b");
        check(" \thttp:\\\\a\\b\n", "http://a/b");
    }

    #[test]
    fn backslash_does_not_hide_the_host() {
        check("http://evil.example\\@127.0.0.1/", "http://evil.example/@127.0.0.1/");
        check("http:127.0.0.1", "http://127.0.0.1/");
        check("http:////127.0.0.1", "http://127.0.0.1/");
        check("http://@127.0.0.1/", "http://127.0.0.1/");
    }

    #[test]
    fn credentials_are_refused_and_not_repeated() {
        check_refused("http://127.0.0.1@evil.example/", ErrorKind::Credentials);
        check_refused("http://:x@a/", ErrorKind::Credentials);
        let error = "http://u:s3cr3t@a.example/".parse::<FetchUrl>().unwrap_err();
        assert_eq!(error.to_string(), "a.example: a URL must not contain a user name or password");
    }

    #[test]
    fn other_schemes_are_refused() {
        for text in ["file:///etc/passwd", "ws://a", "data:,x", "ftp://a", "javascript:1"] {
            check_refused(text, ErrorKind::BadScheme);
        }
    }

    #[test]
    fn text_that_is_no_url_is_refused() {
        for text in ["", "a", "/a", "http://", "http://a:99999", "http://[::1", "https://a b"] {
            check_refused(text, ErrorKind::BadUrl);
        }
        check_refused("https://*.example.com/", ErrorKind::BadHost);
    }

    #[test]
    fn sizes_are_capped() {
        check_refused(&format!("http://a/?{}", "a".repeat(MAX_URL)), ErrorKind::TooLong);
        check_refused(&format!("http://a/{}", "ä".repeat(MAX_NAME_LEN / 3)), ErrorKind::TooLong);
    }

    #[test]
    fn redirect_is_read_where_it_was_found() {
        let url: FetchUrl = "https://a.example/v1/x?q".parse().unwrap();
        assert_eq!(url.join("../y").unwrap().as_str(), "https://a.example/y");
        assert_eq!(url.join("//127.1/z").unwrap().origin().to_string(), "https://127.0.0.1");
        assert_eq!(url.join("file:///x").unwrap_err().kind(), ErrorKind::BadScheme);
    }
}
