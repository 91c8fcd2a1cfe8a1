//! Request and response bodies: framing, decoding and back-pressure.

use std::io::Write;
use std::sync::mpsc;
use std::time::Duration;

use cofferdam_net::{Body, BodyClosed, Bytes, FetchErrorKind};
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::fixture::{Fixture, Judge, PATIENCE, block_on, check_kind, request};

/// Time without progress after which a stream counts as stalled.
const STANDSTILL: Duration = Duration::from_millis(500);

/// More than the buffers of two sockets hold.
const MUCH: usize = 256 * 1024 * 1024;

#[test]
fn response_has_status_headers_and_body_of_the_server() {
    let fixture = Fixture::new(|mut exchange| {
        exchange.say_bytes("418 Short and Stout\r\nx-a: 1\r\nx-a: 2", b"tea");
    });
    let response = fixture.fetch(request("GET", "http://a.example/x?q=%20"), &Judge::default());
    let response = response.unwrap();
    assert_eq!((response.status.as_u16(), &*response.status_text), (418, "Short and Stout"));
    assert_eq!(response.headers.get_all("x-a").iter().count(), 2);
    assert_eq!(response.url.as_str(), "http://a.example/x?q=%20");
    assert!(!response.redirected);
    assert_eq!(block_on(response.body.bytes()).unwrap(), "tea");
    assert!(fixture.server.heads()[0].starts_with("GET /x?q=%20 HTTP/1.1\n"));
}

#[test]
fn responses_without_a_body_have_none() {
    for (method, head) in [
        ("HEAD", "200 OK\r\ncontent-length: 1000\r\ncontent-encoding: gzip"),
        ("GET", "204 No Content"),
        ("GET", "304 Not Modified\r\ncontent-length: 1000\r\ncontent-encoding: gzip"),
    ] {
        let fixture = Fixture::new(move |mut exchange| {
            exchange.say(&format!("HTTP/1.1 {head}\r\n\r\n"));
        });
        let fetch = request(method, "http://a.example/");
        let response = fixture.fetch(fetch, &Judge::default()).unwrap();
        for name in ["content-length", "content-encoding"] {
            assert_eq!(response.headers.contains_key(name), head.contains(name), "{head}");
        }
        assert_eq!(block_on(response.body.bytes()).unwrap(), "", "{head}");
    }
}

#[test]
fn body_is_decoded_as_it_comes() {
    let (go, may_go) = mpsc::channel::<()>();
    let may_go = std::sync::Mutex::new(may_go);
    let fixture = Fixture::new(move |mut exchange| {
        exchange.say("HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n");
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"first ").unwrap();
        encoder.flush().unwrap();
        exchange.stream.get_mut().write_all(&std::mem::take(encoder.get_mut())).unwrap();
        may_go.lock().unwrap().recv_timeout(PATIENCE).unwrap();
        encoder.write_all(b"second").unwrap();
        exchange.stream.get_mut().write_all(&encoder.finish().unwrap()).unwrap();
    });
    let response = fixture.fetch(request("GET", "http://a.example/"), &Judge::default());
    let mut response = response.unwrap();
    assert!(!response.headers.contains_key("content-encoding"));
    assert_eq!(block_on(response.body.chunk()).unwrap().unwrap(), "first ");
    go.send(()).unwrap();
    assert_eq!(block_on(response.body.bytes()).unwrap(), "second");
}

#[test]
fn body_that_is_not_in_its_encoding_is_an_error() {
    let fixture = Fixture::new(|mut exchange| {
        exchange.say_bytes("200 OK\r\ncontent-encoding: gzip", b"plain text");
    });
    check_kind(fixture.get("http://a.example/"), FetchErrorKind::Encoding);
}

#[test]
fn bodies_are_sent_with_their_length_or_in_chunks() {
    let fixture = Fixture::new(|mut exchange| {
        let body = match exchange.head.contains("transfer-encoding: chunked") {
            true => exchange.chunks(),
            false => exchange.body(),
        };
        exchange.say_bytes("200 OK", body.as_bytes());
    });
    let mut fetch = request("POST", "http://a.example/");
    fetch.body = Body::from(Bytes::from_static(b"data"));
    assert_eq!(fixture.run(fetch).unwrap(), "data");
    fixture.run(request("POST", "http://a.example/")).unwrap();
    let heads = fixture.server.heads();
    assert!(heads[0].contains("content-length: 4\n"));
    assert!(heads[1].contains("content-length: 0\n"));

    let (sink, body) = Body::channel();
    let mut fetch = request("POST", "http://a.example/");
    fetch.body = body;
    let writer = std::thread::spawn(move || {
        block_on(sink.send(Bytes::from_static(b"streamed"))).unwrap();
        sink.finish();
        assert_eq!(block_on(sink.wanted()), Err(BodyClosed));
    });
    assert_eq!(fixture.run(fetch).unwrap(), "8\r\nstreamed\r\n0\r\n\r\n");
    writer.join().unwrap();
    assert!(fixture.server.heads()[2].contains("transfer-encoding: chunked\n"));
}

#[test]
fn get_has_no_body() {
    let fixture = Fixture::friendly();
    let mut fetch = request("GET", "http://a.example/");
    fetch.body = Body::from(Bytes::from_static(b"data"));
    let error = check_kind(fixture.run(fetch), FetchErrorKind::BadRequest);
    assert_eq!(error.to_string(), "a.example: a GET request has no body");
}

#[test]
fn body_is_read_no_faster_than_it_is_asked_for() {
    let (stood, stands) = mpsc::channel();
    let stood = std::sync::Mutex::new(stood);
    let fixture = Fixture::new(move |mut exchange| {
        exchange.say("HTTP/1.1 200 OK\r\n\r\n");
        exchange.stream.get_ref().set_write_timeout(Some(STANDSTILL)).unwrap();
        let mut written = 0;
        while written < MUCH {
            match exchange.stream.get_mut().write(&[b'x'; 65536]) {
                Ok(count) => written += count,
                Err(_) => break,
            }
        }
        stood.lock().unwrap().send(written).unwrap();
    });
    let mut fetch = request("GET", "http://a.example/");
    fetch.limits.body_bytes = MUCH;
    let mut response = fixture.fetch(fetch, &Judge::default()).unwrap();
    let written = stands.recv_timeout(PATIENCE).unwrap();
    assert!(written < MUCH / 4, "{written} bytes were read ahead");
    assert!(block_on(response.body.chunk()).unwrap().unwrap().len() <= 64 * 1024);
}

#[test]
fn body_is_taken_no_faster_than_it_is_sent() {
    let (go, may_go) = mpsc::channel::<()>();
    let may_go = std::sync::Mutex::new(may_go);
    let fixture = Fixture::new(move |mut exchange| {
        may_go.lock().unwrap().recv_timeout(PATIENCE).unwrap();
        let mut last = Vec::new();
        while !last.ends_with(b"\r\n0\r\n\r\n") {
            let mut room = [0; 65536];
            let count = std::io::Read::read(&mut exchange.stream, &mut room).unwrap();
            last.extend_from_slice(&room[..count]);
            last.drain(..last.len().saturating_sub(16));
        }
        exchange.say_bytes("200 OK", b"got it");
    });
    let (sink, body) = Body::channel();
    let mut fetch = request("POST", "http://a.example/");
    fetch.limits.send_bytes = MUCH;
    fetch.body = body;
    let (sent, progress) = mpsc::channel();
    let writer = std::thread::spawn(move || {
        let piece = Bytes::from(vec![b'x'; 65536]);
        for _ in 0..1024 {
            block_on(sink.send(piece.clone())).unwrap();
            sent.send(piece.len()).unwrap();
        }
        sink.finish();
    });
    let client = fixture.client.clone();
    let reader = std::thread::spawn(move || {
        let response = block_on(client.fetch(fetch, &Judge::default())).unwrap();
        block_on(response.body.bytes()).unwrap()
    });
    let mut taken = 0;
    while let Ok(count) = progress.recv_timeout(STANDSTILL) {
        taken += count;
    }
    assert!(taken < 1024 * 65536, "{taken} bytes were taken with nobody reading");
    go.send(()).unwrap();
    assert_eq!(reader.join().unwrap(), "got it");
    writer.join().unwrap();
}
