//! `network:fetch[:[METHODS@]URL-PATTERN]`: HTTP and HTTPS.
//!
//! A pattern is parsed by the same rules as a requested URL, those of the WHATWG URL standard, so
//! that the checked address is the one that is connected to:
//!
//! | part | in a pattern |
//! |---|---|
//! | methods | `GET,HEAD@` before the scheme; any method if absent |
//! | scheme | `http` or `https`, always required |
//! | host | a domain, an IP address, or `*.example.com`: subdomains at any depth, but not the domain itself |
//! | port | `:8443` is that port, `:*` any port; the scheme's default if absent |
//! | path | `*` within a segment, `**` across segments; `/` is only the root; any path if absent |
//! | query | not allowed in a pattern, ignored in a request |
//!
//! `https://api.example.com/v1/*` matches one segment below `/v1`, as in a file path;
//! `https://api.example.com/v1/**` matches `/v1` and everything below it.
//!
//! Without a scope, every public address is allowed. A capability does not restrict the addresses
//! that a name resolves to; see [`Capability::names_origin`](crate::Capability::names_origin).

mod host;
mod method;
mod path;
mod pattern;
mod target;

use std::fmt;

use crate::capability::Area;
use crate::error::Error;
use crate::kind::Kind;
use crate::pattern::Shape;
use crate::scope::{Covers, Scope};
use crate::visible::quoted;

pub use host::{HostName, LOOPBACK, is_loopback_name};
pub use method::{Method, Methods};
pub use pattern::UrlPattern;
pub use target::{FetchUrl, Origin, Scheme};

/// HTTP requests that may be sent.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Network {
    scope: Scope<Fetches>,
}

/// Methods and the URLs that they may be sent to.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Fetches {
    methods: Scope<Methods>,
    urls: UrlPattern,
}

impl Network {
    pub(crate) fn parse(scope: Option<&str>) -> Result<Self, Error> {
        Ok(Self { scope: Scope::parse(scope, |text| Ok(Scope::Only(Fetches::parse(text)?)))? })
    }

    pub(crate) fn required(method: &Method, url: &FetchUrl) -> Self {
        Self::only(Scope::Only(method.clone().into()), UrlPattern::exactly(url))
    }

    /// Returns increasingly wide capabilities: the path, its folder, the origin, the origin with
    /// any method.
    pub(crate) fn widening(method: &Method, url: &FetchUrl) -> Vec<Self> {
        let methods = Scope::Only(Methods::from(method.clone()));
        let mut steps = vec![Self::required(method, url)];
        steps.extend(UrlPattern::folder_of(url).map(|urls| Self::only(methods.clone(), urls)));
        steps.push(Self::only(methods, UrlPattern::origin_of(url)));
        steps.push(Self::only(Scope::All, UrlPattern::origin_of(url)));
        steps
    }

    fn only(methods: Scope<Methods>, urls: UrlPattern) -> Self {
        Self { scope: Scope::Only(Fetches { methods, urls }) }
    }

    /// Returns the requests that this capability applies to.
    pub fn scope(&self) -> &Scope<Fetches> {
        &self.scope
    }

    /// Returns true if the scope is every address of one origin.
    pub fn is_whole_origin(&self) -> bool {
        let is_whole = |fetches: &Fetches| match fetches.urls.origin() {
            Some(origin) => fetches.urls.to_string() == origin.to_string(),
            None => false,
        };
        self.scope.only().is_some_and(is_whole)
    }

    /// Returns the origin, if the scope names one without a wildcard.
    pub fn origin(&self) -> Option<&Origin> {
        self.scope.only().and_then(|fetches| fetches.urls.origin())
    }
}

impl Fetches {
    fn parse(text: &str) -> Result<Self, Error> {
        // An `@` after the scheme separates credentials from a host, not methods from a URL.
        let scheme = text.find(':').unwrap_or(text.len());
        match text[..scheme].split_once('@') {
            None => Ok(Self { methods: Scope::All, urls: UrlPattern::parse(text)? }),
            Some((methods, _)) => Ok(Self {
                methods: Scope::Only(Methods::parse(methods)?),
                urls: UrlPattern::parse(&text[methods.len() + 1..])?,
            }),
        }
    }

    /// Returns the allowed methods.
    pub fn methods(&self) -> &Scope<Methods> {
        &self.methods
    }

    /// Returns the allowed URLs.
    pub fn urls(&self) -> &UrlPattern {
        &self.urls
    }
}

impl Covers for Fetches {
    fn covers(&self, other: &Self) -> bool {
        self.methods.covers(&other.methods) && self.urls.covers(&other.urls)
    }
}

impl Covers for Network {
    fn covers(&self, other: &Self) -> bool {
        self.scope.covers(&other.scope)
    }
}

impl Area for Network {
    fn kind(&self) -> Kind {
        Kind::NetworkFetch
    }

    fn describe(&self) -> String {
        let Scope::Only(Fetches { methods, urls }) = &self.scope else {
            return "send requests to any public address".to_owned();
        };
        let requests = match methods {
            Scope::All => "requests".to_owned(),
            Scope::Only(methods) => format!("{} requests", methods.describe()),
        };
        let addresses = match (urls.origin(), urls.path().map(|path| path.shape())) {
            (Some(origin), None) => format!("{origin}/…"),
            (Some(_), Some(Shape::Literal)) => quoted(&urls.to_string()),
            (Some(origin), Some(Shape::Folder(path))) => {
                format!("{}/…", quoted(&format!("{origin}{path}")))
            }
            (Some(_), Some(Shape::Other)) | (None, _) => {
                format!("addresses that match {}", quoted(&urls.to_string()))
            }
        };
        format!("send {requests} to {addresses}")
    }
}

impl fmt::Display for Fetches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.methods {
            Scope::All => write!(f, "{}", self.urls),
            Scope::Only(methods) => write!(f, "{methods}@{}", self.urls),
        }
    }
}

impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.kind(), self.scope)
    }
}

#[cfg(test)]
mod tests;
