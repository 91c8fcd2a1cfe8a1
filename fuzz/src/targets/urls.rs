//! URLs that a guest requests: the first line, and the second as a redirect.

use cofferdam_caps::network::{FetchUrl, HostName};
use cofferdam_caps::{Capability, Request};

use self::address::AddressClass;
use super::{Target, lines};

// Included by path, because its crate depends on TLS.
#[path = "../../../crates/net/src/address.rs"]
#[allow(unfulfilled_lint_expectations, reason = "that crate asks for documentation, this does not")]
mod address;

pub const TARGET: Target = Target {
    name: "urls",
    run,
    words: &[
        "http://",
        "https://",
        "//",
        "@",
        ":80",
        ":443",
        "[::ffff:127.0.0.1]",
        "127.1",
        "0x7f.1",
        "0177.0.0.1",
        "%2e%2e",
        "%2f",
        "%5c",
        "\\",
        "..",
        ";",
        "?q=",
        "#f",
        "ä",
        "xn--",
        "①",
        "\t",
        "\n",
        "localhost",
        "169.254.169.254",
    ],
    repeats: &["http://a/", "/..", "%2e", "a.", "@", "[", "ä", "/a/.."],
};

pub fn run(data: &[u8]) {
    let Some(texts) = lines(data) else { return };
    let Ok(url) = texts[0].parse::<FetchUrl>() else { return };
    one(&url);
    if let Some(Ok(next)) = texts.get(1).map(|reference| url.join(reference)) {
        one(&next);
    }
    below_a_folder(texts[0]);
}

/// Asserts that a URL parses to itself and starts with its origin.
fn one(url: &FetchUrl) {
    let again: FetchUrl = url.as_str().parse().expect("a URL that was read can be read");
    assert_eq!(&again, url);
    let origin = url.origin();
    assert!(url.as_str().starts_with(&format!("{origin}/")), "{url:?} is not at {origin}");
    assert!(!url.as_str().contains(['#', ' ', '\t', '\r', '\n']));
    // Some servers take a backslash for a slash; only the query, which has no segments, may contain
    // one.
    assert!(!url.as_str().split('?').next().is_some_and(|path| path.contains('\\')));
    let host: HostName = origin.host.to_string().parse().expect("a host that was read is one");
    assert_eq!(host, origin.host);
    assert!(origin.host.ip().is_some() != origin.host.domain().is_some());
    if let Some(domain) = origin.host.domain() {
        // A domain must not be an address in disguise: resolvers accept more spellings than this
        // parser.
        assert!(domain.parse::<std::net::IpAddr>().is_err(), "{domain} is an address");
    }
    if let Some(ip) = origin.host.ip() {
        public_means_public(ip);
    }
    let request = Request::Network { method: "GET".parse().expect("a method"), url: url.clone() };
    let required = request.required();
    assert!(required.allows(&request), "{required} does not allow its request");
    assert_eq!(required.to_string().parse::<Capability>().as_ref(), Ok(&required));
    assert!(required.names_origin(url));
}

/// Asserts that a public address is not one that the standard library classifies as local.
fn public_means_public(ip: std::net::IpAddr) {
    if AddressClass::of(ip) != AddressClass::Public {
        return;
    }
    assert!(!ip.is_loopback() && !ip.is_multicast() && !ip.is_unspecified(), "{ip}");
    match ip {
        std::net::IpAddr::V4(ip) => assert!(
            !ip.is_private() && !ip.is_link_local() && !ip.is_broadcast() && !ip.is_documentation(),
            "{ip}"
        ),
        std::net::IpAddr::V6(ip) => assert!(
            !ip.is_unique_local() && !ip.is_unicast_link_local() && ip.to_ipv4_mapped().is_none(),
            "{ip}"
        ),
    }
}

/// Asserts that a grant for a folder covers nothing outside it, even if the server decodes twice.
fn below_a_folder(text: &str) {
    let Ok(url) = format!("https://a/v1/{text}").parse::<FetchUrl>() else { return };
    let path = careless(url.path());
    let request = Request::Network { method: "GET".parse().expect("a method"), url };
    let folder: Capability = "network:fetch:https://a/v1/**".parse().expect("a capability");
    let inside = path.first().is_some_and(|name| name == "v1");
    assert!(!folder.allows(&request) || inside, "{request} leads to {path:?}");
}

/// Resolves a path like a careless server: takes either slash, decodes, cuts parameters, and only
/// then resolves dots.
fn careless(path: &str) -> Vec<String> {
    let mut decoded = path.to_ascii_lowercase();
    for (code, letter) in [("%2f", "/"), ("%5c", "/"), ("\\", "/"), ("%2e", "."), ("%3b", ";")] {
        decoded = decoded.replace(code, letter);
    }
    let mut names = Vec::new();
    for name in decoded.split('/') {
        match name.split(';').next().unwrap_or_default() {
            "" | "." => {}
            ".." => drop(names.pop()),
            name => names.push(name.to_owned()),
        }
    }
    names
}
