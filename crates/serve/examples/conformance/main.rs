//! A server for the official conformance suite of MCP: the routes, checks and transports of
//! Cofferdam, with a handler that has the tools, prompts and resources which the suite calls.
//!
//! `conformance PORT` listens on loopback until it is killed. The suite sends no token, so every
//! request is given one before it reaches the routes.

mod asking;
mod content;
mod handler;

use axum::http::{HeaderValue, header};
use axum::middleware::{Next, from_fn};
use cofferdam::permissions::Timestamp;
use cofferdam_serve::server::Reached;
use cofferdam_serve::{Server, Settings, api, mcp, secret};
use cofferdam_store::{Agent, Store};

#[tokio::main]
async fn main() -> Result<(), String> {
    let port = std::env::args().nth(1).and_then(|port| port.parse::<u16>().ok()).unwrap_or(0);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port));
    let listener = listener.await.map_err(|error| error.to_string())?;
    let address = listener.local_addr().map_err(|error| error.to_string())?;
    let store = Store::in_memory().map_err(|error| error.to_string())?;
    let token = secret::token()?;
    let agent = Agent {
        id: "agt_suite".into(),
        name: "suite".into(),
        capabilities: Vec::new(),
        at: Timestamp::now(),
        revoked: None,
    };
    store.add_agent(&agent, &secret::hash(&token)).map_err(|error| error.to_string())?;
    let reached = Reached { url: Some(format!("http://{address}")), addresses: vec![address] };
    let server = Server::open(Settings::default(), store, reached, None)?;
    let shared = handler::Suite::default();
    let routes = api::router_with(&server, Some(address.port()), |names| {
        mcp::routes_with(&server, names, move || shared.clone())
    });
    let bearer = HeaderValue::from_str(&format!("Bearer {token}")).map_err(|e| e.to_string())?;
    let routes = routes.layer(from_fn(move |mut request: axum::extract::Request, next: Next| {
        request.headers_mut().insert(header::AUTHORIZATION, bearer.clone());
        next.run(request)
    }));
    println!("http://{address}/mcp");
    axum::serve(listener, routes).await.map_err(|error| error.to_string())
}
