//! Secret headers reach their origin and nobody else; guests cannot set framing headers.

use cofferdam_net::FetchErrorKind;

use crate::fixture::{Fixture, Judge, block_on, check_kind, request};

const SECRETS: [(&str, &str, &str); 2] = [
    ("http://a.example", "authorization", "Bearer s3cr3t-a"),
    ("http://b.example", "x-key", "s3cr3t-b"),
];

fn judge() -> Judge {
    Judge { secrets: SECRETS.to_vec(), ..Judge::default() }
}

#[test]
fn secret_goes_to_its_origin_and_nowhere_else() {
    let fixture = Fixture::new(|mut exchange| match exchange.path() {
        "/" => exchange.say_bytes("302 Found\r\nlocation: http://b.example/b", b""),
        "/b" => exchange.say_bytes("302 Found\r\nlocation: http://c.example/c", b""),
        "/c" => exchange.say_bytes("302 Found\r\nlocation: http://a.example:81/d", b""),
        _ => exchange.say_bytes("200 OK", b"ok"),
    });
    let response = fixture.fetch(request("GET", "http://a.example/"), &judge()).unwrap();
    assert_eq!(response.status, 200);
    let heads = fixture.server.heads();
    assert!(heads[0].contains("authorization: Bearer s3cr3t-a\n"));
    assert!(!heads[0].contains("s3cr3t-b"));
    assert!(heads[1].contains("x-key: s3cr3t-b\n"));
    assert!(!heads[1].contains("s3cr3t-a"));
    assert!(!heads[2].contains("s3cr3t"));
    assert!(!heads[3].contains("s3cr3t"));
}

#[test]
fn secret_replaces_headers_of_the_guest() {
    let fixture = Fixture::friendly();
    let mut fetch = request("GET", "http://a.example/");
    fetch.headers.append("authorization", "Bearer guest".parse().unwrap());
    fetch.headers.append("authorization", "Basic guest".parse().unwrap());
    fixture.fetch(fetch, &judge()).unwrap();
    let head = &fixture.server.heads()[0];
    assert_eq!(head.matches("authorization").count(), 1);
    assert!(head.contains("s3cr3t-a"));
}

#[test]
fn secret_is_in_no_response_and_no_error() {
    let fixture = Fixture::new(|mut exchange| match exchange.path() {
        "/fine" => exchange.say_bytes("200 OK", b"ok"),
        "/loop" => exchange.say_bytes("302 Found\r\nlocation: /loop", b""),
        "/nowhere" => exchange.say_bytes("302 Found\r\nlocation: http://[", b""),
        _ => exchange.say("what?\r\n\r\n"),
    });
    let response = fixture.fetch(request("GET", "http://a.example/fine"), &judge()).unwrap();
    assert!(!format!("{response:?}").contains("s3cr3t"));
    for path in ["loop", "nowhere", "nonsense"] {
        let fetch = request("GET", &format!("http://a.example/{path}?token=s3cr3t"));
        let error = fixture.fetch(fetch, &judge()).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("s3cr3t"), "{path}");
    }
}

#[test]
fn secret_that_would_frame_the_message_is_refused() {
    let fixture = Fixture::friendly();
    let secrets = vec![("http://a.example", "host", "b.example")];
    let judge = Judge { secrets, ..Judge::default() };
    let result = fixture.fetch(request("GET", "http://a.example/"), &judge);
    let error = check_kind(result, FetchErrorKind::BadRequest);
    assert_eq!(error.to_string(), "a.example: a grant's secret header cannot be host");
}

#[test]
fn cookies_are_not_for_guests() {
    let fixture = Fixture::new(|mut exchange| {
        exchange.say_bytes("200 OK\r\nset-cookie: a=1\r\nSet-Cookie2: b=2\r\nx-mine: c", b"ok");
    });
    let response = fixture.fetch(request("GET", "http://a.example/"), &Judge::default()).unwrap();
    let mut names: Vec<&str> = response.headers.keys().map(|name| name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["content-length", "x-mine"]);
    assert_eq!(block_on(response.body.bytes()).unwrap(), "ok");
}

#[test]
fn guest_cannot_set_headers_that_frame_the_message() {
    let fixture = Fixture::friendly();
    let mut fetch = request("GET", "http://a.example/");
    for (name, value) in [
        ("host", "b.example"),
        ("content-length", "100"),
        ("transfer-encoding", "chunked"),
        ("connection", "keep-alive, x-mine"),
        ("upgrade", "websocket"),
        ("te", "trailers"),
        ("trailer", "x"),
        ("expect", "100-continue"),
        ("proxy-authorization", "Basic x"),
        ("keep-alive", "1"),
        ("x-http-method-override", "DELETE"),
        ("x-mine", "stays"),
    ] {
        fetch.headers.insert(name, value.parse().unwrap());
    }
    fixture.run(fetch).unwrap();
    let heads = fixture.server.heads();
    let mut lines: Vec<&str> = heads[0].lines().collect();
    lines.sort_unstable();
    let agent = concat!("user-agent: cofferdam/", env!("CARGO_PKG_VERSION"));
    assert_eq!(
        lines,
        [
            "GET / HTTP/1.1",
            "accept-encoding: gzip, deflate",
            "accept: */*",
            "connection: close",
            "host: a.example",
            agent,
            "x-mine: stays",
        ]
    );
}
