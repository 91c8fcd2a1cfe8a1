//! Redirects: each one is a new request to the authority and to every check.

use std::time::Duration;

use cofferdam_net::{Body, BodyClosed, Bytes, FetchErrorKind, Redirect, Wanted};

use crate::fixture::{Exchange, Fixture, Judge, Names, block_on, check_kind, request};

/// Serves `/STATUS/LOCATION` as a redirect to LOCATION; any other path returns the request.
fn signpost(mut exchange: Exchange) {
    let body = exchange.body();
    let path = exchange.path().to_owned();
    let mut parts = path.splitn(3, '/').skip(1);
    match (parts.next().map(str::parse::<u16>), parts.next()) {
        (Some(Ok(status)), Some(location)) => exchange
            .say_bytes(&format!("{status} Elsewhere\r\nlocation: {location}"), b"not to be read"),
        _ => {
            let line = exchange.head.lines().next().unwrap_or_default().to_owned();
            exchange.say_bytes("200 OK", format!("{line} {body}").as_bytes());
        }
    }
}

#[test]
fn every_redirect_is_asked_about() {
    let fixture = Fixture::new(signpost);
    let judge = Judge::default();
    let url = "http://a.example/302/http://b.example/301/http://c.example/end";
    let response = fixture.fetch(request("GET", url), &judge).unwrap();
    assert_eq!(response.url.as_str(), "http://c.example/end");
    assert!(response.redirected);
    assert_eq!(block_on(response.body.bytes()).unwrap(), "GET /end HTTP/1.1 ");
    assert_eq!(
        judge.asked(),
        [
            format!("GET {url}"),
            "GET http://b.example/301/http://c.example/end".to_owned(),
            "GET http://c.example/end".to_owned(),
        ]
    );
    assert_eq!(fixture.names.asked(), ["a.example", "b.example", "c.example"]);
}

#[test]
fn redirect_that_is_not_granted_is_not_followed() {
    let fixture = Fixture::new(signpost);
    let judge = Judge { forbids: Some("http://b.example/"), ..Judge::default() };
    let result = fixture.fetch(request("GET", "http://a.example/302/http://b.example/"), &judge);
    let error = check_kind(result, FetchErrorKind::Denied);
    assert_eq!(error.to_string(), "b.example: not granted");
    assert_eq!(error.not_authorised().unwrap().cause::<u32>(), Some(&42));
    assert_eq!(fixture.server.heads().len(), 1);
}

#[test]
fn redirect_to_metadata_is_refused() {
    let mut names = Names::default();
    names.set("rebind.example", &[&["169.254.169.254"]]);
    let fixture = Fixture::with_names(names, signpost);
    for target in [
        "http://169.254.169.254/latest/meta-data/",
        "http://2852039166/",
        "http://0xa9.0xfe.0xa9.0xfe/",
        "http://[::ffff:169.254.169.254]/",
        "http://[fd00:ec2::254]/",
        "http://rebind.example/",
        "http://127.0.0.1/",
    ] {
        let result = fixture.get(&format!("http://a.example/302/{target}"));
        check_kind(result, FetchErrorKind::Address);
    }
    assert!(fixture.dialled().iter().all(|address| address.to_string() == "93.184.216.34:80"));
}

#[test]
fn loop_ends_after_five_redirects() {
    let fixture = Fixture::new(|mut exchange| {
        exchange.say_bytes("302 Found\r\nlocation: /again", b"");
    });
    let error = check_kind(fixture.get("http://a.example/"), FetchErrorKind::RedirectLimit);
    assert_eq!(error.to_string(), "a.example: redirects more than 5 times");
    assert_eq!(fixture.server.heads().len(), 6);
}

#[test]
fn redirect_to_a_port_of_another_protocol_is_refused() {
    let fixture = Fixture::new(signpost);
    let result = fixture.get("http://a.example/302/http://a.example:25/");
    check_kind(result, FetchErrorKind::BadPort);
}

fn check_method(method: &str, status: u16, expect: &str) {
    let fixture = Fixture::new(signpost);
    let mut fetch = request(method, &format!("http://a.example/{status}//end"));
    fetch.body = Body::from(Bytes::from_static(b"data"));
    fetch.headers.insert("content-type", "text/plain".parse().unwrap());
    let judge = Judge::default();
    let response = fixture.fetch(fetch, &judge).unwrap();
    assert_eq!(block_on(response.body.bytes()).unwrap(), expect, "{method} {status}");
    let keeps = expect.ends_with("data");
    assert_eq!(fixture.server.heads()[1].contains("content-type"), keeps, "{method} {status}");
    assert!(judge.asked()[1].starts_with(expect.split(' ').next().unwrap()));
}

#[test]
fn method_and_body_change_as_the_standard_says() {
    check_method("POST", 303, "GET /end HTTP/1.1 ");
    check_method("PUT", 303, "GET /end HTTP/1.1 ");
    check_method("POST", 302, "GET /end HTTP/1.1 ");
    check_method("POST", 307, "POST /end HTTP/1.1 data");
    check_method("PUT", 308, "PUT /end HTTP/1.1 data");
}

#[test]
fn streamed_body_is_not_sent_twice() {
    let fixture = Fixture::new(|mut exchange| {
        exchange.say_bytes("307 Again\r\nlocation: /b", b"");
    });
    let (_sink, body) = Body::channel();
    let mut fetch = request("POST", "http://a.example/");
    fetch.body = body;
    check_kind(fixture.run(fetch), FetchErrorKind::BadRedirect);
}

#[test]
fn streamed_body_is_dropped_by_a_303_alone() {
    for (status, expect) in [(301, None), (302, None), (303, Some("GET /end HTTP/1.1 "))] {
        let fixture = Fixture::new(signpost);
        let (sink, body) = Body::channel();
        let mut fetch = request("POST", &format!("http://a.example/{status}/http://a.example/end"));
        fetch.body = body;
        sink.finish();
        match (fixture.run(fetch), expect) {
            (Ok(said), Some(expect)) => assert_eq!(said, expect, "{status}"),
            (Err(error), None) => assert_eq!(error.kind(), FetchErrorKind::BadRedirect),
            (result, _) => panic!("{status}: {result:?}"),
        }
        assert_eq!(block_on(sink.wanted()), Err(BodyClosed));
    }
}

#[test]
fn body_of_known_length_is_asked_for_again() {
    let fixture = Fixture::new(signpost);
    let (sink, body) = Body::channel_of(10);
    let mut fetch =
        request("POST", "http://a.example/307/http://a.example/308/http://b.example/end");
    fetch.body = body;
    let writer = std::thread::spawn(move || {
        let mut times = 1;
        let mut pieces = ["01234", "56789"].iter();
        loop {
            match block_on(sink.wanted()) {
                Ok(Wanted::More) => {}
                Ok(Wanted::FromTheBeginning) => {
                    times += 1;
                    pieces = ["01234", "56789"].iter();
                }
                Err(BodyClosed) => return times,
            }
            match pieces.next() {
                Some(piece) => {
                    block_on(sink.send(Bytes::from_static(piece.as_bytes()))).unwrap_or(())
                }
                None => sink.finish(),
            }
        }
    });
    assert_eq!(fixture.run(fetch).unwrap(), "POST /end HTTP/1.1 0123456789");
    assert_eq!(writer.join().unwrap(), 3);
    let heads = fixture.server.heads();
    assert!(heads.iter().all(|head| head.contains("content-length: 10\n")), "{heads:?}");
}

#[test]
fn guest_credentials_stay_with_their_origin() {
    let fixture = Fixture::new(signpost);
    let mut fetch = request("GET", "http://a.example/302/http://a.example/302/http://b.example/");
    for name in ["authorization", "cookie", "x-mine"] {
        fetch.headers.insert(name, "guest".parse().unwrap());
    }
    fixture.run(fetch).unwrap();
    let has = |name: &str| -> Vec<bool> {
        fixture.server.heads().iter().map(|head| head.contains(&format!("\n{name}: "))).collect()
    };
    assert_eq!(has("authorization"), [true, true, false]);
    assert_eq!(has("cookie"), [true, true, false]);
    assert_eq!(has("x-mine"), [true, true, true]);
    assert_eq!(has("referer"), [false, false, false]);
}

#[test]
fn redirect_can_be_handed_out_or_refused() {
    let fixture = Fixture::new(signpost);
    let url = "http://a.example/302/http://b.example/";
    let mut fetch = request("GET", url);
    fetch.redirect = Redirect::Manual;
    let response = fixture.fetch(fetch, &Judge::default()).unwrap();
    assert_eq!(response.status, 302);
    assert_eq!(response.headers["location"], "http://b.example/");
    assert!(!response.redirected);

    let mut fetch = request("GET", url);
    fetch.redirect = Redirect::Error;
    check_kind(fixture.run(fetch), FetchErrorKind::Redirected);
}

#[test]
fn redirect_without_a_location_is_a_response() {
    let fixture = Fixture::new(|mut exchange| exchange.say_bytes("302 Found", b"nowhere"));
    assert_eq!(fixture.get("http://a.example/").unwrap(), "nowhere");
}

#[test]
fn time_limit_excludes_the_authority() {
    let fixture = Fixture::new(signpost);
    let mut fetch = request("GET", "http://a.example/302/http://b.example/");
    fetch.limits.time = Duration::from_millis(1500);
    let judge = Judge { takes: Duration::from_millis(1000), ..Judge::default() };
    assert_eq!(fixture.fetch(fetch, &judge).unwrap().status, 200);
}
