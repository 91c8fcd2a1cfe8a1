//! Dropped fetches, bodies and clients close their connections; concurrent fetches respect the cap.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::mpsc::{self, Receiver};
use std::task::Poll;
use std::time::Duration;

use cofferdam_net::{Body, Bytes, Client, FetchErrorKind, Settings};

use crate::fixture::{Exchange, Fixture, Judge, PATIENCE, block_on, check_kind, request};

/// Returns a fixture whose server runs `answer`, then reports `here`, and `gone` once the client
/// has closed the connection.
fn watched(
    answer: impl Fn(&mut Exchange) + Send + Sync + 'static,
) -> (Fixture, Receiver<&'static str>) {
    let (tell, told) = mpsc::channel();
    let tell = std::sync::Mutex::new(tell);
    let fixture = Fixture::new(move |mut exchange| {
        answer(&mut exchange);
        // A test may end without receiving the last report.
        let _ = tell.lock().unwrap().send("here");
        exchange.wait_for_close();
        let _ = tell.lock().unwrap().send("gone");
    });
    (fixture, told)
}

/// T-NET-010.
#[test]
fn dropped_fetch_closes_its_connection() {
    let (fixture, told) = watched(|_| {});
    let judge = Judge::default();
    block_on(async {
        let mut fetch = pin!(fixture.client.fetch(request("GET", "http://a.example/"), &judge));
        poll_fn(|cx| {
            assert!(fetch.as_mut().poll(cx).is_pending());
            Poll::Ready(())
        })
        .await;
        assert_eq!(told.recv_timeout(PATIENCE), Ok("here"));
    });
    assert_eq!(told.recv_timeout(PATIENCE), Ok("gone"));
}

/// T-NET-010.
#[test]
fn dropped_response_closes_its_connection() {
    let (fixture, told) = watched(|exchange| {
        exchange.say("HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nsome");
    });
    let response = fixture.fetch(request("GET", "http://a.example/"), &Judge::default());
    let mut response = response.unwrap();
    assert_eq!(block_on(response.body.chunk()).unwrap().unwrap(), "some");
    assert_eq!(told.recv_timeout(PATIENCE), Ok("here"));
    drop(response);
    assert_eq!(told.recv_timeout(PATIENCE), Ok("gone"));
}

#[test]
fn response_read_to_its_end_closes_its_connection() {
    let (fixture, told) = watched(|exchange| exchange.say_bytes("200 OK", b"ok"));
    let response = fixture.fetch(request("GET", "http://a.example/"), &Judge::default());
    let mut body = response.unwrap().body;
    while block_on(body.chunk()).is_some() {}
    assert_eq!(told.recv_timeout(PATIENCE), Ok("here"));
    assert_eq!(told.recv_timeout(PATIENCE), Ok("gone"));
    drop(body);
}

#[test]
fn dropped_body_takes_its_request_with_it() {
    let (fixture, told) = watched(|_| {});
    let (sink, body) = Body::channel();
    let mut fetch = request("POST", "http://a.example/");
    fetch.body = body;
    let writer = std::thread::spawn(move || {
        block_on(sink.send(Bytes::from_static(b"half"))).unwrap();
        assert_eq!(told.recv_timeout(PATIENCE), Ok("here"));
        drop(sink);
        assert_eq!(told.recv_timeout(PATIENCE), Ok("gone"));
    });
    let error = check_kind(fixture.run(fetch), FetchErrorKind::Aborted);
    let expect = "a.example: the request's body ended before it was finished";
    assert_eq!(error.to_string(), expect);
    writer.join().unwrap();
}

#[test]
fn response_outlives_its_client() {
    let fixture = Fixture::new(|mut exchange| exchange.say_bytes("200 OK", &[b'x'; 1_000_000]));
    let Fixture { client, server: _server, .. } = fixture;
    let fetch = request("GET", "http://a.example/");
    let response = block_on(client.fetch(fetch, &Judge::default())).unwrap();
    drop(client);
    assert_eq!(block_on(response.body.bytes()).unwrap().len(), 1_000_000);
}

#[test]
fn fetch_beyond_the_most_connections_waits_and_its_time_runs() {
    let (fixture, _told) = watched(|exchange| exchange.say("HTTP/1.1 200 OK\r\n\r\nsome"));
    let client = Client::new(Settings { connections: 1, ..fixture.settings() });
    let judge = Judge::default();
    let first = block_on(client.fetch(request("GET", "http://a.example/"), &judge)).unwrap();
    let mut second = request("GET", "http://b.example/");
    second.limits.time = Duration::from_millis(200);
    check_kind(block_on(client.fetch(second, &judge)), FetchErrorKind::TimeLimit);
    // Its name was resolved: a lookup takes no connection, and keeps none from others (T-NET-013).
    assert_eq!(fixture.names.asked(), ["a.example", "b.example"]);
    drop(first);
    let third = block_on(client.fetch(request("GET", "http://c.example/"), &judge));
    assert_eq!(third.unwrap().status, 200);
}

#[test]
fn fetch_can_be_sent_to_another_thread() {
    let fixture = Fixture::friendly();
    let client = fixture.client.clone();
    let judge = Judge::default();
    let status = std::thread::scope(|scope| {
        let fetch = client.fetch(request("GET", "http://a.example/"), &judge);
        scope.spawn(move || block_on(fetch).unwrap().status).join().unwrap()
    });
    assert_eq!(status, 200);
}
