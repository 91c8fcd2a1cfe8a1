//! Addresses of running servers, which no run may reach whatever was granted.
//!
//! A run that could send requests to its own server would still lack a credential. The rule is a
//! second wall, and it keeps a person from granting the address by mistake.
//!
//! Meets T-NET-012.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::{Arc, PoisonError, RwLock};

use cofferdam::Capability;

/// The addresses of this server and of others that use the same store. Clones share them.
#[derive(Debug, Clone, Default)]
pub struct OwnAddresses(Arc<RwLock<Vec<SocketAddr>>>);

impl OwnAddresses {
    /// Replaces the addresses.
    pub fn set(&self, addresses: Vec<SocketAddr>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = addresses;
    }

    /// Returns true if a connection to this address reaches one of the servers.
    pub fn contain(&self, address: SocketAddr) -> bool {
        let ip = reached(address.ip());
        let own = self.0.read().unwrap_or_else(PoisonError::into_inner);
        own.iter().filter(|own| own.port() == address.port()).any(|own| {
            let own = reached_by(own.ip());
            own.is_none_or(|own| own == ip) && (own.is_some() || is_of_this_machine(ip))
        })
    }

    /// Returns the origin of a server that the capability names, if it names one.
    ///
    /// A capability that names no origin opens public addresses only, so it is not refused; see
    /// [`contain`](Self::contain).
    pub fn named_by(&self, capability: &Capability) -> Option<String> {
        let Capability::Network(network) = capability else { return None };
        let origin = network.origin()?;
        let mut named = origin.host.named_addresses().into_iter();
        let is_own = named.any(|ip| self.contain(SocketAddr::new(ip, origin.port)));
        is_own.then(|| format!("{}:{}", origin.host, origin.port))
    }
}

/// Returns the address that a connection to `ip` reaches: the system takes the unspecified address
/// for loopback.
fn reached(ip: IpAddr) -> IpAddr {
    match ip.to_canonical() {
        IpAddr::V4(ip) if ip.is_unspecified() => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(ip) if ip.is_unspecified() => Ipv6Addr::LOCALHOST.into(),
        ip => ip,
    }
}

/// Returns the only address that reaches a socket bound to `ip`, or `None` if all of this machine's
/// do.
fn reached_by(ip: IpAddr) -> Option<IpAddr> {
    (!ip.is_unspecified()).then(|| ip.to_canonical())
}

/// Returns true if the address belongs to this machine. A socket can be bound to no other.
fn is_of_this_machine(ip: IpAddr) -> bool {
    ip.is_loopback() || UdpSocket::bind((ip, 0)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(address: &str) -> OwnAddresses {
        let own = OwnAddresses::default();
        own.set(vec![address.parse().unwrap()]);
        own
    }

    /// T-NET-012.
    #[test]
    fn every_spelling_of_our_address_is_ours() {
        let check = |bound: &str, address: &str, expect: bool| {
            assert_eq!(own(bound).contain(address.parse().unwrap()), expect, "{bound} {address}");
        };
        for address in ["127.0.0.1:80", "0.0.0.0:80", "[::ffff:127.0.0.1]:80"] {
            check("127.0.0.1:80", address, true);
            check("0.0.0.0:80", address, true);
        }
        check("127.0.0.1:80", "127.0.0.1:81", false);
        check("127.0.0.1:80", "1.1.1.1:80", false);
        check("0.0.0.0:80", "127.8.8.8:80", true);
        check("0.0.0.0:80", "1.1.1.1:80", false);
        check("[::1]:80", "[::]:80", true);
    }

    #[test]
    fn a_capability_that_names_our_address_is_found() {
        let check = |capability: &str, expect: bool| {
            let named = own("127.0.0.1:8930").named_by(&capability.parse().unwrap());
            assert_eq!(named.is_some(), expect, "{capability}");
        };
        check("network:fetch:http://127.0.0.1:8930", true);
        check("network:fetch:GET@http://localhost:8930/v1/**", true);
        check("network:fetch:http://a.localhost:8930", true);
        check("network:fetch:http://0.0.0.0:8930", true);
        check("network:fetch:http://127.0.0.1:8931", false);
        check("network:fetch:https://example.com", false);
        check("network:fetch", false);
        check("fs:read:/a", false);
    }
}
