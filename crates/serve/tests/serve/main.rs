//! The server over real sockets: agents, approvers, and those who would like to be one.

mod attacks;
mod auditing;
mod client;
mod console;
mod deciding;
mod exec;
mod fixture;
mod mcp;
mod mcp_attacks;
mod passkeys;
mod registry;
mod sandboxes;
mod transport;
