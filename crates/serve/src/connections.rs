//! Connections of clients, from the first byte to the last.
//!
//! axum's own loop is not used: it gives a client as long as it likes to send the head of a request,
//! so that one that sends a byte now and then would hold a connection for ever.
//!
//! Meets T-SERVE-008.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::serve::Listener;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::sync::Semaphore;

/// Longest time in which the head of a request must arrive; also the longest rest of a connection
/// between two requests.
pub const HEAD: Duration = Duration::from_secs(30);

/// Most connections at once. Further ones wait in the queue of the system.
const MAX_CONNECTIONS: usize = 65_536;

/// Serves connections until `end` completes, and then until the requests under way are answered.
pub(crate) async fn serve<L: Listener>(
    mut listener: L,
    router: Router,
    head: Duration,
    end: impl Future<Output = ()>,
) {
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(head);
    let graceful = GracefulShutdown::new();
    let room = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    tokio::pin!(end);
    loop {
        let accepted = async {
            let place = room.clone().acquire_owned().await;
            (listener.accept().await.0, place)
        };
        let (stream, place) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut end => break,
        };
        let service = TowerToHyperService::new(router.clone());
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        let connection = graceful.watch(connection);
        tokio::spawn(async move {
            // A client that breaks off is no failure of the server.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    graceful.shutdown().await;
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    use super::*;

    /// T-SERVE-008.
    #[tokio::test]
    async fn a_slow_head_ends_the_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let router = Router::new().route("/", get(|| async { "here" }));
        let head = Duration::from_millis(50);
        tokio::spawn(serve(listener, router, head, std::future::pending()));
        let mut slow = TcpStream::connect(address).await.unwrap();
        slow.write_all(b"GET / HTTP/1.1\r\nhost: a\r\nx-one: 1").await.unwrap();
        let mut answer = String::new();
        let read = tokio::time::timeout(Duration::from_secs(30), slow.read_to_string(&mut answer));
        // Without the limit the connection would stay open.
        read.await.expect("an end").unwrap();
        assert!(!answer.contains("here"), "{answer}");
        let mut prompt = TcpStream::connect(address).await.unwrap();
        let request = b"GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
        prompt.write_all(request).await.unwrap();
        let mut answer = String::new();
        prompt.read_to_string(&mut answer).await.unwrap();
        assert!(answer.ends_with("here"), "{answer}");
    }
}
