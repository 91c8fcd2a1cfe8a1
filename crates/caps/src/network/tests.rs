//! Tests of network capabilities: parsing, matching, order and description.

use crate::{Capability, ErrorKind, Request};

fn request(method: &str, url: &str) -> Request {
    Request::Network { method: method.parse().unwrap(), url: url.parse().unwrap() }
}

fn capability(scope: &str) -> Capability {
    format!("network:fetch:{scope}").parse().unwrap_or_else(|error| panic!("{error}"))
}

fn check(scope: &str, url: &str, expect: bool) {
    assert_eq!(capability(scope).allows(&request("GET", url)), expect, "{scope} on {url}");
}

fn check_print(scope: &str, expect: &str) {
    assert_eq!(capability(scope).to_string(), format!("network:fetch:{expect}"));
}

fn check_refused(scope: &str, kind: ErrorKind) {
    let error = format!("network:fetch:{scope}").parse::<Capability>().unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
}

#[test]
fn scheme_is_part_of_the_scope() {
    check("https://a.example", "https://a.example/", true);
    check("https://a.example", "http://a.example/", false);
    check("http://a.example", "http://a.example/", true);
}

#[test]
fn scheme_is_always_written() {
    for scope in ["a.example", "*", "//a.example", "*://a.example", "ftp://a", "https:a", "://a"] {
        check_refused(scope, ErrorKind::BadScheme);
    }
}

#[test]
fn wildcard_does_not_match_the_apex() {
    check("https://*.example.com", "https://example.com/", false);
    check("https://*.example.com", "https://api.example.com/", true);
    check("https://*.example.com", "https://a.b.example.com/", true);
    check("https://*.example.com", "https://badexample.com/", false);
    check("https://*.example.com", "https://example.com.evil.example/", false);
}

#[test]
fn wildcard_stands_at_the_front_alone() {
    for scope in [
        "https://*",
        "https://a.*.example.com",
        "https://*example.com",
        "https://a*.example.com",
        "https://**.example.com",
        "https://*.*.example.com",
        "https://%2A.example.com",
        "https://＊.example.com",
        "https://*.",
        "https://*.127.0.0.1",
        "https://*.[::1]",
    ] {
        check_refused(scope, ErrorKind::BadHost);
    }
}

#[test]
fn host_is_compared_in_one_spelling() {
    check("https://BÜCHER.example.", "https://xn--bcher-kva.example/", true);
    check("http://0x7f.1", "http://2130706433/", true);
    check("http://127.0.0.1", "http://[::ffff:127.0.0.1]/", false);
    check("https://*.Example.com", "https://API.EXAMPLE.com./", true);
}

#[test]
fn port_is_the_default_unless_written() {
    check("https://a", "https://a:443/", true);
    check("https://a", "https://a:8443/", false);
    check("https://a:8443", "https://a:8443/", true);
    check("https://a:8443", "https://a/", false);
    check("https://a:*", "https://a:1/", true);
    check("https://*.a", "https://b.a:8443/", false);
    check("https://*.a:8443", "https://b.a/", false);
    check("https://*.a:8443", "https://b.a:8443/", true);
    check("https://*.a:*", "https://b.a:8443/", true);
    check("http://*.a:*", "https://b.a/", false);
    check("http://[::1]:8080", "http://[::1]:8080/", true);
}

#[test]
fn port_is_a_number_or_star() {
    for scope in ["https://a:", "https://a:x", "https://a:65536", "https://a:+1", "https://a:8*"] {
        check_refused(scope, ErrorKind::BadUrl);
    }
}

#[test]
fn without_a_path_every_path_is_covered() {
    check("https://a", "https://a/", true);
    check("https://a", "https://a/x/y?z", true);
    check("https://a/**", "https://a/", true);
    check("https://a/", "https://a/", true);
    check("https://a/", "https://a/x", false);
}

#[test]
fn star_is_one_segment_of_the_path() {
    check("https://a/v1/*", "https://a/v1/x", true);
    check("https://a/v1/*", "https://a/v1/x/y", false);
    check("https://a/v1/*", "https://a/v1/", false);
    check("https://a/v1/*", "https://a/v1", false);
    check("https://a/v1/**", "https://a/v1", true);
    check("https://a/v1/**", "https://a/v1/x/y/", true);
    check("https://a/v1/**", "https://a/v10", false);
}

#[test]
fn query_and_fragment_are_ignored() {
    check("https://a/v1", "https://a/v1?x=/../..#y", true);
    check("https://a/v1", "https://a/?/v1", false);
    check_refused("https://a/v1?x", ErrorKind::BadUrl);
    check_refused("https://a/v1#x", ErrorKind::BadUrl);
}

#[test]
fn dot_segments_are_resolved_before_matching() {
    check("https://a/v1/**", "https://a/v1/../admin", false);
    check("https://a/v1/**", "https://a/v1/%2e%2e/admin", false);
    check("https://a/v1/**", "https://a/v1/.%2E/admin", false);
    check("https://a/v1/**", "https://a/v1\\..\\admin", false);
    check("https://a/v1/**", "https://a/x/../v1/y", true);
}

#[test]
fn encoded_slash_is_not_one_segment() {
    check("https://a/v1/*", "https://a/v1/x%2Fy", false);
    check("https://a/v1/*", "https://a/v1/x%5cy", false);
    check("https://a/v1/**", "https://a/v1/x%2Fy", true);
    check("https://a/v1/*%2f*", "https://a/v1/x%2Fy", true);
    check("https://a/v1/x/y", "https://a/v1/x%2Fy", false);
}

#[test]
fn encoded_way_upwards_is_no_request() {
    for url in ["https://a/v1/..%2Fadmin", "https://a/v1/%2e%2e%2fadmin", "https://a/v1/..;/x"] {
        let error = url.parse::<super::FetchUrl>().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::BadUrl, "{url}");
    }
}

#[test]
fn spelling_of_the_path_does_not_matter() {
    check("https://a/%76%31/é", "https://a/v1/%c3%a9", true);
    check("https://a/a b".replace(' ', "%20").as_str(), "https://a/a b", true);
    check("https://a/%2A", "https://a/*", true);
    check("https://a/%2A", "https://a/x", false);
}

#[test]
fn path_of_a_pattern_is_plain() {
    for path in ["/../a", "/a/.", "/a/%2e%2e/b", "/a/..%2fb", "/a b", "/a\\b", "/a\tb"] {
        check_refused(&format!("https://a{path}"), ErrorKind::BadUrl);
    }
    check_refused("https://a/b**", ErrorKind::BadPattern);
}

#[test]
fn credentials_are_refused() {
    for scope in ["https://u@a", "https://u:p@a", "GET@https://u@a", "https://@a"] {
        check_refused(scope, ErrorKind::Credentials);
    }
    let error = "network:fetch:https://u:s3cr3t@a".parse::<Capability>().unwrap_err();
    assert_eq!(error.to_string(), "a: a URL must not contain a user name or password");
}

#[test]
fn methods_limit_what_is_sent() {
    let allows =
        |scope: &str, method: &str| capability(scope).allows(&request(method, "https://a/"));
    assert!(allows("GET,HEAD@https://a", "GET"));
    assert!(allows("GET,HEAD@https://a", "head"));
    assert!(!allows("GET,HEAD@https://a", "POST"));
    assert!(!allows("GET@https://a", "HEAD"));
    assert!(allows("https://a", "PATCH"));
    check_refused("get@https://a", ErrorKind::BadMethod);
    check_refused("@https://a", ErrorKind::BadMethod);
}

#[test]
fn order_needs_every_part_to_be_wider() {
    let check = |wide: &str, narrow: &str, expect: bool| {
        assert_eq!(capability(wide).covers(&capability(narrow)), expect, "{wide} over {narrow}");
    };
    check("https://*.a:*", "https://*.b.a:8443", true);
    check("https://*.a:8443", "https://*.b.a:*", false);
    check("https://*.a:8443", "https://*.b.a:8444", false);
    check("https://*.a", "http://*.b.a", false);
    check("https://*.b.a", "https://*.a", false);
    check("https://*.a", "https://*.a/v1/*", true);
    check("https://*.a/v1/*", "https://*.a", false);
    check("https://a:*", "https://a/v1", true);
    check("https://a", "https://a:*", false);
    check("https://a", "https://*.a", false);
    check("GET,PUT@https://a", "PUT@https://a/x", true);
    check("GET@https://a", "https://a", false);
}

#[test]
fn canonical_form_is_the_shortest() {
    check_print("HEAD,GET@HTTPS://A.Example.:443/**", "GET,HEAD@https://a.example");
    check_print("http://0177.1:0080/%61", "http://127.0.0.1/a");
    check_print("https://*.a.example:443/*", "https://*.a.example/*");
    check_print("http://a:443/x/**/**", "http://a:443/x/**");
}

#[test]
fn origin_is_named_without_wildcards_only() {
    let names = |scope: &str, url: &str| capability(scope).names_origin(&url.parse().unwrap());
    assert!(names("http://127.0.0.1:8080", "http://127.1:8080/x"));
    assert!(names("GET@http://localhost/only/this", "http://localhost./"));
    assert!(!names("http://127.0.0.1:*", "http://127.0.0.1:8080/"));
    assert!(!names("http://127.0.0.1", "http://127.0.0.1:8080/"));
    assert!(!names("http://127.0.0.1", "https://127.0.0.1/"));
    assert!(!names("http://*.localhost", "http://a.localhost/"));
    let all = "network:fetch".parse::<Capability>().unwrap();
    assert!(!all.names_origin(&"http://127.0.0.1/".parse().unwrap()));
}

#[test]
fn wider_choices_end_at_the_origin() {
    let choices = |url: &str| {
        let texts = request("GET", url).suggestions();
        texts.iter().map(|c| c.to_string().replace("network:fetch:", "")).collect::<Vec<_>>()
    };
    assert_eq!(
        choices("https://a/v1/users/7?x"),
        ["GET@https://a/v1/users/7", "GET@https://a/v1/users/**", "GET@https://a", "https://a"]
    );
    assert_eq!(choices("https://a"), ["GET@https://a/", "GET@https://a", "https://a"]);
}

#[test]
fn description_is_words() {
    let describe = |scope: &str| capability(scope).describe();
    let all = "network:fetch".parse::<Capability>().unwrap();
    assert_eq!(all.describe(), "send requests to any public address");
    assert_eq!(describe("https://a.example"), "send requests to https://a.example/…");
    assert_eq!(describe("GET@https://a/v1/**"), "send GET requests to https://a/v1/…");
    assert_eq!(describe("GET,PUT@https://a/v1"), "send GET or PUT requests to https://a/v1");
    assert_eq!(
        describe("https://*.a.example"),
        "send requests to addresses that match https://*.a.example"
    );
}
