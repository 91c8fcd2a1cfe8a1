//! The audit log, for approvers: filtered, in pages, or as a stream.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{Query, State};
use axum::http::{HeaderMap, Method, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use cofferdam_front::fields::{COUNT, Field, Need, OBJECTS, TEXT};
use cofferdam_front::json;
use cofferdam_store::Filter;
use futures_util::stream;
use serde::Deserialize;
use serde_json::json;

use crate::identity::Approver;
use crate::problem::Problem;
use crate::routes::{Content, Routes, Who, route};
use crate::server::{Server, blocking};

/// Most lines in one answer.
const MAX_LINES: u32 = 1_000;

/// Interval at which a stream looks for new lines.
const EVERY: Duration = Duration::from_millis(250);

const QUERY: &[Field] = &[
    ("after", COUNT, Need::Optional),
    ("before", COUNT, Need::Optional),
    ("sandbox", TEXT, Need::Optional),
    ("run", TEXT, Need::Optional),
    ("event", TEXT, Need::Optional),
    ("verdict", TEXT, Need::Optional),
    ("id", TEXT, Need::Optional),
    ("text", TEXT, Need::Optional),
    ("limit", COUNT, Need::Optional),
];

pub(super) fn routes() -> Routes {
    Routes::default().add(
        route(Method::GET, "/v1/audit", "Returns lines of the audit log", Who::Approver)
            .query(QUERY)
            .answer(200, Content::Object(&[("lines", OBJECTS, Need::Required)]))
            .events("line"),
        audit,
    )
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// Only lines after this number.
    after: Option<i64>,
    /// Only lines before this number.
    before: Option<i64>,
    sandbox: Option<String>,
    run: Option<String>,
    event: Option<String>,
    verdict: Option<String>,
    id: Option<String>,
    /// Only lines with this text.
    text: Option<String>,
    limit: Option<u32>,
}

impl Wanted {
    fn filter(&self) -> Result<Filter, Problem> {
        let event = self.event.as_deref().map(str::parse).transpose();
        let ruling = self.verdict.as_deref().map(str::parse).transpose();
        Ok(Filter {
            after: self.after,
            before: self.before,
            sandbox: self.sandbox.clone(),
            run: self.run.clone(),
            event: event.map_err(|e| Problem::params(format!("event: {e}")))?,
            ruling: ruling.map_err(|e| Problem::params(format!("verdict: {e}")))?,
            id: self.id.clone(),
            text: self.text.clone(),
            last: Some(self.limit.unwrap_or(100).min(MAX_LINES)),
            ..Filter::default()
        })
    }
}

/// Returns the latest lines, oldest first, each with its number. `before` is the page before, and
/// `Accept: text/event-stream` follows the log.
async fn audit(
    State(server): State<Server>,
    _: Approver,
    headers: HeaderMap,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Problem> {
    let mut filter = wanted.filter()?;
    let word = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    if word(header::ACCEPT.as_str()).is_some_and(|accept| accept.contains("text/event-stream")) {
        if let Some(last) = word("last-event-id") {
            let bad = |_| Problem::request("Last-Event-ID: not the number of a line");
            filter.after = Some(last.parse().map_err(bad)?);
        }
        return Ok(follow(&server, filter));
    }
    let lines = blocking(move || {
        // Lines are written a moment after what they tell of.
        server.broker().flush()?;
        server.store().lines(&filter)
    });
    let lines = lines.await??;
    let line = |(number, line): &(i64, _)| {
        let mut object = json::line(line);
        object["number"] = (*number).into();
        object
    };
    let lines: Vec<_> = lines.iter().map(line).collect();
    Ok(axum::Json(json!({ "lines": lines })).into_response())
}

fn follow(server: &Server, filter: Filter) -> Response {
    let state = (server.clone(), filter, Vec::new().into_iter());
    let events = stream::unfold(state, |(server, mut filter, mut batch)| async move {
        loop {
            if let Some((number, line)) = batch.next() {
                filter.after = Some(number);
                let event = Event::default().id(number.to_string()).event("line");
                let sent = event.data(json::line(&line).to_string());
                return Some((Ok::<_, Infallible>(sent), (server, filter, batch)));
            }
            let (store, wanted) = (server.store().clone(), filter.clone());
            let Ok(Ok(lines)) = blocking(move || store.lines(&wanted)).await else { return None };
            if lines.is_empty() {
                tokio::select! {
                    () = tokio::time::sleep(EVERY) => {}
                    () = server.ending() => return None,
                }
            }
            batch = lines.into_iter();
        }
    });
    let alive = KeepAlive::new().interval(server.settings().heartbeat());
    Sse::new(events).keep_alive(alive).into_response()
}
