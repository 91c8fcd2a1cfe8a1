//! `POST /v1/exec`: runs a tool or a program for an agent.

use std::time::Duration;

use axum::Json as Answer;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, header};
use axum::response::{IntoResponse, Response};
use cofferdam_front::fields::{EXEC, Field, Need, TEXT, TEXTS};
use serde_json::json;

use super::Body;
use super::runs::follow;
use crate::identity::Agent;
use crate::problem::Problem;
use crate::routes::{Content, Routes, Who, route};
use crate::server::{Accepted, Server};

/// Longest key of an agent, in bytes.
const MAX_KEY: usize = 255;

/// Fields that agents have beyond those of `exec` in `rpc`.
const OF_AGENTS: &[Field] = &[("wants", TEXTS, Need::Optional), ("why", TEXT, Need::Optional)];

const ANSWER: &[Field] = &[
    ("run", TEXT, Need::Required),
    ("outcome", r##"{"$ref":"#/$defs/Outcome"}"##, Need::Required),
];

pub(super) fn routes() -> Routes {
    let about = "Runs a tool or program; honours Idempotency-Key and Prefer: respond-async, wait=N";
    Routes::default().add(
        route(Method::POST, "/v1/exec", about, Who::Agent)
            .body(Content::Objects(EXEC, OF_AGENTS))
            .answer(200, Content::Object(ANSWER))
            .events("stdout, stderr, asking, resumed, result"),
        exec,
    )
}

/// Runs, and returns the outcome; with `Accept: text/event-stream` its events, and with
/// `Prefer: respond-async` or `wait=SECONDS` the run if it has not ended by then.
async fn exec(
    State(server): State<Server>,
    agent: Agent,
    headers: HeaderMap,
    Body(params): Body,
) -> Result<Response, Problem> {
    let word =
        |name| headers.get(name).and_then(|value: &axum::http::HeaderValue| value.to_str().ok());
    let key = word("idempotency-key");
    if key.is_some_and(|key| key.is_empty() || key.len() > MAX_KEY) {
        return Err(Problem::request(format!("Idempotency-Key: not 1 to {MAX_KEY} characters")));
    }
    let client = word(header::USER_AGENT.as_str());
    let run = match server.exec(&agent, params, client, key).await? {
        Accepted::Run(run) => run,
        Accepted::Earlier(known) => return earlier(known),
    };
    let accepts = word(header::ACCEPT.as_str()).unwrap_or_default();
    if accepts.contains("text/event-stream") {
        return Ok(follow(&server, run, 0));
    }
    let waited = match wait(word("prefer").unwrap_or_default()) {
        None => Some(run.outcome().await),
        Some(time) => run.outcome_within(time).await,
    };
    let location = format!("/v1/runs/{}", run.about.id);
    let mut response = match waited {
        Some(outcome) => {
            Answer(json!({ "run": &*run.about.id, "outcome": &*outcome })).into_response()
        }
        None => (StatusCode::ACCEPTED, Answer(run.to_json())).into_response(),
    };
    if let Ok(location) = location.parse() {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// Returns what is known of an earlier run with the same key.
fn earlier(known: serde_json::Value) -> Result<Response, Problem> {
    match known["status"].as_str() {
        Some("ended") => {
            let answer = json!({ "run": known["run"], "outcome": known["outcome"] });
            Ok(Answer(answer).into_response())
        }
        Some("running") => Ok((StatusCode::ACCEPTED, Answer(known)).into_response()),
        _ => {
            let detail = "the server was killed during this run, so its outcome is not known";
            Err(Problem::conflict("interrupted", detail).with("run", known["run"].clone()))
        }
    }
}

/// Returns the longest time that a client prefers to wait.
fn wait(prefer: &str) -> Option<Duration> {
    let mut wait = None;
    for word in prefer.split([',', ';']).map(str::trim) {
        if word.eq_ignore_ascii_case("respond-async") {
            wait = wait.or(Some(Duration::ZERO));
        } else if let Some(seconds) = word.strip_prefix("wait=") {
            wait = seconds.parse().ok().map(Duration::from_secs);
        }
    }
    wait
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_says_how_long_it_waits() {
        assert_eq!(wait(""), None);
        assert_eq!(wait("respond-async"), Some(Duration::ZERO));
        assert_eq!(wait("respond-async, wait=10"), Some(Duration::from_secs(10)));
        assert_eq!(wait("wait=x"), None);
    }
}
