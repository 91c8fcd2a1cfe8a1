//! The Model Context Protocol, over HTTP (`/mcp`) and on standard input and output.
//!
//! A client of MCP is an agent: it runs things and never decides. No tool grants anything, and an
//! answer of a client counts as "the person has seen the link", never as a yes. The one exception
//! is an option of the operator, in `forms`.
//!
//! In reading order:
//!
//! - [`Mcp`]: the handler of all requests, and the route
//! - `catalog`: names, descriptions and schemas of the tools
//! - `run`, `files`, `sandbox`, `requests`: the tools
//! - `registry`, `changes`: registered tools, and notifications of changes
//! - `follow`: a call follows its run: progress, cancellation, questions
//! - `asking`: questions as links for the client; `forms`: as forms, if the operator allows them
//! - `state`: states of calls that wait for a person
//! - `report`: the outcome of a run as the result of a call
//! - `resources`: typed API of tools, long output, files of sandboxes
//! - `owners`: sessions of HTTP belong to the agent that began them
//! - [`stdio`]: one client on standard input and output

mod asking;
mod catalog;
mod changes;
mod files;
mod follow;
mod forms;
mod owners;
mod registry;
mod report;
mod requests;
mod resources;
mod run;
mod sandbox;
mod state;
pub mod stdio;

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::from_fn_with_state;
use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    Implementation, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SubscriptionFilter, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::Value as Json;

use crate::guard::Names;
use crate::identity::Agent;
use crate::problem::Problem;
use crate::server::Server;

/// Text that a client may show to its model.
const INSTRUCTIONS: &str = "Runs JavaScript, TypeScript, Python, bash and WASI programs in a \
    sandbox that begins without any permission. A run that needs a permission waits until a person decides in \
    the console; no tool can decide. Say what you need with `wants` and why with `why`. After a \
    result with status `waiting`, tell the person the link and continue the same run with \
    `run {resume}`. The resource cofferdam://api/tool.d.ts describes the API of scripts.";

/// Freshness of lists, and who may keep them: every agent has its own.
const OWN: (Option<u64>, Option<CacheScope>) = (Some(0), Some(CacheScope::Private));

/// Interval at which a client that hears of changes is looked after.
const GONE_AFTER: Duration = Duration::from_secs(30);

/// The handler of MCP requests. Clones share everything.
#[derive(Clone)]
pub struct Mcp {
    server: Server,
    /// The agent of a client without a token, on standard input.
    local: Option<Agent>,
    states: Arc<state::States>,
    changes: Arc<changes::Changes>,
}

/// One request: the agent that makes it and the connection that it came on.
pub(crate) struct Call<'a> {
    mcp: &'a Mcp,
    agent: Agent,
    context: &'a RequestContext<RoleServer>,
}

impl Mcp {
    /// Creates a handler for clients with tokens.
    pub fn new(server: &Server) -> Self {
        let life = Duration::from_secs(server.settings().mcp_state_seconds);
        Mcp {
            server: server.clone(),
            local: None,
            states: Arc::new(state::States::new(life)),
            changes: changes::Changes::new(server.store()),
        }
    }

    /// Returns the handler for one client that has no token.
    fn with_local(mut self, agent: Agent) -> Self {
        self.local = Some(agent);
        self
    }

    fn call<'a>(&'a self, context: &'a RequestContext<RoleServer>) -> Result<Call<'a>, ErrorData> {
        let of_request = || {
            let parts = context.extensions.get::<axum::http::request::Parts>()?;
            parts.extensions.get::<Agent>().cloned()
        };
        match self.local.clone().or_else(of_request) {
            Some(agent) => Ok(Call { mcp: self, agent, context }),
            None => Err(ErrorData::invalid_request("no agent", None)),
        }
    }
}

impl Call<'_> {
    fn server(&self) -> &Server {
        &self.mcp.server
    }

    /// Returns the name and version of the client, by its own words.
    fn client(&self) -> Option<String> {
        let info = self.context.client_info()?;
        let text = format!("{} {}", info.name, info.version);
        Some(text.trim().chars().take(200).collect())
    }

    async fn tool(&self, params: CallToolRequestParams) -> Result<CallToolResponse, ErrorData> {
        match &*params.name {
            "run" => self.run(params).await,
            "files" => Ok(shown(self.files(arguments(params)).await)),
            "sandbox" => Ok(shown(self.sandbox(arguments(params)).await)),
            "requests" => Ok(shown(self.requests(arguments(params)).await)),
            "tools" => Ok(shown(self.tools(arguments(params)).await)),
            _ => self.call_registered(params).await,
        }
    }
}

/// Returns the arguments of a call.
fn arguments(params: CallToolRequestParams) -> serde_json::Map<String, Json> {
    params.arguments.unwrap_or_default()
}

/// Converts the result of a tool that does not run anything. Problems are for the model to read.
fn shown(result: Result<Json, Problem>) -> CallToolResponse {
    match result {
        Ok(value) => CallToolResult::structured(value).into(),
        Err(problem) => failed(&problem).into(),
    }
}

/// Returns a problem as the result of a call.
fn failed(problem: &Problem) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(problem.detail())])
}

impl ServerHandler for Mcp {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .build();
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("cofferdam", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let (ttl_ms, cache_scope) = OWN;
        let mut tools = catalog::tools(self.server.settings());
        tools.extend(self.call(&context)?.registered().await?);
        Ok(ListToolsResult { tools, ttl_ms, cache_scope, ..ListToolsResult::default() })
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        catalog::tools(self.server.settings()).into_iter().find(|tool| tool.name == name)
    }

    async fn call_tool(
        &self,
        params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.call(&context)?.tool(params).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let (mut changes, peer) = (self.changes.listen(), context.peer);
        tokio::spawn(async move {
            while !peer.is_transport_closed() {
                // The time limit is for a client that has gone.
                let changed = tokio::time::timeout(GONE_AFTER, changes.changed()).await;
                let is_heard = match changed {
                    Ok(Ok(())) => peer.notify_tool_list_changed().await.is_ok(),
                    Ok(Err(_)) => false,
                    Err(_) => true,
                };
                if !is_heard {
                    return;
                }
            }
        });
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let wants_tools = requested.tools_list_changed == Some(true);
        let tools = SubscriptionFilter::builder().tools_list_changed().build();
        Some(if wants_tools { tools } else { SubscriptionFilter::new() })
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut changes = self.changes.listen();
        loop {
            let told = tokio::select! {
                () = context.cancelled() => return Ok(()),
                () = self.server.ending() => return Ok(()),
                changed = changes.changed() => match changed {
                    Ok(()) => context.sink().notify_tool_list_changed().await,
                    Err(_) => return Ok(()),
                },
            };
            if told.is_err() && context.accepted().tools_list_changed == Some(true) {
                return Ok(());
            }
        }
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let resources = self.call(&context)?.resources().await.map_err(internal)?;
        let (ttl_ms, cache_scope) = OWN;
        Ok(ListResourcesResult { resources, ttl_ms, cache_scope, ..ListResourcesResult::default() })
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.call(&context)?;
        let resource_templates = resources::templates();
        Ok(ListResourceTemplatesResult { resource_templates, ..Default::default() })
    }

    async fn read_resource(
        &self,
        params: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.call(&context)?.read(&params.uri).await
    }
}

/// Converts a problem to an error of the protocol.
fn internal(problem: Problem) -> ErrorData {
    ErrorData::internal_error(problem.detail().to_owned(), None)
}

/// Returns the route `/mcp` with a handler for clients with tokens.
pub fn routes(server: &Server, names: &Names) -> Router<Server> {
    let mcp = Mcp::new(server);
    routes_with(server, names, move || mcp.clone())
}

/// Returns the route `/mcp` with handlers that `make` returns.
pub fn routes_with<H: ServerHandler>(
    server: &Server,
    names: &Names,
    make: impl Fn() -> H + Send + Sync + 'static,
) -> Router<Server> {
    // By default a request with a foreign Origin is let through. T-SERVE-003.
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(names.hosts())
        .with_allowed_origins(names.origins())
        .enforce_origin_validation()
        .with_json_response(true)
        .with_max_request_body_bytes(server.settings().body_bytes);
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(make()), sessions.clone(), config);
    let owners = owners::Owners::new(server, sessions);
    Router::new()
        .route_service("/mcp", service)
        .layer(from_fn_with_state(Arc::new(owners), owners::check))
}
