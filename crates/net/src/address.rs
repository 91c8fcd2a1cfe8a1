//! Classification of IP addresses by the network they belong to.
//!
//! Separate from `reach`, which decides the classes a grant opens: nothing here knows grants.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The kind of network an address belongs to.
///
/// An address is [`Public`](Self::Public) only if its range is known to be routed on the internet;
/// unknown ranges are not public.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "each variant is its name")]
pub enum AddressClass {
    Public,
    Loopback,
    /// 10/8, 172.16/12, 192.168/16, fc00::/7, fec0::/10.
    Private,
    /// 100.64/10, used between a provider and its customers.
    Shared,
    LinkLocal,
    /// Cloud metadata services, which hand out identities and keys to their machines.
    Metadata,
    Multicast,
    /// 0/8 and `::`, which connect to this machine.
    Unspecified,
    Broadcast,
    Documentation,
    Benchmarking,
    /// An IPv4 address in an IPv6 form that no server has, such as `::ffff:8.8.8.8`.
    Mapped,
    Reserved,
}

/// Addresses of cloud metadata services. Some lie outside every private range; the others are
/// listed so that messages name them.
const METADATA: [IpAddr; 7] = [
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V4(Ipv4Addr::new(168, 63, 129, 16)),
    IpAddr::V4(Ipv4Addr::new(192, 0, 0, 192)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
];

impl AddressClass {
    /// Returns the class of an address. An address that embeds an IPv4 address has the class of the
    /// embedded one.
    pub fn of(ip: IpAddr) -> Self {
        if METADATA.contains(&ip) {
            return Self::Metadata;
        }
        match ip {
            IpAddr::V4(ip) => of_v4(ip),
            IpAddr::V6(ip) => of_v6(ip),
        }
    }
}

fn of_v4(ip: Ipv4Addr) -> AddressClass {
    match ip.octets() {
        [0, ..] => AddressClass::Unspecified,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => AddressClass::Private,
        [100, 64..=127, ..] => AddressClass::Shared,
        [127, ..] => AddressClass::Loopback,
        [169, 254, ..] => AddressClass::LinkLocal,
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => AddressClass::Documentation,
        // Protocol assignments, and 6to4 relays, which forward packets to any address.
        [192, 0, 0, _] | [192, 88, 99, _] => AddressClass::Reserved,
        [198, 18..=19, ..] => AddressClass::Benchmarking,
        [224..=239, ..] => AddressClass::Multicast,
        [255, 255, 255, 255] => AddressClass::Broadcast,
        [240..=255, ..] => AddressClass::Reserved,
        _ => AddressClass::Public,
    }
}

fn of_v6(ip: Ipv6Addr) -> AddressClass {
    let inner = |high: u16, low: u16| {
        let [a, b] = high.to_be_bytes();
        let [c, d] = low.to_be_bytes();
        AddressClass::of(Ipv4Addr::new(a, b, c, d).into())
    };
    match ip.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => AddressClass::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => AddressClass::Loopback,
        // Mapped, and the older compatible and translated forms. No server has such an address,
        // even if the embedded IPv4 address is public.
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0, 0, 0, 0, 0, 0, high, low]
        | [0, 0, 0, 0, 0xffff, 0, high, low] => match inner(high, low) {
            AddressClass::Public => AddressClass::Mapped,
            class => class,
        },
        // NAT64: on IPv6-only networks, every IPv4 server resolves to one of these.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => inner(high, low),
        // NAT64 for local use: the network chooses the position of the embedded address.
        [0x64, 0xff9b, 1, ..] => AddressClass::Private,
        // 6to4.
        [0x2002, high, low, ..] => inner(high, low),
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0x0fff, ..] => AddressClass::Documentation,
        [0x2001, 2, 0, ..] => AddressClass::Benchmarking,
        // Teredo (2001::/32), which carries two IPv4 addresses, and the other protocols of
        // 2001::/23.
        [0x2001, 0..=0x1ff, ..] => AddressClass::Reserved,
        [0x2000..=0x3fff, ..] => AddressClass::Public,
        [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => AddressClass::Private,
        [0xfe80..=0xfebf, ..] => AddressClass::LinkLocal,
        [0xff00..=0xffff, ..] => AddressClass::Multicast,
        _ => AddressClass::Reserved,
    }
}

/// Includes the article: `a private address`.
impl fmt::Display for AddressClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Public => "a public address",
            Self::Loopback => "a loopback address",
            Self::Private => "a private address",
            Self::Shared => "a provider's shared address",
            Self::LinkLocal => "a link-local address",
            Self::Metadata => "a cloud's metadata address",
            Self::Multicast => "a multicast address",
            Self::Unspecified => "an unspecified address",
            Self::Broadcast => "the broadcast address",
            Self::Documentation => "an address for documentation",
            Self::Benchmarking => "an address for benchmarks",
            Self::Mapped => "an IPv4 address in IPv6 form",
            Self::Reserved => "a reserved address",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(class: AddressClass, addresses: &[&str]) {
        for text in addresses {
            let ip: IpAddr = text.parse().unwrap();
            assert_eq!(AddressClass::of(ip), class, "{text}");
        }
    }

    #[test]
    fn public_addresses_are_public() {
        let v4 = ["1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "126.255.255.255"];
        check(AddressClass::Public, &v4);
        check(AddressClass::Public, &["172.15.255.255", "172.32.0.0", "192.169.0.0", "223.1.1.1"]);
        check(AddressClass::Public, &["198.17.0.1", "198.20.0.1", "128.0.0.1", "169.253.1.1"]);
        check(AddressClass::Public, &["2606:4700::1111", "2a00::1", "2001:4860:4860::8888"]);
    }

    #[test]
    fn this_machine_is_loopback_or_unspecified() {
        check(AddressClass::Loopback, &["127.0.0.1", "127.0.1.1", "127.255.255.255", "::1"]);
        check(AddressClass::Unspecified, &["0.0.0.0", "0.1.2.3", "::"]);
    }

    #[test]
    fn private_ranges_are_whole() {
        check(AddressClass::Private, &["10.0.0.0", "10.255.255.255", "172.16.0.0"]);
        check(AddressClass::Private, &["172.31.255.255", "192.168.0.0", "192.168.255.255"]);
        check(AddressClass::Private, &["fc00::", "fdff:ffff::1", "fec0::1", "feff::1"]);
        check(AddressClass::Shared, &["100.64.0.0", "100.127.255.255"]);
    }

    #[test]
    fn metadata_addresses_are_known_in_every_range() {
        check(AddressClass::Metadata, &["169.254.169.254", "169.254.170.2", "100.100.100.200"]);
        check(AddressClass::Metadata, &["168.63.129.16", "192.0.0.192"]);
        check(AddressClass::Metadata, &["fd00:ec2::254", "fd20:ce::254"]);
        check(AddressClass::LinkLocal, &["169.254.0.0", "169.254.255.255", "fe80::1", "febf::1"]);
    }

    #[test]
    fn addresses_without_a_server_are_not_public() {
        check(AddressClass::Multicast, &["224.0.0.1", "239.255.255.255", "ff02::1"]);
        check(AddressClass::Broadcast, &["255.255.255.255"]);
        check(AddressClass::Documentation, &["192.0.2.1", "198.51.100.1", "203.0.113.1"]);
        check(AddressClass::Documentation, &["2001:db8::1", "3fff::1", "3fff:fff::1"]);
        check(AddressClass::Benchmarking, &["198.18.0.1", "198.19.255.255", "2001:2::1"]);
        check(AddressClass::Reserved, &["240.0.0.1", "255.255.255.254", "192.0.0.1"]);
        check(AddressClass::Reserved, &["192.88.99.1", "100::1", "4000::1", "5f00::1", "fe00::1"]);
    }

    #[test]
    fn inner_address_decides() {
        check(AddressClass::Loopback, &["::ffff:127.0.0.1", "::127.0.0.1", "::ffff:0:127.0.0.1"]);
        check(AddressClass::Metadata, &["::ffff:169.254.169.254", "64:ff9b::169.254.169.254"]);
        check(AddressClass::Private, &["::ffff:10.0.0.1", "64:ff9b::10.0.0.1", "2002:a00:1::1"]);
        check(AddressClass::Loopback, &["2002:7f00:1::", "64:ff9b::7f00:1"]);
        check(AddressClass::Public, &["64:ff9b::8.8.8.8", "2002:808:808::1"]);
    }

    #[test]
    fn other_spellings_of_ipv4_are_not_public_whatever_they_hold() {
        check(AddressClass::Mapped, &["::ffff:8.8.8.8", "::8.8.8.8", "::ffff:0:8.8.8.8"]);
        check(AddressClass::Private, &["64:ff9b:1::8.8.8.8", "64:ff9b:1:ffff::1"]);
        check(AddressClass::Reserved, &["2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2"]);
    }
}
