//! Runs by id: state, events, cancellation.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use cofferdam_front::fields::{COUNT, Field, Need, OBJECTS, TEXT, TEXTS};
use futures_util::stream;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use crate::identity::Caller;
use crate::problem::Problem;
use crate::routes::{Content, Routes, Who, route};
use crate::runs::{RunEvent, RunRecord};
use crate::server::Server;

/// Most runs in one answer.
const MAX_LISTED: usize = 1_000;

const LIST: &[Field] = &[("runs", OBJECTS, Need::Required)];
const RUN: &[Field] = &[
    ("run", TEXT, Need::Required),
    ("status", r#"{"enum":["running","waiting","ended","interrupted"]}"#, Need::Required),
    ("questions", TEXTS, Need::Optional),
    ("outcome", r##"{"$ref":"#/$defs/Outcome"}"##, Need::Optional),
];

pub(super) fn routes() -> Routes {
    Routes::default()
        .add(
            route(Method::GET, "/v1/runs", "Lists runs, latest first", Who::Both)
                .query(&[("limit", COUNT, Need::Optional)])
                .answer(200, Content::Object(LIST)),
            list,
        )
        .add(
            route(Method::GET, "/v1/runs/{id}", "Returns a run", Who::Both)
                .answer(200, Content::Object(RUN)),
            show,
        )
        .add(
            route(Method::DELETE, "/v1/runs/{id}", "Cancels a run", Who::Both)
                .answer(204, Content::Nothing),
            cancel,
        )
        .add(
            route(
                Method::GET,
                "/v1/runs/{id}/events",
                "Streams the events of a run, from the one after Last-Event-ID",
                Who::Both,
            )
            .answer(200, Content::Nothing)
            .events("stdout, stderr, asking, resumed, result"),
            events,
        )
}

#[derive(Deserialize)]
struct Page {
    limit: Option<usize>,
}

async fn list(
    State(server): State<Server>,
    caller: Caller,
    Query(page): Query<Page>,
) -> Answer<Json> {
    let most = page.limit.unwrap_or(100).min(MAX_LISTED);
    let runs = server.runs().all();
    let own = runs.iter().filter(|run| caller.sees(&run.about.agent)).take(most);
    let short = |run: &Arc<RunRecord>| {
        let mut json = run.to_json();
        if let Some(outcome) = json.as_object_mut().and_then(|run| run.remove("outcome")) {
            json["errorClass"] = outcome["errorClass"].clone();
        }
        json
    };
    Answer(json!({ "runs": own.map(short).collect::<Vec<_>>() }))
}

/// Returns a run that the caller may see. Others do not exist for it.
fn find(server: &Server, caller: &Caller, id: &str) -> Result<Arc<RunRecord>, Problem> {
    let run = server.runs().get(id).filter(|run| caller.sees(&run.about.agent));
    run.ok_or_else(|| Problem::not_found("run"))
}

async fn show(
    State(server): State<Server>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Answer<Json>, Problem> {
    if let Ok(run) = find(&server, &caller, &id) {
        return Ok(Answer(run.to_json()));
    }
    let kept = server.store().keyed_run(&id)?.filter(|run| caller.sees(&run.agent));
    let kept = kept.ok_or_else(|| Problem::not_found("run"))?;
    Ok(Answer(server.keyed_json(&kept)?))
}

async fn cancel(
    State(server): State<Server>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    find(&server, &caller, &id)?.cancel();
    Ok(StatusCode::NO_CONTENT)
}

/// Streams the events of a run, from the one after `Last-Event-ID`.
async fn events(
    State(server): State<Server>,
    caller: Caller,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let run = find(&server, &caller, &id)?;
    let last = match headers.get("last-event-id").map(|id| id.to_str().unwrap_or_default()) {
        None => 0,
        Some(id) => {
            id.parse().map_err(|_| Problem::request("Last-Event-ID: not the number of an event"))?
        }
    };
    Ok(follow(&server, run, last))
}

/// Returns a stream of the events of a run after number `last`, which ends with the outcome.
pub(super) fn follow(server: &Server, run: Arc<RunRecord>, last: u64) -> Response {
    let id = run.about.id.clone();
    let state = (run, last, Vec::new().into_iter());
    let events = stream::unfold(state, |(run, mut last, mut batch)| async move {
        loop {
            if let Some(event) = batch.next() {
                let event: RunEvent = event;
                last = event.id;
                let sent = Event::default()
                    .id(event.id.to_string())
                    .event(event.kind.name())
                    .data(event.data.to_string());
                return Some((Ok::<_, Infallible>(sent), (run, last, batch)));
            }
            let (next, is_over) = run.events_after(last);
            if next.is_empty() && is_over {
                return None;
            }
            if next.is_empty() {
                run.event_after(last).await;
            }
            batch = next.into_iter();
        }
    });
    let alive = KeepAlive::new().interval(server.settings().heartbeat());
    let mut response = Sse::new(events).keep_alive(alive).into_response();
    if let Ok(location) = format!("/v1/runs/{id}").parse() {
        response.headers_mut().insert(axum::http::header::LOCATION, location);
    }
    response
}
