//! Addresses that an origin may be reached at.
//!
//! Public addresses are always reachable. Any other address needs a grant that names exactly this
//! origin, and then depends on who chose the address:
//!
//! | host in the URL | addresses opened by a grant that names the origin |
//! |---|---|
//! | an address | that address, of any class |
//! | a domain, `https` | private, shared and loopback: a certificate proves the name |
//! | a domain that cannot be registered, `http` | private, shared and loopback |
//! | any other domain, `http` | public only |
//!
//! The last row exists because the owner of a name chooses its address: a person who grants
//! `http://evil.example` means a server on the internet and did not grant the printer next door.
//! For the same reason no name ever opens a metadata or link-local address.
//!
//! If one of several addresses of a name is refused, all are. An honest name has no such mixture,
//! and a hostile one would use it to get a second attempt.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use cofferdam_caps::network::{Origin, Scheme};

use crate::address::AddressClass;
use crate::error::{FetchError, FetchErrorKind};
use crate::resolver::Resolver;

/// Most addresses of one name that are tried.
const MAX_ADDRESSES: usize = 4;

/// Endings that no registry assigns; most are reserved for local use.
const LOCAL_ENDINGS: [&str; 8] =
    ["localhost", "local", "internal", "home.arpa", "lan", "home", "corp", "test"];

/// Addresses that no grant opens, such as those of the server that makes grants. The default has
/// none.
#[derive(Clone)]
// T-NET-012: a run that reaches the server that governs it.
pub struct Never(Arc<dyn Fn(SocketAddr) -> bool + Send + Sync>);

impl Never {
    /// Refuses the addresses for which `is_one` returns true. It is asked about resolved addresses,
    /// right before they are dialled.
    pub fn new(is_one: impl Fn(SocketAddr) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(is_one))
    }
}

impl Never {
    /// Refuses an origin that spells out such an address, or names this machine.
    pub(crate) fn check_named(&self, origin: &Origin) -> Result<(), FetchError> {
        origin.host.named_addresses().into_iter().try_for_each(|ip| self.check(origin, ip))
    }

    fn check(&self, origin: &Origin, ip: IpAddr) -> Result<(), FetchError> {
        match (self.0)(SocketAddr::new(ip, origin.port)) {
            true => {
                let reason = "is an address that no grant opens";
                Err(FetchError::new(FetchErrorKind::Address, &origin.host, reason))
            }
            false => Ok(()),
        }
    }
}

impl Default for Never {
    fn default() -> Self {
        Self::new(|_| false)
    }
}

/// Checked addresses, the only ones that are ever dialled.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Checked(Vec<SocketAddr>);

impl Checked {
    pub(crate) fn addresses(&self) -> &[SocketAddr] {
        &self.0
    }
}

/// Resolves the host of `origin` once and checks all its addresses (T-NET-002).
pub(crate) async fn check(
    origin: &Origin,
    names_origin: bool,
    resolver: &dyn Resolver,
    never: &Never,
) -> Result<Checked, FetchError> {
    let found = match (origin.host.ip(), origin.host.domain()) {
        (Some(ip), _) => vec![ip],
        (None, Some(domain)) => {
            let unknown =
                |reason: String| FetchError::new(FetchErrorKind::Resolve, &origin.host, reason);
            let found = resolver.resolve(domain).await;
            let found = found.map_err(|error| unknown(format!("no address found: {error}")))?;
            if found.is_empty() {
                return Err(unknown("no address found".to_owned()));
            }
            found
        }
        (None, None) => Vec::new(),
    };
    for &ip in &found {
        check_address(origin, names_origin, ip)?;
        never.check(origin, ip)?;
    }
    let usable = found.into_iter().take(MAX_ADDRESSES);
    Ok(Checked(usable.map(|ip| SocketAddr::new(ip, origin.port)).collect()))
}

/// Refuses an address whose class the grant does not open (T-NET-001).
fn check_address(origin: &Origin, names_origin: bool, ip: IpAddr) -> Result<(), FetchError> {
    let class = AddressClass::of(ip);
    if class == AddressClass::Public || (names_origin && named_opens(origin, class)) {
        return Ok(());
    }
    let is = if origin.host.ip().is_some() { "is" } else { "resolves to" };
    let why = match names_origin {
        false => "which needs a grant that names this origin",
        true => "which a grant for this name does not open",
    };
    // The message omits the address: a guest could otherwise map a network by its names.
    Err(FetchError::new(FetchErrorKind::Address, &origin.host, format!("{is} {class}, {why}")))
}

/// Returns true if a grant that names the origin opens non-public addresses of this class.
fn named_opens(origin: &Origin, class: AddressClass) -> bool {
    let Some(domain) = origin.host.domain() else {
        return true;
    };
    let near = match class {
        AddressClass::Loopback | AddressClass::Private | AddressClass::Shared => true,
        AddressClass::Public
        | AddressClass::LinkLocal
        | AddressClass::Metadata
        | AddressClass::Multicast
        | AddressClass::Unspecified
        | AddressClass::Broadcast
        | AddressClass::Documentation
        | AddressClass::Benchmarking
        | AddressClass::Mapped
        | AddressClass::Reserved => false,
    };
    near && (origin.scheme == Scheme::Https || is_local_name(domain))
}

fn is_local_name(domain: &str) -> bool {
    let below = |ending: &str| domain.strip_suffix(ending).is_some_and(|s| s.ends_with('.'));
    !domain.contains('.') || LOCAL_ENDINGS.into_iter().any(below)
}

#[cfg(test)]
mod tests {
    use cofferdam_caps::network::FetchUrl;

    use super::*;

    fn check(url: &str, names_origin: bool, ip: &str, expect: bool) {
        let url: FetchUrl = url.parse().unwrap();
        let result = check_address(url.origin(), names_origin, ip.parse().unwrap());
        assert_eq!(result.is_ok(), expect, "{url:?} at {ip}");
    }

    #[test]
    fn public_addresses_need_no_name_in_the_grant() {
        check("http://a.example", false, "1.1.1.1", true);
        check("http://1.1.1.1", false, "1.1.1.1", true);
    }

    #[test]
    fn address_in_the_url_is_opened_by_its_name() {
        for ip in ["127.0.0.1", "10.0.0.1", "169.254.169.254", "0.0.0.0"] {
            check(&format!("http://{ip}"), false, ip, false);
            check(&format!("http://{ip}"), true, ip, true);
        }
        check("http://[::ffff:127.0.0.1]", true, "::ffff:127.0.0.1", true);
    }

    /// T-NET-001.
    #[test]
    fn public_name_over_http_opens_no_private_address() {
        for ip in ["127.0.0.1", "10.0.0.1", "100.64.0.1", "::1", "fd00::1"] {
            check("http://evil.example", true, ip, false);
            check("http://localhost.example", true, ip, false);
            check("http://notlocal", false, ip, false);
        }
    }

    #[test]
    fn certificate_or_local_name_opens_private_addresses() {
        for ip in ["127.0.0.1", "10.0.0.1", "100.64.0.1", "::1", "fd00::1"] {
            check("https://wiki.example", true, ip, true);
            check("http://localhost", true, ip, true);
            check("http://app.localhost", true, ip, true);
            check("http://wiki.corp", true, ip, true);
            check("http://router.home.arpa", true, ip, true);
            check("https://wiki.example", false, ip, false);
            check("http://localhost", false, ip, false);
        }
    }

    /// T-NET-001.
    #[test]
    fn no_name_opens_metadata_addresses() {
        for ip in ["169.254.169.254", "169.254.1.1", "0.0.0.0", "::ffff:8.8.8.8", "fd00:ec2::254"] {
            check("https://a.example", true, ip, false);
            check("http://metadata.google.internal", true, ip, false);
            check("http://localhost", true, ip, false);
        }
    }
}
