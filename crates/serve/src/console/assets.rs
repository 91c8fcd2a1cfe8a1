//! Style, script and icon of the console, embedded in the program.

use axum::Router;
use axum::http::header;
use axum::response::IntoResponse;
use axum::routing::get;

use crate::server::Server;

const STYLE: &str = include_str!("../../assets/console.css");
const SCRIPT: &str = include_str!("../../assets/console.js");
const PASSKEYS: &str = include_str!("../../assets/passkeys.js");
const ICON: &str = include_str!("../../assets/icon.svg");

pub(super) fn routes() -> Router<Server> {
    Router::new()
        .route("/assets/console.css", get(|| asset("text/css; charset=utf-8", STYLE)))
        .route("/assets/console.js", get(|| asset("text/javascript; charset=utf-8", SCRIPT)))
        .route("/assets/passkeys.js", get(|| asset("text/javascript; charset=utf-8", PASSKEYS)))
        .route("/assets/icon.svg", get(|| asset("image/svg+xml", ICON)))
}

async fn asset(media: &'static str, text: &'static str) -> impl IntoResponse {
    ([(header::CONTENT_TYPE, media)], text)
}
