//! [`HostName`], a domain or an IP address in canonical spelling.
//!
//! Meets T-NET-001.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use crate::error::{Error, ErrorKind};

/// Longest domain and longest label in the domain name system, in bytes.
const MAX_DOMAIN: usize = 253;
const MAX_LABEL: usize = 63;

/// A host in the form that is connected to; each host has one spelling.
///
/// Parsed by the rules of the URL standard, so `0x7f.1` is `127.0.0.1` and `BÜCHER.example` is
/// `xn--bcher-kva.example`. In addition, a trailing dot is dropped, and a domain may only contain
/// letters, digits, `-` and `_`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HostName(Host);

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Host {
    Domain(Box<str>),
    Ip(IpAddr),
}

impl HostName {
    /// Returns the IP address if the host is written as one. Never resolves a domain.
    pub fn ip(&self) -> Option<IpAddr> {
        match self.0 {
            Host::Domain(_) => None,
            Host::Ip(ip) => Some(ip),
        }
    }

    /// Returns the domain in ASCII and lower case, if the host is one.
    pub fn domain(&self) -> Option<&str> {
        match &self.0 {
            Host::Domain(domain) => Some(domain),
            Host::Ip(_) => None,
        }
    }

    /// Returns the addresses that the text of the host alone names: the address that it spells out, or
    /// those of loopback for a [name of this machine](is_loopback_name). Never resolves a domain.
    pub fn named_addresses(&self) -> Vec<IpAddr> {
        match &self.0 {
            Host::Ip(ip) => vec![*ip],
            Host::Domain(domain) if is_loopback_name(domain) => LOOPBACK.to_vec(),
            Host::Domain(_) => Vec::new(),
        }
    }

    /// Converts a host that the `url` crate has parsed.
    pub(super) fn read(host: url::Host<&str>) -> Result<Self, Error> {
        match host {
            url::Host::Ipv4(ip) => Ok(Self(Host::Ip(ip.into()))),
            url::Host::Ipv6(ip) => Ok(Self(Host::Ip(ip.into()))),
            url::Host::Domain(domain) => {
                let domain = domain.strip_suffix('.').unwrap_or(domain);
                check_domain(domain)?;
                Ok(Self(Host::Domain(domain.into())))
            }
        }
    }
}

/// The addresses of a [name of this machine](is_loopback_name).
pub const LOOPBACK: [IpAddr; 2] =
    [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];

/// Returns true if a domain in lower case always means this machine (RFC 6761).
pub fn is_loopback_name(domain: &str) -> bool {
    domain == "localhost" || domain.ends_with(".localhost")
}

fn check_domain(domain: &str) -> Result<(), Error> {
    let bad = |reason| Err(Error::new(ErrorKind::BadHost, domain, reason));
    if domain.len() > MAX_DOMAIN {
        return bad("a domain must not exceed 253 characters");
    }
    for label in domain.split('.') {
        if label.is_empty() || label.len() > MAX_LABEL {
            return bad("a domain label must have 1 to 63 characters");
        }
    }
    // The URL standard accepts `*` and other characters that would print as a pattern.
    if domain.contains(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c)) {
        return bad(
            "a domain may only have letters, digits, - and _, and * only in front as in *.example.com",
        );
    }
    Ok(())
}

impl FromStr for HostName {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let host = url::Host::parse(text)
            .map_err(|error| Error::new(ErrorKind::BadHost, text, error.to_string()))?;
        let host = match &host {
            url::Host::Domain(domain) => url::Host::Domain(domain.as_str()),
            url::Host::Ipv4(ip) => url::Host::Ipv4(*ip),
            url::Host::Ipv6(ip) => url::Host::Ipv6(*ip),
        };
        Self::read(host).map_err(|error| error.within(text))
    }
}

/// Writes the host as in a URL, with IPv6 addresses in brackets.
impl fmt::Display for HostName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Host::Domain(domain) => f.write_str(domain),
            Host::Ip(IpAddr::V4(ip)) => ip.fmt(f),
            // A mapped address has two spellings; this is the one of the URL standard.
            Host::Ip(IpAddr::V6(ip)) => url::Host::<&str>::Ipv6(*ip).fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(input: &str, expect: &str) {
        let host: HostName = input.parse().unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(host.to_string(), expect, "{input}");
    }

    fn check_refused(input: &str) {
        let host = input.parse::<HostName>();
        assert_eq!(host.unwrap_err().kind(), ErrorKind::BadHost, "{input}");
    }

    #[test]
    fn every_spelling_of_loopback_is_loopback() {
        for text in [
            "127.0.0.1",
            "127.0.0.1.",
            "2130706433",
            "0x7f000001",
            "0X7F.1",
            "017700000001",
            "0177.0.0.1",
            "0x7f.0.0.1",
            "127.1",
            "127.0.1",
            "127.0x0.01",
            "①②⑦.0.0.1",
            "127。0。0。1",
            "１２７.0.0.1",
            "%31%32%37.0.0.1",
        ] {
            check(text, "127.0.0.1");
        }
    }

    #[test]
    fn names_of_this_machine_are_loopback_without_a_resolver() {
        let named = |text: &str| text.parse::<HostName>().unwrap().named_addresses();
        assert_eq!(named("LOCALHOST."), LOOPBACK);
        assert_eq!(named("app.localhost"), LOOPBACK);
        assert_eq!(named("0x7f.1"), [LOOPBACK[0]]);
        assert!(named("localhost.example").is_empty());
        assert!(named("notlocalhost").is_empty());
    }

    #[test]
    fn short_and_round_addresses_are_addresses() {
        check("0", "0.0.0.0");
        check("0x", "0.0.0.0");
        check("127.256", "127.0.1.0");
        check("4294967295", "255.255.255.255");
    }

    #[test]
    fn every_spelling_of_the_ipv6_loopback_is_one() {
        for text in ["[::1]", "[0:0:0:0:0:0:0:1]", "[0000::0001]", "[::0.0.0.1]"] {
            check(text, "[::1]");
        }
    }

    #[test]
    fn mapped_address_keeps_its_own_form() {
        check("[::ffff:127.0.0.1]", "[::ffff:7f00:1]");
        check("[::FFFF:7F00:1]", "[::ffff:7f00:1]");
        check("[::127.0.0.1]", "[::7f00:1]");
    }

    #[test]
    fn address_that_is_not_one_is_refused() {
        for text in ["127.0.0.256", "1.2.3.4.5", "256.1.1.1", "0x7g.0.0.1", "foo.1", "[::1", "::1"]
        {
            check_refused(text);
        }
    }

    #[test]
    fn case_dot_and_script_have_one_spelling() {
        check("LocalHost", "localhost");
        check("localhost.", "localhost");
        check("Example.COM.", "example.com");
        check("bücher.example", "xn--bcher-kva.example");
        check("BU\u{308}CHER.example", "xn--bcher-kva.example");
        check("ｌｏｃａｌｈｏｓｔ", "localhost");
        check("ⓛocal\u{ad}host", "localhost");
        check("l%6fcalhost", "localhost");
    }

    #[test]
    fn host_that_is_not_plain_is_refused() {
        for text in [
            "",
            ".",
            "..",
            "a..b",
            ".a",
            "a..",
            "127.0.0.1..",
            "*",
            "a*b",
            "*.a",
            "%2A.a",
            "＊.a",
            "a b",
            "a%00b",
            "a%2Fb",
            "a,b",
            "a!b",
            "a:80",
            "a@b",
            "a/b",
            "a?b",
            "a#b",
            "a\\b",
            "a%",
        ] {
            check_refused(text);
        }
    }

    #[test]
    fn lengths_are_those_of_the_domain_name_system() {
        check_refused(&"a".repeat(64));
        check_refused(&vec!["a".repeat(60); 5].join("."));
        check_refused(&"ü".repeat(100_000));
    }

    #[test]
    fn zone_is_no_part_of_an_address() {
        check_refused("[fe80::1%25eth0]");
        check_refused("[fe80::1%eth0]");
    }
}
