//! Health, readiness and numbers, without a credential. They tell nothing about agents or runs but
//! counts.

use axum::extract::State;
use axum::http::{Method, StatusCode, header};
use axum::response::IntoResponse;

use crate::problem::Problem;
use crate::routes::{Content, Routes, Who, route};
use crate::server::Server;

const GET: Method = Method::GET;

pub(super) fn routes() -> Routes {
    let text = Content::Text;
    Routes::default()
        .add(
            route(GET, "/healthz", "Returns 200 while the process lives", Who::Anyone)
                .answer(200, text),
            || async { "ok\n" },
        )
        .add(
            route(GET, "/readyz", "Returns 200 if runs are taken", Who::Anyone).answer(200, text),
            ready,
        )
        .add(
            route(GET, "/metrics", "Returns numbers for Prometheus", Who::Anyone).answer(200, text),
            metrics,
        )
}

/// Returns 200 if the store can be read and the server takes runs.
async fn ready(State(server): State<Server>) -> Result<&'static str, Problem> {
    let unready =
        |detail: String| Problem::new(StatusCode::SERVICE_UNAVAILABLE, "not-ready", detail);
    if server.is_ending() {
        return Err(unready("the server ends".into()));
    }
    server.broker().refresh().map_err(|error| {
        tracing::error!(%error, "not ready");
        unready("the store cannot be read".into())
    })?;
    Ok("ready\n")
}

async fn metrics(State(server): State<Server>) -> impl IntoResponse {
    let questions = server.board().open().len();
    let text = server.metrics().text(server.runs().live(), questions, server.boxes().len());
    let media = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, media)], text)
}
