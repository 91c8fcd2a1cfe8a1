//! Keys of the grant index: computed from the text of a scope, for grants and for requests alike.

use cofferdam_caps::network::{FetchUrl, Network};
use cofferdam_caps::{Capability, Kind, Pattern, Request, Scope};

/// Place of a capability in the index.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum IndexKey {
    /// No scope.
    All,
    /// A single name, in canonical form.
    Exact(Box<str>),
    /// Some or all names that begin with this text.
    Wild(Box<str>),
    /// Several origins: the host pattern, and the place of the path.
    Host(Box<str>, Box<IndexKey>),
}

impl IndexKey {
    pub(super) fn of(capability: &Capability) -> Self {
        match capability {
            Capability::Dom(dom) => match dom.scope() {
                Scope::All => Self::All,
                Scope::Only(selector) => Self::Exact(selector.as_str().into()),
            },
            Capability::Env(env) => Self::of_scope(env.scope()),
            Capability::Fs(fs) => Self::of_scope(fs.scope()),
            Capability::Network(network) => Self::of_network(network),
            Capability::Process(process) => Self::of_scope(process.scope()),
            Capability::State(state) => Self::of_scope(state.scope()),
            Capability::Storage(storage) => Self::of_scope(storage.scope()),
            Capability::Function(function) => Self::of_scope(function.scope()),
        }
    }

    /// Returns the key as text, which differs for different keys.
    fn text(&self) -> String {
        match self {
            Self::All => "a".to_owned(),
            Self::Exact(name) => format!("={name}"),
            Self::Wild(start) => format!("^{start}"),
            Self::Host(host, key) => format!("@{host} {}", key.text()),
        }
    }

    fn of_scope(scope: &Scope<Pattern>) -> Self {
        match scope {
            Scope::All => Self::All,
            Scope::Only(pattern) => Self::of_text(&pattern.to_string()),
        }
    }

    fn of_network(network: &Network) -> Self {
        let Scope::Only(fetches) = network.scope() else { return Self::All };
        let text = fetches.urls().to_string();
        match fetches.urls().origin() {
            Some(origin) => match text.strip_prefix(&origin.to_string()) {
                Some("") | None => Self::Wild(text.into()),
                Some(_) => Self::of_text(&text),
            },
            None => {
                let (host, path) = host_and_path(&text);
                let key = if path.is_empty() { Self::All } else { Self::of_text(path) };
                Self::Host(host.into(), Box::new(key))
            }
        }
    }

    /// Returns the key for the text of a pattern, which is the part before its first star.
    ///
    /// `/data/**` also covers `/data`, so the key excludes a slash before two stars.
    fn of_text(text: &str) -> Self {
        let mut escaped = false;
        let star = text.bytes().position(|byte| match (escaped, byte) {
            (false, b'*') => true,
            (false, b'\\') => {
                escaped = true;
                false
            }
            (_, _) => {
                escaped = false;
                false
            }
        });
        match star {
            None => Self::Exact(text.into()),
            Some(star) => {
                let start = &text[..star];
                let is_two = text[star..].starts_with("**");
                let start = if is_two { start.strip_suffix('/').unwrap_or(start) } else { start };
                Self::Wild(start.into())
            }
        }
    }
}

/// Splits a URL pattern such as `https://*.example.com:*/v1` into host and path, without scheme
/// and port.
fn host_and_path(text: &str) -> (&str, &str) {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let host = match authority.rfind([':', ']']) {
        Some(colon) if authority[colon..].starts_with(':') => &authority[..colon],
        Some(_) | None => authority,
    };
    (host, path)
}

/// Returns the text under which a ledger finds the grants of a capability's kind that may allow a
/// request; see [`RequestKeys`].
pub fn grant_key(capability: &Capability) -> String {
    IndexKey::of(capability).text()
}

/// Keys of all grants that may allow a request. Other grants cannot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestKeys {
    /// Kind of the grants.
    pub kind: Kind,
    /// Keys that may be there; see [`grant_key`].
    pub exact: Vec<String>,
    /// Texts of which every beginning may be a key, if it is at least so many bytes long.
    pub starting: Vec<(String, usize)>,
}

impl RequestKeys {
    fn add(&mut self, host: &str, name: &str) {
        self.exact.push(format!("{host}={name}"));
        self.starting.push((format!("{host}^{name}"), host.len() + 1));
    }
}

/// A request, prepared for the search.
#[derive(Debug)]
pub(crate) struct Query {
    capability: Capability,
    name: Option<Box<str>>,
    address: Option<Address>,
}

/// Host patterns and path under which grants for several origins are found.
#[derive(Debug)]
pub(super) struct Address {
    hosts: Vec<Box<str>>,
    path: Box<str>,
}

impl Query {
    pub(crate) fn new(request: &Request) -> Self {
        let capability = request.required();
        let name = match IndexKey::of(&capability) {
            IndexKey::Exact(name) | IndexKey::Wild(name) => Some(name),
            IndexKey::All | IndexKey::Host(..) => None,
        };
        let address = match (request, &name) {
            (Request::Network { url, .. }, Some(text)) => Some(Address::new(url, text)),
            _ => None,
        };
        Self { capability, name, address }
    }

    /// Returns the narrowest capability that would allow the request.
    pub(crate) fn capability(&self) -> &Capability {
        &self.capability
    }

    pub(crate) fn kind(&self) -> Kind {
        self.capability.kind()
    }

    /// Returns the keys of all grants that may allow the request.
    pub(crate) fn keys(&self) -> RequestKeys {
        let mut keys = RequestKeys {
            kind: self.kind(),
            exact: vec![IndexKey::All.text()],
            starting: Vec::new(),
        };
        if let Some(name) = &self.name {
            keys.add("", name);
        }
        for host in self.address.iter().flat_map(Address::hosts) {
            let host = format!("@{host} ");
            keys.exact.push(host.clone() + &IndexKey::All.text());
            if let Some(address) = &self.address {
                keys.add(&host, &address.path);
            }
        }
        keys
    }

    pub(super) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    pub(super) fn address(&self) -> Option<&Address> {
        self.address.as_ref()
    }
}

impl Address {
    fn new(url: &FetchUrl, text: &str) -> Self {
        let host = url.origin().host.to_string();
        let mut hosts = vec![host.as_str().into()];
        if let Some(domain) = url.origin().host.domain() {
            let parents = domain.match_indices('.').map(|(dot, _)| &domain[dot..]);
            hosts.extend(parents.map(|parent| format!("*{parent}").into()));
        }
        Self { hosts, path: host_and_path(text).1.into() }
    }

    pub(super) fn hosts(&self) -> impl Iterator<Item = &str> {
        self.hosts.iter().map(|host| &**host)
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(capability: &str, expect: IndexKey) {
        assert_eq!(IndexKey::of(&capability.parse().unwrap()), expect, "{capability}");
    }

    fn wild(start: &str) -> IndexKey {
        IndexKey::Wild(start.into())
    }

    #[test]
    fn place_is_the_text_before_the_first_star() {
        check("fs:read", IndexKey::All);
        check("fs:read:/a/b", IndexKey::Exact("/a/b".into()));
        check("fs:read:/a/b*c", wild("/a/b"));
        check("fs:read:/a/**", wild("/a"));
        check("fs:read:/**/x", wild(""));
        check(r"fs:read:/a\*b*", wild(r"/a\*b"));
        check(r"function:call:a\\*", wild(r"a\\"));
    }

    #[test]
    fn origin_is_the_start_of_its_addresses() {
        check("network:fetch:GET@https://a.example", wild("https://a.example"));
        check("network:fetch:https://a.example/v1/**", wild("https://a.example/v1"));
        check("network:fetch:https://a.example/", IndexKey::Exact("https://a.example/".into()));
    }

    #[test]
    fn several_origins_are_found_by_host() {
        let host = |host: &str, key| IndexKey::Host(host.into(), Box::new(key));
        check("network:fetch:https://*.a.example", host("*.a.example", IndexKey::All));
        check("network:fetch:http://[::1]:*/x/*", host("[::1]", wild("/x/")));
        check("network:fetch:https://a:*/x", host("a", IndexKey::Exact("/x".into())));
    }
}
