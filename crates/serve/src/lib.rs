//! The server: an HTTP API for agents and approvers, in one process on one port.
//!
//! An *agent* has a token. It runs things, sees its own runs, and never decides. An *approver* has a
//! cookie, obtained with a one-time code; no token, header or MCP tool stands in for it. The server
//! has no policy of its own: every question is the broker's, every decision goes to the broker, and
//! an approver sees the words of the broker's choices.
//!
//! In reading order:
//!
//! - [`settings`], [`assembled`]: options of the server
//! - [`server`]: the [`Server`], which everything below hangs on
//! - [`identity`], [`secret`]: agents and approvers; tokens, codes and cookies
//! - [`passkeys`]: signatures of authenticators for grave decisions
//! - [`guard`]: checks of every request before its route: Host, Origin, rates, request ids
//! - [`order`], [`runs`]: parameters that an agent may give; runs and their events
//! - [`board`]: questions of this process and of others, and their answers
//! - [`elsewhere`]: questions of other processes, answered from a terminal
//! - [`boxes`]: sandboxes of agents, their names and idle times
//! - [`own_address`]: addresses that no run may reach
//! - [`problem`]: errors as `application/problem+json`
//! - [`routes`]: a route and its description; [`api`]: all of them; MCP and the console add theirs there
//! - [`console`]: pages on which a person decides
//! - [`tools`]: the registry of tools
//! - [`mcp`]: the same over the Model Context Protocol
//! - [`metrics`]: numbers for Prometheus
//! - [`listen`], [`connections`]: sockets, TLS, connections, and the end of the process

pub mod api;
pub mod assembled;
pub mod board;
pub mod boxes;
pub mod connections;
pub mod console;
pub mod elsewhere;
pub mod guard;
pub mod identity;
pub mod listen;
pub mod mcp;
pub mod metrics;
pub mod order;
pub mod own_address;
pub mod passkeys;
pub mod problem;
pub mod routes;
pub mod runs;
pub mod secret;
pub mod server;
pub mod settings;
pub mod tools;

pub use server::Server;
pub use settings::Settings;
