//! One request on one connection: from the free connection slot to the head of the response.
//!
//! Separate from `client`, which follows redirects and asks the authority; a hop runs on the
//! `driver`'s thread.

use std::sync::Arc;

use cofferdam_caps::network::{FetchUrl, Origin};
use http::{HeaderMap, Request, Uri};
use hyper::body::{Body as _, Incoming};
use hyper::client::conn::http1;
use hyper::ext::ReasonPhrase;
use hyper_util::rt::TokioIo;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout_at};

use crate::connect::{self, Dialer};
use crate::decode::Decoder;
use crate::error::{FetchError, FetchErrorKind};
use crate::exchange::{Answer, Hop};
use crate::fetch::Limits;
use crate::headers;
use crate::pump::{Pump, time_limit};
use crate::reach::{self, Never};
use crate::resolver::Resolver;
use crate::response::ResponseBody;
use crate::tls::Tls;

/// Most headers in a response.
// T-NET-008: headers and bodies without end, compressed bombs.
const MAX_HEADERS: usize = 512;

/// Smallest connection buffer; a larger header limit raises it.
const MIN_BUFFER: usize = 16 * 1024;

/// State shared by all connections of a client.
pub(crate) struct Shared {
    pub(crate) resolver: Arc<dyn Resolver>,
    pub(crate) dialer: Arc<dyn Dialer>,
    pub(crate) tls: Tls,
    pub(crate) never: Never,
    pub(crate) connections: Arc<Semaphore>,
}

impl Shared {
    /// Refuses an origin that spells out an address which no grant opens.
    pub(crate) fn check_named_address(&self, origin: &Origin) -> Result<(), FetchError> {
        self.never.check_named(origin)
    }
}

impl Hop {
    /// Sends the request and waits for the head of the response. Dropping the future closes the
    /// connection.
    // T-NET-009: a slow server.
    pub(crate) async fn run(self, shared: &Shared) -> Result<Answer, FetchError> {
        let late = time_limit(&self.url.origin().host);
        timeout_at(self.deadline.into(), self.work(shared)).await.unwrap_or(Err(late))
    }

    async fn work(self, shared: &Shared) -> Result<Answer, FetchError> {
        let Self { method, url, headers, body, names_origin, limits, deadline } = self;
        let deadline = Instant::from_std(deadline);
        let origin = url.origin();
        let host = origin.host.to_string();
        let bad = |reason: &str| FetchError::new(FetchErrorKind::BadRequest, &host, reason);
        let mut request = Request::new(body);
        *request.method_mut() = http::Method::from_bytes(method.as_str().as_bytes())
            .map_err(|_| bad("the method cannot be sent"))?;
        *request.uri_mut() = request_target(&url).ok_or_else(|| bad("the URL cannot be sent"))?;
        *request.headers_mut() = headers;

        // Before it has a slot: names that no server answers for must keep no connection waiting.
        let checked = reach::check(origin, names_origin, &*shared.resolver, &shared.never).await?;
        let slot = shared.connections.clone().acquire_owned().await;
        let slot = slot.map_err(|_| FetchError::new(FetchErrorKind::Stopped, &host, "stopped"))?;
        let wire =
            connect::connect(origin, &checked, &*shared.dialer, &shared.tls, deadline).await?;
        let fault = request.body().fault();
        let broken = |error| fault.error(&host).unwrap_or_else(|| protocol(&host, &error, &limits));
        let (mut sender, connection) = http1::Builder::new()
            .max_headers(MAX_HEADERS)
            .max_header_size(limits.header_bytes)
            .max_buf_size(limits.header_bytes.max(MIN_BUFFER))
            .handshake(TokioIo::new(wire))
            .await
            .map_err(broken)?;
        let connection = Connection(tokio::spawn(async move {
            // The error also reaches the reader of the response or its body.
            let _ = connection.await;
        }));
        let (head, incoming) = sender.send_request(request).await.map_err(broken)?.into_parts();
        let size = headers::size(&head.headers);
        if size > limits.header_bytes {
            return Err(header_limit(&host, &limits));
        }
        if head.status.is_informational() {
            let reason = "the server switched to a protocol that was not asked for";
            return Err(FetchError::new(FetchErrorKind::Protocol, &host, reason));
        }
        let status_text = status_text(&head);
        let mut headers = head.headers;
        let body = read_body(host, incoming, &mut headers, &limits, deadline, (connection, slot));
        Ok(Answer { status: head.status, status_text, headers, body })
    }
}

/// Starts reading the body at the reader's pace; `held` is dropped when reading ends.
fn read_body(
    host: String,
    incoming: Incoming,
    headers: &mut HeaderMap,
    limits: &Limits,
    deadline: Instant,
    held: impl Send + 'static,
) -> ResponseBody {
    let (reader, ending, body) = ResponseBody::new(host.clone());
    let limit = limits.body_bytes;
    // A response without a body needs no decoding and keeps its encoding headers.
    let decoder = match incoming.is_end_stream() {
        true => Decoder::plain(limit),
        false => Decoder::for_response(headers, limit),
    };
    let pump = Pump { host, incoming, decoder, limit, deadline };
    tokio::spawn(async move {
        pump.run(reader, ending).await;
        drop(held);
    });
    body
}

/// The task that drives the connection; aborted on drop (T-NET-010).
struct Connection(JoinHandle<()>);

impl Drop for Connection {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Returns the path and query, the only part of the URL in the request line.
fn request_target(url: &FetchUrl) -> Option<Uri> {
    url.as_str().strip_prefix(&url.origin().to_string())?.parse().ok()
}

fn status_text(head: &http::response::Parts) -> String {
    match head.extensions.get::<ReasonPhrase>() {
        Some(phrase) => String::from_utf8_lossy(phrase.as_bytes()).into_owned(),
        None => head.status.canonical_reason().unwrap_or_default().to_owned(),
    }
}

fn header_limit(host: &str, limits: &Limits) -> FetchError {
    let reason = format!(
        "the response's headers are longer than {} bytes or more than {MAX_HEADERS}",
        limits.header_bytes
    );
    FetchError::new(FetchErrorKind::HeaderLimit, host, reason)
}

fn protocol(host: &str, error: &hyper::Error, limits: &Limits) -> FetchError {
    // Matches the text, because hyper offers a predicate for this error on servers only.
    if error.is_parse() && error.to_string() == "message head is too large" {
        return header_limit(host, limits);
    }
    let reason = match error.is_parse() {
        true => "the response is not HTTP",
        false => "the connection ended before the response",
    };
    FetchError::new(FetchErrorKind::Protocol, host, reason)
}
