//! URLs that a guest asks for: the first line, and as a redirect the second.

use cofferdam_caps::network::{FetchUrl, HostName};
use cofferdam_caps::{Capability, Request};

use self::address::AddressClass;
use super::{Target, lines};

// By its path, because the crate around it brings TLS.
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

/// What was read is what is sent: it reads as itself, and its origin stands at its beginning.
fn one(url: &FetchUrl) {
    let again: FetchUrl = url.as_str().parse().expect("a URL that was read can be read");
    assert_eq!(&again, url);
    let origin = url.origin();
    assert!(url.as_str().starts_with(&format!("{origin}/")), "{url:?} is not at {origin}");
    assert!(!url.as_str().contains(['#', ' ', '\t', '\r', '\n']));
    // A backslash is a slash to some, but for the query, where it divides nothing.
    assert!(!url.as_str().split('?').next().is_some_and(|path| path.contains('\\')));
    let host: HostName = origin.host.to_string().parse().expect("a host that was read is one");
    assert_eq!(host, origin.host);
    assert!(origin.host.ip().is_some() != origin.host.domain().is_some());
    if let Some(domain) = origin.host.domain() {
        // Nobody else may take a name for an address: resolvers know more spellings than we do.
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

/// The standard library's idea of what is near is another one, and must not be wider.
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

/// A grant for a folder opens nothing outside of it, to a server that decodes once too often either.
fn below_a_folder(text: &str) {
    let Ok(url) = format!("https://a/v1/{text}").parse::<FetchUrl>() else { return };
    let path = careless(url.path());
    let request = Request::Network { method: "GET".parse().expect("a method"), url };
    let folder: Capability = "network:fetch:https://a/v1/**".parse().expect("a capability");
    let inside = path.first().is_some_and(|name| name == "v1");
    assert!(!folder.allows(&request) || inside, "{request} leads to {path:?}");
}

/// A server that takes either slash, decodes, cuts parameters, and only then resolves dots.
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
