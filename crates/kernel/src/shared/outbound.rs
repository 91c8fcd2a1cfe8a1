//! HTTP requests of tools and programs: parsed, permitted hop by hop, sent.

use std::sync::Mutex;
use std::time::Duration;

use cofferdam_abi::Value;
use cofferdam_broker::{Denial, Desk, Permit, Verdict};
use cofferdam_caps::Request;
use cofferdam_caps::network::{FetchUrl, Method};
use cofferdam_net::{
    Authority, Body, Bytes, Client, Fetch, FetchError, HeaderMap, HeaderName, HeaderValue, Later,
    NotAuthorised, Passage, Redirect,
};

use crate::shared::call_error::CallError;
use crate::shared::denials::Denials;
use crate::shared::lock::lock;
use crate::shared::run_clock::RunClock;
use crate::shared::streams::Streams;

/// Most headers of a request.
const MAX_HEADERS: usize = 1000;

/// The way out for one run, or for one program of it.
pub(crate) struct Outbound {
    pub(crate) client: Client,
    pub(crate) streams: Streams,
    pub(crate) desk: Desk,
    pub(crate) denials: Denials,
    pub(crate) clock: RunClock,
}

impl Outbound {
    /// Sends a request that was permitted; answers the response's head and the number of its body.
    pub(crate) async fn send(self, fetch: Fetch, permit: Permit) -> Result<Value, FetchError> {
        let Outbound { client, streams, desk, denials, clock } = self;
        let rest = Broker { desk, denials, clock };
        let authority = First { permit: Mutex::new(Some(permit)), rest };
        let response = client.fetch(fetch, &authority).await?;
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

/// What the guest wants to send; nonsense in it is an error in the guest.
pub(crate) fn request(head: &Value, body: Vec<u8>) -> Result<Fetch, CallError> {
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
    Ok(fetch)
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

/// Asks the broker for each hop.
struct Broker {
    desk: Desk,
    denials: Denials,
    clock: RunClock,
}

impl Broker {
    fn refused(&self, denial: &Denial) -> NotAuthorised {
        let message = denial.error().message().to_owned();
        NotAuthorised::new(message).with_cause(self.denials.note(denial))
    }
}

impl Authority for Broker {
    fn allow<'a>(
        &'a self,
        method: &'a Method,
        url: &'a FetchUrl,
    ) -> Later<'a, Result<Passage, NotAuthorised>> {
        Box::pin(async move {
            let request = Request::Network { method: method.clone(), url: url.clone() };
            match self.desk.check(&request) {
                Verdict::Permit(permit) => Ok(passage(permit)),
                Verdict::Denied(denial) => Err(self.refused(&denial)),
                Verdict::Ask(question) => {
                    let _question = self.clock.question();
                    question.await.map(passage).map_err(|denial| self.refused(&denial))
                }
            }
        })
    }
}

/// The first hop was checked when the call was made; its permit is used, not asked for again.
struct First {
    permit: Mutex<Option<Permit>>,
    rest: Broker,
}

impl Authority for First {
    fn allow<'a>(
        &'a self,
        method: &'a Method,
        url: &'a FetchUrl,
    ) -> Later<'a, Result<Passage, NotAuthorised>> {
        match lock(&self.permit).take() {
            Some(permit) => Box::pin(async move { Ok(passage(permit)) }),
            None => self.rest.allow(method, url),
        }
    }
}

fn passage(permit: Permit) -> Passage {
    let secret = |(name, value): (&str, &str)| {
        let mut value = HeaderValue::from_str(value).ok()?;
        value.set_sensitive(true);
        Some((HeaderName::from_bytes(name.as_bytes()).ok()?, value))
    };
    Passage {
        secret_headers: permit.headers().expose().filter_map(secret).collect(),
        names_origin: permit.reaches_private_addresses(),
    }
}
