//! The page that holds the sandbox: it asks a person, holds the document, sends requests and runs
//! the functions that it lent. Each is an inquiry.

use std::future::Future;
use std::pin::Pin;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use cofferdam::client::{Page, PageRequest, PageResponse};
use cofferdam::permissions::{Answer, Approver, Decision, Question, Span};
use cofferdam_front::json::question as question_json;
use serde_json::{Value as Json, json};

use crate::port;

type Later<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Asks a person through the page.
pub(crate) struct Asking {
    /// Number of the sandbox, by which the page finds its prompt.
    pub(crate) sandbox: String,
}

impl Approver for Asking {
    fn ask(&self, question: Question) -> Later<Answer> {
        let mut params = question_json(&question);
        params["handle"] = self.sandbox.clone().into();
        Box::pin(async move {
            let answer = port::inquire("ask", params).await;
            answer.ok().and_then(|answer| parse(&question, &answer)).unwrap_or(question.deny())
        })
    }
}

/// Reads the page's answer; `None`, which counts as a refusal, if it is malformed.
fn parse(question: &Question, answer: &Json) -> Option<Answer> {
    let span = match &answer["span"] {
        Json::Null => Span::Once,
        Json::String(name) => name.parse().ok()?,
        _ => return None,
    };
    let parsed = match (&answer["allow"], &answer["decisions"]) {
        (Json::Bool(true), Json::Null) => question.allow(span),
        (Json::Bool(false), Json::Null) => question.deny(),
        (Json::Null, Json::Array(given)) => {
            let decision = |given: &Json| match given {
                Json::Null => Some(Decision::Deny),
                given => {
                    let capability = given["capability"].as_str()?.parse().ok()?;
                    Some(Decision::Grant(capability, span))
                }
            };
            question.answer(given.iter().map(decision).collect::<Option<_>>()?)
        }
        _ => return None,
    };
    let parsed = parsed.by(answer["by"].as_str().unwrap_or("page"));
    Some(match answer["because"].as_str() {
        Some(reason) => parsed.because(reason),
        None => parsed,
    })
}

/// The network of the page: the browser's `fetch`, without credentials and without redirects.
pub(crate) struct Fetching;

impl Page for Fetching {
    fn fetch(&self, request: PageRequest) -> Later<Result<PageResponse, String>> {
        let params = json!({
            "method": request.method,
            "url": request.url,
            "headers": request.headers,
            "body": BASE64.encode(&request.body),
            "timeMs": request.time.as_secs_f64() * 1e3,
            "most": request.body_bytes,
        });
        Box::pin(async move {
            let answer = port::inquire("fetch", params).await?;
            let bad = || "malformed answer of the page".to_owned();
            let body = BASE64.decode(answer["body"].as_str().ok_or_else(bad)?);
            let pair = |pair: &Json| Some((text(&pair[0])?, text(&pair[1])?));
            let headers = answer["headers"].as_array().ok_or_else(bad)?;
            Ok(PageResponse {
                status: u16::try_from(answer["status"].as_u64().ok_or_else(bad)?)
                    .map_err(|_| bad())?,
                status_text: text(&answer["statusText"]).unwrap_or_default(),
                headers: headers.iter().filter_map(pair).collect(),
                body: body.map_err(|_| bad())?,
            })
        })
    }
}

fn text(value: &Json) -> Option<String> {
    value.as_str().map(str::to_owned)
}
