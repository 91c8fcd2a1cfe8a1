//! Checks of every request before its route: Host, Origin and rate; and the headers of every
//! response.
//!
//! Meets T-SERVE-003, T-SERVE-004.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::identity;
use crate::problem::Problem;
use crate::secret;
use crate::server::Server;

/// Policy of every page: nothing but its own scripts, styles, images and requests.
pub const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; \
    frame-ancestors 'none'";

/// Most clients whose rates are known at once; beyond that, those at rest are forgotten.
const MAX_CLIENTS: usize = 10_000;

/// Names under which a server may be addressed, and origins that may send it requests.
#[derive(Debug, Clone)]
pub struct Names {
    hosts: Vec<String>,
    origins: Vec<String>,
}

impl Names {
    /// Collects the names of a server that listens on a port of loopback or was given a URL.
    pub fn new(server: &Server, port: Option<u16>) -> Self {
        let settings = server.settings();
        let scheme = if settings.has_tls() { "https" } else { "http" };
        let mut hosts = settings.hosts.clone();
        let mut origins = settings.origins.clone();
        let near = ["127.0.0.1", "localhost", "[::1]"];
        match port {
            Some(port) => hosts.extend(near.iter().map(|name| format!("{name}:{port}"))),
            None => hosts.extend(near.iter().map(|name| (*name).to_owned())),
        }
        if let Some((_, host)) = server.url().split_once("://") {
            hosts.push(host.to_owned());
            origins.push(server.url().to_owned());
        }
        origins.extend(hosts.iter().map(|host| format!("{scheme}://{host}")));
        for list in [&mut hosts, &mut origins] {
            list.iter_mut().for_each(|name| name.make_ascii_lowercase());
        }
        Names { hosts, origins }
    }

    /// Returns the origins that may send requests.
    pub fn origins(&self) -> &[String] {
        &self.origins
    }

    /// Returns the names that `Host` may have.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Refuses a request for another host, or from another site.
    // T-SERVE-004: a name of an attacker that resolves to this machine.
    fn check(&self, headers: &HeaderMap, authority: Option<&str>) -> Result<(), Problem> {
        let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).or(authority);
        let is_ours =
            host.is_some_and(|host| self.hosts.iter().any(|ours| ours.eq_ignore_ascii_case(host)));
        if !is_ours || headers.get_all(header::HOST).iter().count() > 1 {
            let detail = "Host: not a name of this server; --host NAME adds one";
            return Err(Problem::new(StatusCode::MISDIRECTED_REQUEST, "bad-host", detail));
        }
        // T-SERVE-003: a page of another site that sends requests.
        for origin in headers.get_all(header::ORIGIN) {
            let origin = origin.to_str().unwrap_or_default();
            if !self.origins.iter().any(|ours| ours.eq_ignore_ascii_case(origin)) {
                return Err(Problem::forbidden("Origin: not an origin of this server"));
            }
        }
        Ok(())
    }
}

/// State of the guard.
#[derive(Clone)]
pub struct Guard {
    /// The server.
    pub server: Server,
    /// Its names.
    pub names: std::sync::Arc<Names>,
}

/// Checks a request, and completes its response.
pub async fn guard(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let id = secret::id("");
    let (method, began) = (request.method().clone(), Instant::now());
    let route = request.extensions().get::<MatchedPath>().map(|path| path.as_str().to_owned());
    let route = route.unwrap_or_else(|| "other".to_owned());
    let authority = request.uri().authority().map(|authority| authority.as_str().to_owned());
    let checked = guard
        .names
        .check(request.headers(), authority.as_deref())
        .and_then(|()| guard.server.rates().take(&client(request.headers())));
    let mut response = match checked {
        Ok(()) if route.starts_with("/v1/") => as_problem(next.run(request).await).await,
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    let status = response.status().as_u16();
    guard.server.metrics().answered(&method, &route, status);
    let micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
    tracing::info!(request = %id, %method, route, status, micros, "answered");
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&id) {
        headers.insert("x-request-id", id);
    }
    let fixed = [
        (header::CONTENT_SECURITY_POLICY, CONTENT_POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        // With `no-referrer`, browsers send `Origin: null` with forms of our own pages.
        (header::REFERRER_POLICY, "same-origin"),
        (header::X_FRAME_OPTIONS, "DENY"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.insert("cross-origin-resource-policy", HeaderValue::from_static("same-origin"));
    headers.insert("cross-origin-opener-policy", HeaderValue::from_static("same-origin"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Most bytes of an error that the router words by itself.
const MAX_WORDS: usize = 1_024;

/// Gives an error of the router (a wrong method, query or path) the form of the others.
async fn as_problem(response: Response) -> Response {
    let status = response.status();
    let media = response.headers().get(header::CONTENT_TYPE).and_then(|media| media.to_str().ok());
    let is_plain = media.is_none_or(|media| media.starts_with("text/plain"));
    if !(status.is_client_error() || status.is_server_error()) || !is_plain {
        return response;
    }
    let (parts, body) = response.into_parts();
    let words = axum::body::to_bytes(body, MAX_WORDS).await.unwrap_or_default();
    let detail = match String::from_utf8_lossy(&words).into_owned() {
        words if words.is_empty() => status.canonical_reason().unwrap_or("error").to_lowercase(),
        words => words,
    };
    let code = match status {
        StatusCode::METHOD_NOT_ALLOWED => "method-not-allowed",
        StatusCode::NOT_FOUND => "not-found",
        StatusCode::PAYLOAD_TOO_LARGE => "too-large",
        _ => "bad-request",
    };
    let mut problem = Problem::new(status, code, detail).into_response();
    if let Some(allowed) = parts.headers.get(header::ALLOW) {
        problem.headers_mut().insert(header::ALLOW, allowed.clone());
    }
    problem
}

/// Returns the client that a request is counted for: its credential, or nobody's.
fn client(headers: &HeaderMap) -> [u8; 32] {
    let token = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    match token.or_else(|| identity::cookie(headers)) {
        Some(credential) => secret::hash(credential),
        None => [0; 32],
    }
}

/// Rates of clients: each has a bucket that fills with time and that requests empty.
pub struct Rates {
    rate: f64,
    burst: f64,
    buckets: Mutex<HashMap<[u8; 32], Bucket>>,
}

struct Bucket {
    left: f64,
    at: Instant,
}

impl Rates {
    /// Creates rates of `rate` requests in a second, and of `burst` at once.
    pub fn new(rate: u32, burst: u32) -> Self {
        Rates { rate: rate.into(), burst: burst.into(), buckets: Mutex::default() }
    }

    /// Counts a request of a client, or refuses it.
    pub fn take(&self, client: &[u8; 32]) -> Result<(), Problem> {
        self.take_at(client, Instant::now())
    }

    fn take_at(&self, client: &[u8; 32], now: Instant) -> Result<(), Problem> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MAX_CLIENTS && !buckets.contains_key(client) {
            // A full bucket says no more than a missing one.
            buckets.retain(|_, bucket| bucket.fill(now, self.rate, self.burst) < self.burst);
        }
        let bucket = buckets.entry(*client).or_insert(Bucket { left: self.burst, at: now });
        if bucket.fill(now, self.rate, self.burst) < 1.0 {
            let seconds = ((1.0 - bucket.left) / self.rate).ceil() as u64;
            return Err(Problem::busy("too many requests", seconds));
        }
        bucket.left -= 1.0;
        Ok(())
    }
}

impl Bucket {
    fn fill(&mut self, now: Instant, rate: f64, burst: f64) -> f64 {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.left = (self.left + passed * rate).min(burst);
        self.at = now;
        self.left
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bucket_is_emptied_by_requests_and_filled_by_time() {
        let (rates, now) = (Rates::new(2, 3), Instant::now());
        let take = |client: u8, millis: u64| {
            rates.take_at(&[client; 32], now + Duration::from_millis(millis)).is_ok()
        };
        assert!(take(1, 0) && take(1, 0) && take(1, 0));
        assert!(!take(1, 0));
        assert!(take(2, 0));
        assert!(!take(1, 400));
        assert!(take(1, 1_000));
    }

    #[test]
    fn hosts_and_origins_are_compared_whole() {
        let names = Names {
            hosts: vec!["127.0.0.1:8930".into()],
            origins: vec!["http://127.0.0.1:8930".into()],
        };
        let check = |host: &str, origin: &str, expect: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, host.parse().unwrap());
            if !origin.is_empty() {
                headers.insert(header::ORIGIN, origin.parse().unwrap());
            }
            assert_eq!(names.check(&headers, None).is_ok(), expect, "{host} {origin}");
        };
        check("127.0.0.1:8930", "", true);
        check("127.0.0.1:8930", "http://127.0.0.1:8930", true);
        check("127.0.0.1", "", false);
        check("evil.example:8930", "", false);
        check("127.0.0.1:8930.evil.example", "", false);
        check("127.0.0.1:8930", "http://evil.example", false);
        check("127.0.0.1:8930", "https://127.0.0.1:8930", false);
        check("127.0.0.1:8930", "null", false);
        check("127.0.0.1:8930", "http://127.0.0.1:8930.evil.example", false);
    }
}
