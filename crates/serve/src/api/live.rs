//! `GET /v1/events`: changes that an approver's page shows as they happen.

use std::convert::Infallible;

use axum::extract::State;
use axum::http::Method;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde_json::json;
use tokio::sync::broadcast::error::RecvError;

use crate::board::Live;
use crate::identity::Approver;
use crate::routes::{Content, Routes, Who, route};
use crate::server::Server;

pub(super) fn routes() -> Routes {
    Routes::default().add(
        route(Method::GET, "/v1/events", "Streams changes as they happen", Who::Approver)
            .answer(200, Content::Nothing)
            .events("asked, closed, run, again"),
        events,
    )
}

/// Streams `asked`, `closed` and `run` events; `again` tells a slow listener to read everything
/// again. Begins with the questions that wait.
async fn events(State(server): State<Server>, _: Approver) -> Response {
    let live = server.board().listen();
    let open: Vec<_> = server.board().open().into_iter().map(Live::Asked).collect();
    let alive = KeepAlive::new().interval(server.settings().heartbeat());
    let state = (server, live, open.into_iter());
    let events = stream::unfold(state, |(server, mut live, mut open)| async move {
        if let Some(asked) = open.next() {
            return Some((Ok::<_, Infallible>(sent(&asked)), (server, live, open)));
        }
        let event = tokio::select! {
            event = live.recv() => event,
            () = server.ending() => return None,
        };
        let event = match event {
            Ok(event) => sent(&event),
            Err(RecvError::Lagged(_)) => Event::default().event("again").data("{}"),
            Err(RecvError::Closed) => return None,
        };
        Some((Ok(event), (server, live, open)))
    });
    Sse::new(events).keep_alive(alive).into_response()
}

fn sent(live: &Live) -> Event {
    let (name, data) = match live {
        Live::Asked(shown) => ("asked", json!(**shown)),
        Live::Closed(id) => ("closed", json!({ "question": &**id })),
        Live::Run(id) => ("run", json!({ "run": &**id })),
    };
    Event::default().event(name).data(data.to_string())
}
