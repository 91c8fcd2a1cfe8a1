//! One request by the page's `fetch`, for a client in a browser.
//!
//! A browser hides addresses and the targets of redirects. Names are therefore not resolved and
//! checked here, and a redirect is an error.

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use cofferdam_caps::network::Origin;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use http_body::Body as _;

use crate::Later;
use crate::address::AddressClass;
use crate::body::Outgoing;
use crate::error::{FetchError, FetchErrorKind};
use crate::exchange::{Answer, Hop};
use crate::headers;
use crate::response::ResponseBody;

/// Sends requests for the client: the function `fetch` of the browser.
pub trait Page: Send + Sync {
    /// Sends one request, without credentials. Dropping the future aborts it. The error is a text
    /// for the guest.
    fn fetch(&self, request: PageRequest) -> Later<'static, Result<PageResponse, String>>;
}

/// One request.
#[expect(missing_docs, reason = "the types say it")]
pub struct PageRequest {
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// Time until the last byte of the response.
    pub time: Duration,
    /// Longest response body.
    pub body_bytes: usize,
}

/// The response to one request.
#[expect(missing_docs, reason = "the types say it")]
pub struct PageResponse {
    pub status: u16,
    pub status_text: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Settings of a [`Client`](crate::Client).
#[derive(Clone, Default)]
pub struct Settings {
    /// Sends the requests; without it, there is no network.
    pub page: Option<Arc<dyn Page>>,
}

impl Settings {
    pub(crate) fn open(self) -> Shared {
        Shared { page: self.page }
    }
}

/// State shared by all requests of a client.
pub(crate) struct Shared {
    page: Option<Arc<dyn Page>>,
}

impl Shared {
    /// Allows every origin: no server of ours runs in a page.
    pub(crate) fn check_named_address(&self, _origin: &Origin) -> Result<(), FetchError> {
        Ok(())
    }
}

/// Sends requests where they are made: the browser has its own threads.
#[derive(Default)]
pub(crate) struct Driver;

impl Driver {
    pub(crate) async fn send(&self, hop: Hop, shared: &Arc<Shared>) -> Result<Answer, FetchError> {
        let Hop { method, url, headers, body, names_origin, limits, deadline } = hop;
        let host = url.origin().host.to_string();
        let failed = |reason: &str| FetchError::new(FetchErrorKind::Connect, &host, reason);
        check_address(url.origin(), names_origin)?;
        let Some(page) = &shared.page else { return Err(failed("no network here")) };
        let request = PageRequest {
            method: method.as_str().to_owned(),
            url: url.as_str().to_owned(),
            headers: to_text(&headers),
            body: collect(body, &host).await?,
            time: deadline.saturating_duration_since(Instant::now()),
            body_bytes: limits.body_bytes,
        };
        let response = page.fetch(request).await.map_err(|reason| failed(&reason))?;
        let status = StatusCode::from_u16(response.status).map_err(|_| failed("bad status"))?;
        let headers = from_text(&response.headers);
        if headers::size(&headers) > limits.header_bytes {
            let reason = "the response's headers are too long";
            return Err(FetchError::new(FetchErrorKind::HeaderLimit, &host, reason));
        }
        let body = ResponseBody::whole(host, Bytes::from(response.body));
        Ok(Answer { status, status_text: response.status_text, headers, body })
    }
}

/// Refuses addresses of this machine and its network, as far as the URL names them.
// T-NET-001: requests to private addresses.
fn check_address(origin: &Origin, names_origin: bool) -> Result<(), FetchError> {
    let named = origin.host.named_addresses();
    let class = named.first().map_or(AddressClass::Public, |ip| AddressClass::of(*ip));
    if class == AddressClass::Public || names_origin {
        return Ok(());
    }
    let reason = format!("is {class}, which needs a grant that names this origin");
    Err(FetchError::new(FetchErrorKind::Address, &origin.host, reason))
}

async fn collect(body: Outgoing, host: &str) -> Result<Vec<u8>, FetchError> {
    let fault = body.fault();
    let (mut body, mut all) = (pin!(body), Vec::new());
    while let Some(frame) = poll_fn(|cx| body.as_mut().poll_frame(cx)).await {
        let broken = |_| FetchError::new(FetchErrorKind::Aborted, host, "the body broke off");
        let frame = frame.map_err(|e| fault.error(host).unwrap_or_else(|| broken(e)))?;
        if let Ok(data) = frame.into_data() {
            all.extend_from_slice(&data);
        }
    }
    Ok(all)
}

fn to_text(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &HeaderValue| value.as_bytes().iter().map(|b| char::from(*b)).collect();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}

fn from_text(list: &[(String, String)]) -> HeaderMap {
    let pair = |(name, value): &(String, String)| {
        let value: Option<Vec<u8>> = value.chars().map(|c| u8::try_from(c).ok()).collect();
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        Some((name, HeaderValue::from_bytes(&value?).ok()?))
    };
    list.iter().filter_map(pair).collect()
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings").finish_non_exhaustive()
    }
}
