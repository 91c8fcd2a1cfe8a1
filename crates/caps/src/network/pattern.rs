//! [`UrlPattern`], the URLs that a network capability allows.

use std::fmt;

use super::path::{self, Stars};
use super::target::NO_CREDENTIALS;
use super::{FetchUrl, HostName, Origin, Scheme};
use crate::error::{Error, ErrorKind};
use crate::pattern::Pattern;
use crate::scope::{Covers, Scope};

/// A pattern of URLs by scheme, host, port and path; see the [module](super) for its syntax.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UrlPattern {
    place: Place,
    path: Scope<Pattern>,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Place {
    /// A single origin.
    Origin(Origin),
    /// Several origins.
    Several { scheme: Scheme, hosts: Hosts, port: Scope<u16> },
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Hosts {
    One(HostName),
    /// `*.example.com`, stored as `example.com`.
    Below(HostName),
}

impl UrlPattern {
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        let bad = |reason| Err(Error::new(ErrorKind::BadUrl, text, reason));
        // The URL standard silently drops some of these characters and reads others as a slash.
        if text.contains(|c: char| c.is_control() || c.is_whitespace() || c == '\\') {
            return bad("a URL pattern must not contain spaces or backslashes");
        }
        if text.contains(['?', '#']) {
            return bad("a URL pattern must end with the path; the query is ignored");
        }
        let (scheme, rest) = text.split_once("://").unwrap_or(("", text));
        let scheme = scheme.parse::<Scheme>()?;
        let (authority, path) = match rest.find('/') {
            Some(slash) => rest.split_at(slash),
            None => (rest, ""),
        };
        if let Some((_, host)) = authority.rsplit_once('@') {
            return Err(Error::new(ErrorKind::Credentials, host, NO_CREDENTIALS));
        }
        Ok(Self { place: Place::parse(scheme, authority)?, path: parse_path(path)? })
    }

    /// Returns the pattern of this URL with any query.
    pub(super) fn exactly(url: &FetchUrl) -> Self {
        Self { path: Scope::Only(url.segments().clone()), ..Self::origin_of(url) }
    }

    /// Returns the pattern of the folder that contains the URL, or `None` if that folder is the
    /// whole origin.
    pub(super) fn folder_of(url: &FetchUrl) -> Option<Self> {
        // The first segment is the empty one before the leading slash.
        let depth = url.segments().segments().len() - 1;
        let path = (depth > 1).then(|| Scope::Only(url.segments().below(depth)))?;
        Some(Self { path, ..Self::origin_of(url) })
    }

    pub(super) fn origin_of(url: &FetchUrl) -> Self {
        Self { place: Place::Origin(url.origin().clone()), path: Scope::All }
    }

    /// Returns the origin, if it is named without a wildcard.
    pub fn origin(&self) -> Option<&Origin> {
        match &self.place {
            Place::Origin(origin) => Some(origin),
            Place::Several { .. } => None,
        }
    }

    pub(super) fn path(&self) -> Option<&Pattern> {
        self.path.only()
    }
}

impl Place {
    fn parse(scheme: Scheme, authority: &str) -> Result<Self, Error> {
        let hosts_end = match authority.rfind([':', ']']) {
            Some(colon) if authority[colon..].starts_with(':') => colon,
            Some(_) | None => authority.len(),
        };
        let (hosts, port) = authority.split_at(hosts_end);
        let hosts = match hosts.strip_prefix("*.") {
            None => Hosts::One(hosts.parse()?),
            Some(parent) => Hosts::below(parent)?,
        };
        Ok(match (hosts, parse_port(scheme, port)?) {
            (Hosts::One(host), Scope::Only(port)) => Self::Origin(Origin { scheme, host, port }),
            (hosts, port) => Self::Several { scheme, hosts, port },
        })
    }
}

impl Hosts {
    fn below(parent: &str) -> Result<Self, Error> {
        let host = parent.parse::<HostName>()?;
        match host.domain() {
            Some(_) => Ok(Self::Below(host)),
            None => Err(Error::new(ErrorKind::BadHost, parent, "an IP address has no subdomains")),
        }
    }
}

fn parse_port(scheme: Scheme, text: &str) -> Result<Scope<u16>, Error> {
    match text.strip_prefix(':') {
        None => Ok(Scope::Only(scheme.default_port())),
        Some("*") => Ok(Scope::All),
        Some(digits) => match digits.parse() {
            Ok(port) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Ok(Scope::Only(port)),
            Ok(_) | Err(_) => Err(Error::new(
                ErrorKind::BadUrl,
                text,
                "a port must be a number up to 65535, or *",
            )),
        },
    }
}

fn parse_path(text: &str) -> Result<Scope<Pattern>, Error> {
    if text.is_empty() {
        return Ok(Scope::All);
    }
    if text.split('/').any(path::is_dot_segment) {
        return Err(Error::new(ErrorKind::BadUrl, text, "a path must not contain . or .."));
    }
    // The path of a request is normalised in the same way. The host is irrelevant.
    let url = url::Url::parse(&format!("http://host{text}"))
        .map_err(|error| Error::new(ErrorKind::BadUrl, text, error.to_string()))?;
    let path = path::read(url.path(), Stars::Wild)?;
    let everything = path == Pattern::literal("").below(1);
    Ok(if everything { Scope::All } else { Scope::Only(path) })
}

impl Covers for UrlPattern {
    fn covers(&self, other: &Self) -> bool {
        self.place.covers(&other.place) && self.path.covers(&other.path)
    }
}

impl Covers for Place {
    fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Origin(mine), Self::Origin(theirs)) => mine == theirs,
            (Self::Origin(_), Self::Several { .. }) => false,
            (Self::Several { scheme, hosts, port }, Self::Origin(theirs)) => {
                *scheme == theirs.scheme
                    && hosts.covers(&Hosts::One(theirs.host.clone()))
                    && port.covers(&Scope::Only(theirs.port))
            }
            (
                Self::Several { scheme, hosts, port },
                Self::Several { scheme: their_scheme, hosts: their_hosts, port: their_port },
            ) => scheme == their_scheme && hosts.covers(their_hosts) && port.covers(their_port),
        }
    }
}

impl Covers for Hosts {
    fn covers(&self, other: &Self) -> bool {
        let is_below = |parent: &HostName, host: &HostName| match (parent.domain(), host.domain()) {
            (Some(parent), Some(host)) => {
                host.strip_suffix(parent).is_some_and(|front| front.ends_with('.'))
            }
            (None, _) | (_, None) => false,
        };
        match (self, other) {
            (Self::One(mine), Self::One(theirs)) => mine == theirs,
            (Self::One(_), Self::Below(_)) => false,
            (Self::Below(parent), Self::One(host)) => is_below(parent, host),
            (Self::Below(mine), Self::Below(theirs)) => mine == theirs || is_below(mine, theirs),
        }
    }
}

impl Covers for u16 {
    fn covers(&self, other: &Self) -> bool {
        self == other
    }
}

impl fmt::Display for UrlPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Origin(origin) => origin.fmt(f)?,
            Place::Several { scheme, hosts, port } => {
                write!(f, "{}://", scheme.as_str())?;
                match hosts {
                    Hosts::One(host) => host.fmt(f)?,
                    Hosts::Below(parent) => write!(f, "*.{parent}")?,
                }
                match port {
                    Scope::All => f.write_str(":*")?,
                    Scope::Only(port) if *port == scheme.default_port() => {}
                    Scope::Only(port) => write!(f, ":{port}")?,
                }
            }
        }
        match &self.path {
            Scope::All => Ok(()),
            Scope::Only(path) => path.fmt(f),
        }
    }
}
