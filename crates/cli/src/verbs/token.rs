//! `cofferdam token`: makes, lists and revokes tokens of agents.

use cofferdam::permissions::Timestamp;
use cofferdam::visible;
use cofferdam_serve::secret;
use cofferdam_store::Agent;
use serde_json::json;

use crate::permissions::{parse, store};
use crate::report::{self, Failure};

/// Longest name of an agent.
const MAX_NAME: usize = 100;

/// Make, list and revoke tokens of agents.
///
/// An agent runs things with its token and sees its own runs. It never decides: no token can grant
/// anything. A token is shown once and stored as a hash.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam token create --name claude
  cofferdam token create --name ci --capabilities 'fs:read:/data/**'
  cofferdam token list
  cofferdam token revoke claude")]
pub(crate) struct Token {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Make a token and print it, once
    Create {
        /// Name that people see in questions
        #[arg(long)]
        name: String,

        /// Let the agent's sandboxes begin with this capability; may be repeated
        #[arg(long, value_name = "CAPABILITY", num_args = 1..)]
        capabilities: Vec<String>,

        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List agents
    List {
        /// Print one JSON object per line
        #[arg(long)]
        json: bool,
    },
    /// Revoke the token of an agent, with effect from its next request
    Revoke {
        /// Name or id of the agent
        #[arg(value_name = "NAME")]
        agent: String,
    },
}

impl Token {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        match self.action {
            Action::Create { name, capabilities, json } => create(&name, &capabilities, json),
            Action::List { json } => list(json),
            Action::Revoke { agent } => revoke(&agent),
        }
    }
}

fn create(name: &str, capabilities: &[String], as_json: bool) -> Result<u8, Failure> {
    if name.trim().is_empty() || name.len() > MAX_NAME {
        return Err(Failure::usage(format!("--name: not 1 to {MAX_NAME} characters")));
    }
    let parsed = capabilities.iter().map(|text| parse(text, "--capabilities"));
    let agent = Agent {
        id: secret::id("agt_"),
        name: name.to_owned(),
        capabilities: parsed.collect::<Result<_, _>>()?,
        at: Timestamp::now(),
        revoked: None,
    };
    let store = store()?;
    let taken = store.agents().map_err(Failure::from_broker)?;
    if taken.iter().any(|other| other.name == name && other.revoked.is_none()) {
        return Err(Failure::usage(format!("--name {}: is taken", visible(name)))
            .hint(format!("cofferdam token revoke {}", cofferdam::shell_word(name))));
    }
    let token = secret::token().map_err(Failure::usage)?;
    store.add_agent(&agent, &secret::hash(&token)).map_err(Failure::from_broker)?;
    match as_json {
        true => report::json(&json!({ "id": agent.id, "name": name, "token": token })),
        false => {
            report::note("this is shown once; it is stored as a hash");
            report::print(&token);
        }
    }
    Ok(0)
}

fn list(as_json: bool) -> Result<u8, Failure> {
    let agents = store()?.agents().map_err(Failure::from_broker)?;
    if agents.is_empty() && !as_json {
        report::note("no agents");
    }
    for agent in agents {
        let capabilities: Vec<_> = agent.capabilities.iter().map(ToString::to_string).collect();
        let revoked = agent.revoked.map(|at| at.to_string());
        match as_json {
            true => report::json(&json!({
                "id": agent.id, "name": agent.name, "capabilities": capabilities,
                "at": agent.at.to_string(), "revoked": revoked,
            })),
            false => {
                let state = revoked.map_or(String::new(), |at| format!(", revoked at {at}"));
                let (id, name) = (&agent.id, visible(&agent.name));
                report::print(&format!("{id}  {name}, since {}{state}", agent.at));
                capabilities.iter().for_each(|one| report::print(&format!("    {}", visible(one))));
            }
        }
    }
    Ok(0)
}

fn revoke(agent: &str) -> Result<u8, Failure> {
    match store()?.revoke_agent(agent, Timestamp::now()).map_err(Failure::from_broker)? {
        0 => Err(Failure::usage(format!("{}: no such agent", visible(agent)))
            .hint("cofferdam token list")),
        _ => Ok(0),
    }
}
