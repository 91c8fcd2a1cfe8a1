//! `cofferdam mcp`: MCP on standard input and output.

use std::io::IsTerminal;

use cofferdam_serve::assembled::Sources;
use cofferdam_serve::mcp::stdio;
use cofferdam_serve::server::Reached;
use cofferdam_serve::{Server, Settings};

use crate::permissions::store;
use crate::report::Failure;

/// Longest name of a client.
const MAX_NAME: usize = 64;

/// Speak MCP on standard input and output.
///
/// A client of MCP runs things and never decides. Its questions appear in the console of a running
/// `cofferdam serve` of the same user. Options of `cofferdam serve` that concern runs are read from
/// variables such as COFFERDAM_SERVE_MCP_WAIT_SECONDS.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  claude mcp add sandbox -- cofferdam mcp
  codex mcp add sandbox -- cofferdam mcp
  code --add-mcp '{\"name\":\"cofferdam\",\"command\":\"cofferdam\",\"args\":[\"mcp\"]}'")]
pub(crate) struct Mcp {
    /// Name of the client; clients with the same name share sandboxes and grants
    #[arg(long, value_name = "NAME", default_value = "local")]
    name: String,
}

impl Mcp {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let is_fit = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        let name = &self.name;
        if name.is_empty() || name.len() > MAX_NAME || !name.bytes().all(is_fit) {
            let text = format!("--name: not 1 to {MAX_NAME} letters, digits, dots and dashes");
            return Err(Failure::usage(text));
        }
        if std::io::stdin().is_terminal() {
            return Err(Failure::usage(
                "standard input is a terminal; a client of MCP starts this",
            )
            .hint("cofferdam mcp --help"));
        }
        super::serve::log(false);
        let failed = |text: String| Failure::usage(text);
        let executor = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let executor = executor.map_err(|error| failed(format!("threads: {error}")))?;
        executor.block_on(async {
            let server = Server::open(
                settings()?,
                store()?,
                Reached::default(),
                cofferdam_front::cache::path(),
            );
            let server = server.map_err(failed)?;
            let served = stdio::serve(&server, stdio::agent(name)).await;
            server.drain().await;
            served.map(|()| 0).map_err(failed)
        })
    }
}

fn settings() -> Result<Settings, Failure> {
    let variables = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    Sources::default().environment(variables).settings().map_err(Failure::usage)
}
