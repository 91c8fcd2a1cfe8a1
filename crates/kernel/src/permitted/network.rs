//! The network behind permits: requests are parsed, permitted hop by hop, and sent.

use std::sync::Mutex;
use std::time::Duration;

use cofferdam_abi::Value;
use cofferdam_broker::{Action, Denial, Desk, Particulars, Permit, Verdict};
use cofferdam_caps::Request;
use cofferdam_caps::network::{FetchUrl, Method};
use cofferdam_net::{
    Authority, Body, Bytes, Client, Fetch, FetchError, HeaderMap, HeaderName, HeaderValue, Later,
    NotAuthorised, Passage, Redirect, Response, Settings,
};

use crate::shared::call_error::CallError;
use crate::shared::denials::Denials;
use crate::shared::lock::lock;
use crate::shared::run_clock::RunClock;
use crate::shared::streams::Streams;

/// Most headers of a request.
const MAX_HEADERS: usize = 1000;

/// The network as guests reach it. Clones share the client.
///
/// The client cannot be taken out, and a request that was not permitted cannot be sent:
///
/// ```compile_fail
/// use cofferdam_kernel::permitted::Network;
///
/// fn client(network: &Network) -> &cofferdam_net::Client {
///     &network.client
/// }
/// ```
///
/// ```compile_fail
/// use cofferdam_broker::Desk;
/// use cofferdam_kernel::permitted::{Network, SendRequest};
/// use cofferdam_kernel::{Denials, RunClock};
///
/// async fn send(network: Network, action: SendRequest, run: (Desk, Denials, RunClock)) {
///     let _ = network.send(action, run.0, run.1, run.2).await;
/// }
/// ```
///
/// A permit sends one request:
///
/// ```compile_fail
/// use cofferdam_broker::{Desk, Permit};
/// use cofferdam_kernel::permitted::{Network, SendRequest};
/// use cofferdam_kernel::{Denials, RunClock};
///
/// async fn send(network: Network, permit: Permit<SendRequest>, run: (Desk, Denials, RunClock)) {
///     let _ = network.send(permit, run.0.clone(), run.1.clone(), run.2.clone()).await;
///     let _ = network.send(permit, run.0, run.1, run.2).await;
/// }
/// ```
///
/// ```
/// use cofferdam_broker::{Desk, Permit};
/// use cofferdam_kernel::permitted::{Network, SendRequest};
/// use cofferdam_kernel::{Denials, RunClock};
///
/// async fn send(network: Network, permit: Permit<SendRequest>, run: (Desk, Denials, RunClock)) {
///     let _ = network.send(permit, run.0, run.1, run.2).await;
/// }
/// ```
#[derive(Clone)]
pub struct Network {
    client: Client,
}

/// Sending one HTTP request.
pub struct SendRequest {
    fetch: Fetch,
}

/// Following a redirect to another URL.
struct FollowRedirect<'a> {
    method: &'a Method,
    url: &'a FetchUrl,
}

impl SendRequest {
    /// Names a request.
    pub fn new(fetch: Fetch) -> Self {
        SendRequest { fetch }
    }

    /// Sets the body.
    pub(crate) fn set_body(&mut self, body: Body) {
        self.fetch.body = body;
    }
}

impl Action for SendRequest {
    fn request(&self) -> Request {
        Request::Network { method: self.fetch.method.clone(), url: self.fetch.url.clone() }
    }

    fn particulars(&self) -> Particulars {
        let size = self.fetch.body.shown_size();
        let particulars = Particulars::of_fetch(&self.fetch.url, size.as_deref());
        let names: Vec<_> = self.fetch.headers.keys().map(HeaderName::as_str).collect();
        match names.is_empty() {
            true => particulars,
            false => particulars.detail("headers", &names.join(", ")),
        }
    }
}

impl Action for FollowRedirect<'_> {
    fn request(&self) -> Request {
        Request::Network { method: self.method.clone(), url: self.url.clone() }
    }
}

/// A network with a client of default settings.
impl Default for Network {
    fn default() -> Self {
        Network::new(Client::new(Settings::default()))
    }
}

impl Network {
    /// Wraps a client.
    pub fn new(client: Client) -> Self {
        Network { client }
    }

    /// Refuses a request that could not be sent even if it were granted.
    pub(crate) fn check_destination(&self, request: &SendRequest) -> Result<(), FetchError> {
        self.client.check_destination(&request.fetch.url)
    }

    /// Sends a permitted request. Each redirect is checked at the desk of the run.
    pub async fn send(
        &self,
        permit: Permit<SendRequest>,
        desk: Desk,
        denials: Denials,
        clock: RunClock,
    ) -> Result<Response, FetchError> {
        let first = Mutex::new(Some(passage(&permit)));
        let authority = Hops { first, desk, denials, clock };
        self.client.fetch(permit.into_action().fetch, &authority).await
    }
}

/// The network for one run, or for one program of a run.
pub(crate) struct Outbound {
    pub(crate) network: Network,
    pub(crate) streams: Streams,
    pub(crate) desk: Desk,
    pub(crate) denials: Denials,
    pub(crate) clock: RunClock,
}

impl Outbound {
    /// Sends a permitted request; returns the head of the response with the number of its body.
    pub(crate) async fn send(self, permit: Permit<SendRequest>) -> Result<Value, FetchError> {
        let Outbound { network, streams, desk, denials, clock } = self;
        let response = network.send(permit, desk, denials, clock).await?;
        let text = |text: &str| Value::String(text.to_owned());
        let header = |(name, value): (&HeaderName, &HeaderValue)| {
            let value = value.as_bytes().iter().map(|byte| char::from(*byte)).collect();
            Value::Array(vec![text(name.as_str()), Value::String(value)])
        };
        let mut answer = vec![
            ("status".to_owned(), Value::Number(f64::from(response.status.as_u16()))),
            ("statusText".to_owned(), text(&response.status_text)),
            ("url".to_owned(), text(response.url.as_str())),
            ("redirected".to_owned(), Value::Bool(response.redirected)),
            ("headers".to_owned(), Value::Array(response.headers.iter().map(header).collect())),
        ];
        if !matches!(response.status.as_u16(), 101 | 103 | 204 | 205 | 304) {
            let number = streams.add(response.body);
            answer.push(("stream".to_owned(), Value::Number(f64::from(number))));
        }
        Ok(Value::Object(answer))
    }
}

/// Parses the request that a guest wants to send; nonsense is an error in the guest. Bodies have at
/// most `most` bytes.
pub(crate) fn parse_request(
    head: &Value,
    body: Vec<u8>,
    most: usize,
) -> Result<SendRequest, CallError> {
    let wrong = |what: &str| CallError::new("TypeError", format!("fetch: {what}"));
    let Value::Object(members) = head else { return Err(wrong("not an object")) };
    let member = |name: &str| members.iter().find(|(key, _)| key == name).map(|(_, value)| value);
    let text = |name: &str| match member(name) {
        Some(Value::String(text)) => Ok(text.as_str()),
        _ => Err(wrong(name)),
    };
    let method: Method = text("method")?.parse().map_err(|e| wrong(&format!("{e}")))?;
    let url: FetchUrl = text("url")?.parse().map_err(|e| wrong(&format!("{e}")))?;
    let mut fetch = Fetch::new(method, url);
    (fetch.limits.body_bytes, fetch.limits.send_bytes) = (most, most);
    fetch.redirect = match text("redirect")? {
        "manual" => Redirect::Manual,
        "error" => Redirect::Error,
        _ => Redirect::Follow,
    };
    fetch.headers = headers(member("headers")).ok_or_else(|| wrong("headers"))?;
    if let Some(Value::Number(ms)) = member("timeMs")
        && ms.is_finite()
        && *ms > 0.0
    {
        fetch.limits.time = fetch.limits.time.min(Duration::from_secs_f64(ms.min(1e9) / 1e3));
    }
    if member("hasBody") == Some(&Value::Bool(true)) {
        fetch.body = Body::from(Bytes::from(body));
    }
    Ok(SendRequest { fetch })
}

fn headers(list: Option<&Value>) -> Option<HeaderMap> {
    let Some(Value::Array(pairs)) = list else { return None };
    let mut headers = HeaderMap::new();
    for pair in pairs.iter().take(MAX_HEADERS) {
        let Value::Array(pair) = pair else { return None };
        let [Value::String(name), Value::String(value)] = pair.as_slice() else { return None };
        // JavaScript has header values as text of one byte a letter.
        let value: Vec<u8> = value.chars().map(|c| u8::try_from(c).ok()).collect::<Option<_>>()?;
        headers.append(
            HeaderName::from_bytes(name.as_bytes()).ok()?,
            HeaderValue::from_bytes(&value).ok()?,
        );
    }
    Some(headers)
}

/// Authorises the hops of one request: the first by its permit, redirects by the broker.
struct Hops {
    /// Until the first hop has taken it.
    first: Mutex<Option<Passage>>,
    desk: Desk,
    denials: Denials,
    clock: RunClock,
}

impl Hops {
    fn refused(&self, denial: &Denial) -> NotAuthorised {
        let message = denial.error().message().to_owned();
        NotAuthorised::new(message).with_cause(self.denials.note(denial))
    }
}

impl Authority for Hops {
    fn allow<'a>(
        &'a self,
        method: &'a Method,
        url: &'a FetchUrl,
    ) -> Later<'a, Result<Passage, NotAuthorised>> {
        let first = lock(&self.first).take();
        Box::pin(async move {
            if let Some(passage) = first {
                return Ok(passage);
            }
            match self.desk.check(FollowRedirect { method, url }) {
                Verdict::Permit(permit) => Ok(passage(&permit)),
                Verdict::Denied(denial) => Err(self.refused(&denial)),
                Verdict::Ask(question) => {
                    let _question = self.clock.question();
                    let permit = question.await.map_err(|denial| self.refused(&denial))?;
                    Ok(passage(&permit))
                }
            }
        })
    }
}

/// Returns what a permit adds to its request: secret headers, and private addresses.
fn passage<A>(permit: &Permit<A>) -> Passage {
    Passage::new(permit.headers().expose(), permit.reaches_private_addresses())
}
