//! MCP for one client, on standard input and output.

use rmcp::ServiceExt;
use rmcp::transport::io::stdio_pipes;

use super::Mcp;
use crate::identity::Agent;
use crate::server::Server;

/// Returns the agent of a client on standard input. Clients with the same name share sandboxes,
/// tools and grants for the session.
pub fn agent(name: &str) -> Agent {
    Agent {
        id: format!("agt_stdio_{name}").into(),
        name: name.into(),
        capabilities: std::iter::empty().collect(),
    }
}

/// Serves one client until it closes standard input.
pub async fn serve(server: &Server, agent: Agent) -> Result<(), String> {
    let mcp = Mcp::new(server).with_local(agent);
    let running = mcp.serve(stdio_pipes()).await.map_err(|error| error.to_string())?;
    running.waiting().await.map(drop).map_err(|error| error.to_string())
}
