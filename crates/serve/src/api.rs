//! The routes of the HTTP API.
//!
//! A module has the routes of one thing and a function `routes` that lists them. Handlers parse and
//! format; the work is done by the [`Server`] and its parts, which MCP and the console use as well.

mod audit;
mod exec;
mod files;
mod grants;
mod health;
mod live;
mod login;
mod questions;
mod runs;
mod sandboxes;
mod tools;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRequest, Request};
use axum::http::{Method, header};
use axum::middleware::from_fn_with_state;
use axum::routing::get;
use serde_json::{Map, Value as Json};

use crate::guard::{Guard, Names, guard};
use crate::problem::Problem;
use crate::routes::Routes;
use crate::server::Server;

pub use login::{COOKIE_LIFE, sign_in, sign_out};

/// Returns all routes of a server that listens on `port`, or on a socket file.
pub fn router(server: &Server, port: Option<u16>) -> Router {
    router_with(server, port, |names| crate::mcp::routes(server, names))
}

/// Returns all routes, with others in place of `/mcp`.
pub fn router_with(
    server: &Server,
    port: Option<u16>,
    mcp: impl FnOnce(&Names) -> Router<Server>,
) -> Router {
    let names = Arc::new(Names::new(server, port));
    let (routes, document) = all().split();
    let document: Arc<str> = document.to_string().into();
    let openapi =
        move || async move { ([(header::CONTENT_TYPE, "application/json")], document.to_string()) };
    let routes = routes
        .route("/openapi.json", get(openapi))
        .merge(crate::console::routes())
        .merge(mcp(&names))
        .layer(DefaultBodyLimit::max(server.settings().body_bytes))
        .fallback(|| async { Problem::not_found("this path") });
    routes
        .layer(from_fn_with_state(Guard { server: server.clone(), names }, guard))
        .with_state(server.clone())
}

/// Returns the routes of the API.
fn all() -> Routes {
    Routes::default()
        .merge(health::routes())
        .merge(login::routes())
        .merge(exec::routes())
        .merge(runs::routes())
        .merge(questions::routes())
        .merge(grants::routes())
        .merge(audit::routes())
        .merge(live::routes())
        .merge(sandboxes::routes())
        .merge(files::routes())
        .merge(tools::routes())
}

/// A JSON body. No other content type is taken, because a form of another site can send some
/// without asking.
// T-SERVE-003.
pub struct Body(pub Json);

impl FromRequest<Server> for Body {
    type Rejection = Problem;

    async fn from_request(request: Request, server: &Server) -> Result<Self, Problem> {
        let declared = request.headers().get(header::CONTENT_TYPE).and_then(|v| v.to_str().ok());
        let media = declared.unwrap_or_default().split(';').next().unwrap_or_default().trim();
        let is_empty = declared.is_none()
            && request.headers().get(header::CONTENT_LENGTH).is_none_or(|len| len == "0")
            && !request.headers().contains_key(header::TRANSFER_ENCODING);
        if is_empty && request.method() != Method::PUT {
            return Ok(Body(Json::Object(Map::new())));
        }
        if !media.eq_ignore_ascii_case("application/json") {
            let status = axum::http::StatusCode::UNSUPPORTED_MEDIA_TYPE;
            let detail = "Content-Type: must be application/json";
            return Err(Problem::new(status, "bad-content-type", detail));
        }
        let bytes = bytes(request, server).await?;
        serde_json::from_slice(&bytes)
            .map(Body)
            .map_err(|error| Problem::request(format!("body: not JSON: {error}")))
    }
}

impl Body {
    /// Returns the members of the object that the body must be.
    pub fn object(self) -> Result<Map<String, Json>, Problem> {
        match self.0 {
            Json::Object(object) => Ok(object),
            _ => Err(Problem::params("body: not an object")),
        }
    }
}

/// Reads a body up to the limit of its route.
async fn bytes(request: Request, server: &Server) -> Result<axum::body::Bytes, Problem> {
    axum::body::Bytes::from_request(request, server).await.map_err(|rejected| {
        let (status, text) = (rejected.status(), rejected.body_text());
        Problem::new(status, "bad-body", format!("body: {text}"))
    })
}
