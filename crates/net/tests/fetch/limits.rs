//! Limits of time and size, against servers that trickle, flood or send nonsense.

use std::io::{Read, Write};
use std::time::{Duration, Instant};

use cofferdam_net::{Body, Bytes, Fetch, FetchErrorKind};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::fixture::{Exchange, Fixture, Judge, PATIENCE, block_on, check_kind, request};

fn gzip(data: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

fn hurried() -> Fetch {
    let mut fetch = request("GET", "http://a.example/");
    fetch.limits.time = Duration::from_millis(300);
    fetch
}

/// Sends `text` repeatedly until the client closes the connection.
fn trickle(exchange: &mut Exchange, text: &str) {
    let pause = Some(Duration::from_millis(5));
    exchange.stream.get_ref().set_read_timeout(pause).unwrap();
    while exchange.stream.get_mut().write_all(text.as_bytes()).is_ok() {
        if matches!(exchange.stream.read(&mut [0]), Ok(0)) {
            return;
        }
    }
}

fn check_time(fixture: &Fixture, expect: &str) {
    let started = Instant::now();
    let error = check_kind(fixture.run(hurried()), FetchErrorKind::TimeLimit);
    assert_eq!(error.to_string(), expect);
    assert!(started.elapsed() < PATIENCE);
}

const LATE: &str = "a.example: the time limit of the fetch is reached";

#[test]
fn silent_server_ends_at_the_time_limit() {
    check_time(&Fixture::new(|mut exchange| exchange.wait_for_close()), LATE);
}

#[test]
fn slow_headers_end_at_the_time_limit() {
    let fixture = Fixture::new(|mut exchange| {
        exchange.say("HTTP/1.1 200 OK\r\nx: ");
        trickle(&mut exchange, "y");
    });
    check_time(&fixture, LATE);
}

#[test]
fn endless_interim_answers_end_at_the_time_limit() {
    let fixture = Fixture::new(|mut exchange| trickle(&mut exchange, "HTTP/1.1 103 Soon\r\n\r\n"));
    check_time(&fixture, LATE);
}

#[test]
fn slow_body_ends_at_the_time_limit() {
    let fixture = Fixture::new(|mut exchange| {
        exchange.say("HTTP/1.1 200 OK\r\n\r\n");
        trickle(&mut exchange, "y");
    });
    check_time(&fixture, LATE);
}

#[test]
fn reader_that_does_not_read_does_not_stop_the_clock() {
    let (closed, was_closed) = std::sync::mpsc::channel();
    let closed = std::sync::Mutex::new(closed);
    let fixture = Fixture::new(move |mut exchange| {
        exchange.say("HTTP/1.1 200 OK\r\n\r\nsome");
        exchange.wait_for_close();
        closed.lock().unwrap().send(()).unwrap();
    });
    let mut response = fixture.fetch(hurried(), &Judge::default()).unwrap();
    was_closed.recv_timeout(PATIENCE).unwrap();
    assert_eq!(block_on(response.body.chunk()).unwrap().unwrap(), "some");
    let late = block_on(response.body.chunk()).unwrap();
    check_kind(late, FetchErrorKind::TimeLimit);
    assert!(block_on(response.body.chunk()).is_none());
}

#[test]
fn redirects_share_one_time_limit() {
    let fixture = Fixture::new(|mut exchange| {
        let pause = Some(Duration::from_millis(100));
        exchange.stream.get_ref().set_read_timeout(pause).unwrap();
        let _ = exchange.stream.read(&mut [0]);
        exchange.say_bytes("302 Found\r\nlocation: /", b"");
    });
    check_time(&fixture, LATE);
}

#[test]
fn long_headers_are_refused() {
    let headers: [fn() -> String; 3] = [
        || format!("x: {}\r\n", "y".repeat(70_000)),
        || format!("x: {}\r\n", "y".repeat(1_000)).repeat(100),
        || "x: y\r\n".repeat(3_000),
    ];
    for header in headers {
        let fixture = Fixture::new(move |mut exchange| {
            exchange.say(&format!("HTTP/1.1 200 OK\r\n{}\r\n", header()));
        });
        let error = check_kind(fixture.get("http://a.example/"), FetchErrorKind::HeaderLimit);
        let expect =
            "a.example: the response's headers are longer than 65536 bytes or more than 512";
        assert_eq!(error.to_string(), expect);
    }
}

#[test]
fn headers_without_end_are_refused() {
    let fixture = Fixture::new(|mut exchange| {
        exchange.say("HTTP/1.1 200 OK\r\n");
        while exchange.stream.get_mut().write_all(b"x: yyyyyyyyyyyyyyyyyyyyyy\r\n").is_ok() {}
    });
    check_kind(fixture.get("http://a.example/"), FetchErrorKind::HeaderLimit);
}

#[test]
fn long_request_headers_are_refused_before_the_authority_is_asked() {
    let fixture = Fixture::friendly();
    let judge = Judge::default();
    let mut fetch = request("GET", "http://a.example/");
    fetch.headers.insert("x", "y".repeat(70_000).parse().unwrap());
    check_kind(fixture.fetch(fetch, &judge), FetchErrorKind::HeaderLimit);
    assert_eq!(judge.asked(), [""; 0]);
}

fn check_body_limit(answer: impl Fn(Exchange) + Send + Sync + 'static) {
    let fixture = Fixture::new(answer);
    let mut fetch = request("GET", "http://a.example/");
    fetch.limits.body_bytes = 1000;
    let error = check_kind(fixture.run(fetch), FetchErrorKind::BodyLimit);
    assert_eq!(error.to_string(), "a.example: the response's body is longer than 1000 bytes");
}

#[test]
fn long_bodies_are_refused_however_they_are_framed() {
    check_body_limit(|mut exchange| exchange.say_bytes("200 OK", &[b'x'; 1001]));
    check_body_limit(|mut exchange| {
        exchange.say(&format!("HTTP/1.1 200 OK\r\n\r\n{}", "x".repeat(1001)));
    });
    check_body_limit(|mut exchange| {
        exchange.say("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n");
        trickle(
            &mut exchange,
            "64\r\n1234567890123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890\r\n",
        );
    });
    check_body_limit(|mut exchange| {
        exchange.say("HTTP/1.1 200 OK\r\ncontent-length: 9999999999999999\r\n\r\n");
    });
}

#[test]
fn body_of_exactly_the_limit_is_whole() {
    let fixture = Fixture::new(|mut exchange| exchange.say_bytes("200 OK", &[b'x'; 1000]));
    let mut fetch = request("GET", "http://a.example/");
    fetch.limits.body_bytes = 1000;
    assert_eq!(fixture.run(fetch).unwrap().len(), 1000);
}

#[test]
fn gzip_bomb_is_stopped() {
    let bomb = gzip(&vec![0; 100_000_000]);
    assert!(bomb.len() < 200_000);
    let fixture = Fixture::new(move |mut exchange| {
        exchange.say_bytes("200 OK\r\ncontent-encoding: gzip", &bomb);
    });
    let error = check_kind(fixture.get("http://a.example/"), FetchErrorKind::BodyLimit);
    assert_eq!(error.to_string(), "a.example: the response's body is longer than 10485760 bytes");
}

#[test]
fn encoded_body_that_holds_nothing_ends_too() {
    // Empty members: many bytes in, none out.
    let nothing = gzip(b"").repeat(10_000);
    check_body_limit(move |mut exchange| {
        exchange.say("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n");
        while exchange.stream.get_mut().write_all(&nothing).is_ok() {}
    });
}

#[test]
fn request_body_is_limited() {
    let fixture = Fixture::new(|mut exchange| exchange.wait_for_close());
    let mut fetch = request("POST", "http://a.example/");
    fetch.limits.send_bytes = 10;
    fetch.body = Body::from(Bytes::from_static(b"12345678901"));
    let error = check_kind(fixture.run(fetch), FetchErrorKind::BodyLimit);
    assert_eq!(error.to_string(), "a.example: the request's body is longer than 10 bytes");

    let (sink, body) = Body::channel();
    let mut fetch = request("POST", "http://a.example/");
    fetch.limits.send_bytes = 10;
    fetch.body = body;
    let writer =
        std::thread::spawn(
            move || {
                while block_on(sink.send(Bytes::from_static(b"1234"))).is_ok() {}
            },
        );
    let error = check_kind(fixture.run(fetch), FetchErrorKind::BodyLimit);
    assert_eq!(error.to_string(), "a.example: the request's body is longer than 10 bytes");
    writer.join().unwrap();
}

#[test]
fn body_is_as_long_as_it_was_said_to_be() {
    for text in ["short", "longer than that"] {
        let fixture = Fixture::new(|mut exchange| exchange.wait_for_close());
        let (sink, body) = Body::channel_of(10);
        let mut fetch = request("POST", "http://a.example/");
        fetch.body = body;
        let writer = std::thread::spawn(move || {
            block_on(sink.send(Bytes::from_static(text.as_bytes()))).unwrap();
            sink.finish();
            block_on(sink.wanted())
        });
        let error = check_kind(fixture.run(fetch), FetchErrorKind::BadRequest);
        let expect = "a.example: the request's body is not 10 bytes long, as declared";
        assert_eq!(error.to_string(), expect);
        writer.join().unwrap().unwrap_err();
    }
}

fn check_nonsense(answer: &'static str) {
    let fixture = Fixture::new(move |mut exchange| exchange.say(answer));
    check_kind(fixture.get("http://a.example/"), FetchErrorKind::Protocol);
}

#[test]
fn nonsense_is_an_error() {
    check_nonsense("");
    check_nonsense("SSH-2.0-OpenSSH\r\n\r\n");
    check_nonsense("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nshort");
    check_nonsense("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n");
    check_nonsense("HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab");
    check_nonsense("HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n");
    check_nonsense("HTTP/1.1 200 OK\r\nx: a\0b\r\n\r\n");
}
