//! Clients of `/mcp` have a token, and a session belongs to the agent that began it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::{Request, State};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;

use crate::problem::Problem;
use crate::server::Server;

/// Header that names a session.
const SESSION: &str = "mcp-session-id";

/// Most sessions at once.
const MAX_SESSIONS: usize = 10_000;

/// The agents of sessions.
pub(super) struct Owners {
    server: Server,
    sessions: Arc<LocalSessionManager>,
    agents: Mutex<HashMap<String, Arc<str>>>,
}

impl Owners {
    pub(super) fn new(server: &Server, sessions: Arc<LocalSessionManager>) -> Self {
        Owners { server: server.clone(), sessions, agents: Mutex::default() }
    }

    fn agents(&self) -> MutexGuard<'_, HashMap<String, Arc<str>>> {
        self.agents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Forgets sessions that have ended. Returns true if there is room for another.
    async fn has_room(&self) -> bool {
        if self.agents().len() < MAX_SESSIONS {
            return true;
        }
        let live = self.sessions.sessions.read().await;
        let mut agents = self.agents();
        agents.retain(|id, _| live.contains_key(id.as_str()));
        agents.len() < MAX_SESSIONS
    }
}

fn session(headers: &HeaderMap) -> Option<&str> {
    headers.get(SESSION)?.to_str().ok()
}

/// Refuses requests without a token, and requests for a session of another agent.
// T-SERVE-001; T-MCP-001: a session of another agent.
pub(super) async fn check(
    State(owners): State<Arc<Owners>>,
    mut request: Request,
    next: Next,
) -> Response {
    let agent = match owners.server.agent_of(request.headers()) {
        Ok(agent) => agent,
        Err(problem) => return problem.into_response(),
    };
    let named = session(request.headers()).map(str::to_owned);
    let is_foreign = |id: &String| owners.agents().get(id).is_some_and(|owner| *owner != agent.id);
    if named.as_ref().is_some_and(is_foreign) {
        return Problem::not_found("session").into_response();
    }
    if named.is_none() && !owners.has_room().await {
        return Problem::busy("too many sessions", 60).into_response();
    }
    let id = agent.id.clone();
    request.extensions_mut().insert(agent);
    let response = next.run(request).await;
    if let Some(made) = session(response.headers()).filter(|made| named.as_deref() != Some(*made)) {
        owners.agents().insert(made.to_owned(), id);
    }
    response
}
