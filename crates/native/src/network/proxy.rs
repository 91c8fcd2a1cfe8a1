//! Requests of the program: to the server that it means, or to the permission proxy.

use std::net::SocketAddr;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use cofferdam_broker::Verdict;
use cofferdam_caps::network::FetchUrl;
use cofferdam_net::{Body, BodySink, Fetch, FetchError, HeaderMap, HeaderName, HeaderValue};
use http::header::{HOST, TRANSFER_ENCODING, UPGRADE};
use http::{Request, Response, StatusCode};
use http_body::Body as _;
use hyper::body::Incoming;
use serde_json::Value;

use super::reply::{self, DENIED, Reply, ReplyBody};
use super::send::{self, SendRequest};
use super::{Arrival, PROXY};
use crate::supervisor::Supervisor;

/// Longest body of a request to the permission proxy, which is read whole.
const MAX_BODY: usize = 10 << 20;

/// Most headers of a request to the permission proxy.
const MAX_HEADERS: usize = 200;

/// Answers one request.
pub(super) async fn serve(
    supervisor: Arc<Supervisor>,
    arrival: Arrival,
    request: Request<Incoming>,
) -> Reply {
    let (head, body) = request.into_parts();
    if head.headers.contains_key(UPGRADE) {
        let words = "connections that change their protocol are not supported\n";
        return plain(StatusCode::NOT_IMPLEMENTED, words);
    }
    let is_proxy = arrival.to.port() == PROXY && is_local(&head.headers);
    let _kept;
    let fetch = match is_proxy {
        true => match (head.method.as_str(), head.uri.path()) {
            ("GET", "/health") => {
                return reply::text(StatusCode::OK, "application/json", r#"{"ok":true}"#.into());
            }
            ("POST", "/proxy") => {
                // T-NAT-014: bodies that the program has begun and does not end.
                let length = body.size_hint().upper().map_or(MAX_BODY, |most| most as usize);
                let mebibytes = (length.min(MAX_BODY) >> 20) as u32 + 1;
                _kept = supervisor.network.kept.acquire_many(mebibytes).await;
                match collect(body).await {
                    Some(body) => wrapped(&body),
                    None => return plain(StatusCode::PAYLOAD_TOO_LARGE, "the body is too long\n"),
                }
            }
            _ => return plain(StatusCode::NOT_FOUND, "POST /proxy or GET /health\n"),
        },
        false => direct(arrival, &head).map(|mut fetch| {
            fetch.body = streamed(body);
            fetch
        }),
    };
    match fetch {
        Ok(fetch) => forward(&supervisor, fetch).await,
        Err(reason) => plain(StatusCode::BAD_REQUEST, &format!("{reason}\n")),
    }
}

fn plain(status: StatusCode, words: &str) -> Reply {
    reply::text(status, "text/plain; charset=utf-8", words.to_owned())
}

/// Returns true if a request is for this machine by name, as one to the permission proxy is.
fn is_local(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    matches!(name, "localhost" | "127.0.0.1")
}

/// Returns the next piece of a body; `None` at its end. Trailers are skipped.
async fn next(body: &mut Incoming) -> Option<Result<Bytes, hyper::Error>> {
    loop {
        let frame = std::future::poll_fn(|cx| std::pin::Pin::new(&mut *body).poll_frame(cx)).await;
        match frame?.map(http_body::Frame::into_data) {
            Ok(Ok(data)) => return Some(Ok(data)),
            Ok(Err(_)) => {}
            Err(error) => return Some(Err(error)),
        }
    }
}

/// Reads a body up to its limit.
async fn collect(mut body: Incoming) -> Option<Bytes> {
    let mut whole = BytesMut::new();
    while let Some(data) = next(&mut body).await {
        let data = data.ok()?;
        if whole.len() + data.len() > MAX_BODY {
            return None;
        }
        whole.extend_from_slice(&data);
    }
    Some(whole.freeze())
}

// T-NAT-014: bodies that the program sends, which are memory of the host if they are kept.
/// Returns a body that is sent on as it arrives.
fn streamed(body: Incoming) -> Body {
    let (sink, sent) = match body.size_hint().exact() {
        Some(0) => return Body::empty(),
        Some(length) => Body::channel_of(usize::try_from(length).unwrap_or(usize::MAX)),
        None => Body::channel(),
    };
    tokio::spawn(pass_on(body, sink));
    sent
}

/// Passes the pieces of a body on. Those that nobody wants, because the request was denied or has
/// failed, are dropped: many programs read the reply only when they have sent everything.
async fn pass_on(mut body: Incoming, sink: BodySink) {
    let mut is_wanted = true;
    while let Some(data) = next(&mut body).await {
        // Without the end of the body the request is aborted.
        let Ok(data) = data else { return };
        is_wanted = is_wanted && sink.send(data).await.is_ok();
    }
    sink.finish();
}

/// Returns the request that the program sends to a server.
fn direct(arrival: Arrival, head: &http::request::Parts) -> Result<Fetch, String> {
    let scheme = if arrival.secure { "https" } else { "http" };
    let host = match head.headers.get(HOST) {
        Some(host) => host.to_str().map_err(|_| "the host cannot be read")?.to_owned(),
        None => arrival.to.ip().to_string(),
    };
    let host = with_port(&host, arrival.to);
    let path = head.uri.path_and_query().map_or("/", |path| path.as_str());
    let url: FetchUrl = format!("{scheme}://{host}{path}")
        .parse()
        .map_err(|e: cofferdam_caps::Error| e.to_string())?;
    let method = head.method.as_str().parse().map_err(|e: cofferdam_caps::Error| e.to_string())?;
    let mut fetch = Fetch::new(method, url);
    fetch.headers = head.headers.clone();
    Ok(fetch)
}

/// Puts the port of the connection in place of the one that the program claims.
fn with_port(host: &str, to: SocketAddr) -> String {
    let is_port = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let name = match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) => name,
        Some(_) | None => host,
    };
    format!("{name}:{}", to.port())
}

/// Returns the request that is described in the body of `POST /proxy`.
fn wrapped(body: &[u8]) -> Result<Fetch, String> {
    let wanted: Value = serde_json::from_slice(body)
        .map_err(|error| format!("body: not {{\"url\": …}} in JSON: {error}"))?;
    let text = |name: &str| wanted.get(name).and_then(Value::as_str);
    let url = text("url").ok_or("url: missing")?;
    let url: FetchUrl = url.parse().map_err(|error: cofferdam_caps::Error| error.to_string())?;
    let method = text("method").unwrap_or("GET").to_ascii_uppercase();
    let method = method.parse().map_err(|error: cofferdam_caps::Error| error.to_string())?;
    let mut fetch = Fetch::new(method, url);
    if let Some(Value::Object(headers)) = wanted.get("headers") {
        for (name, value) in headers.iter().take(MAX_HEADERS) {
            let value = value.as_str().ok_or_else(|| format!("headers: {name}: not a text"))?;
            fetch.headers.append(
                HeaderName::from_bytes(name.as_bytes()).map_err(|error| error.to_string())?,
                HeaderValue::from_str(value).map_err(|error| error.to_string())?,
            );
        }
    }
    if let Some(body) = text("body").filter(|body| !body.is_empty()) {
        fetch.body = Body::from(Bytes::from(body.to_owned()));
    }
    Ok(fetch)
}

/// Sends a request if it is permitted. Everything on the way is the same for a tool's `fetch`.
async fn forward(supervisor: &Arc<Supervisor>, mut fetch: Fetch) -> Reply {
    fetch.limits = supervisor.network.limits.clone();
    if let Err(error) = supervisor.network.client.check_destination(&fetch.url) {
        return failed(supervisor, &error);
    }
    let permit = match supervisor.desk.check(SendRequest::new(fetch)) {
        Verdict::Permit(permit) => permit,
        Verdict::Denied(denial) => {
            supervisor.tell(&denial);
            return reply::denied(denial.error());
        }
        Verdict::Ask(waiting) => {
            let _pause = supervisor.clock.pause();
            match waiting.await {
                Ok(permit) => permit,
                Err(denial) => {
                    supervisor.tell(&denial);
                    return reply::denied(denial.error());
                }
            }
        }
    };
    match send::send(&supervisor.network.client, permit).await {
        Ok(response) => {
            let mut reply = Response::new(ReplyBody::Stream(response.body, supervisor.clone()));
            *reply.status_mut() = response.status;
            *reply.headers_mut() = response.headers;
            reply.headers_mut().remove(TRANSFER_ENCODING);
            reply.headers_mut().remove(http::header::CONNECTION);
            reply.headers_mut().remove(DENIED);
            reply
        }
        Err(error) => failed(supervisor, &error),
    }
}

fn failed(supervisor: &Supervisor, error: &FetchError) -> Reply {
    let line = reply::failure(supervisor, error);
    reply::text(StatusCode::BAD_GATEWAY, "application/json", line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn port_is_the_one_of_the_connection() {
        let to = |port: u16| SocketAddr::from(([198, 18, 0, 1], port));
        assert_eq!(with_port("api.example.com", to(443)), "api.example.com:443");
        assert_eq!(with_port("api.example.com:80", to(443)), "api.example.com:443");
        assert_eq!(with_port("[::1]", to(80)), "[::1]:80");
    }

    #[test]
    fn wrapped_request_names_its_url_and_method() {
        let fetch =
            wrapped(br#"{"url":"https://a.example/x","method":"post","body":"1"}"#).unwrap();
        assert_eq!((fetch.method.as_str(), fetch.url.as_str()), ("POST", "https://a.example/x"));
        assert_eq!(fetch.body.shown_size().as_deref(), Some("1 bytes"));
        assert!(wrapped(b"{}").is_err());
        assert!(wrapped(br#"{"url":"file:///etc/passwd"}"#).is_err());
    }
}
