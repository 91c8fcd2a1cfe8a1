//! `cofferdam grants`: lists grants.

use cofferdam::permissions::Grant;
use cofferdam::visible;
use serde_json::{Value as Json, json};

use crate::paint::Tone;
use crate::permissions::broker;
use crate::report::{self, Failure};

/// List the grants that have not ended.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam grants
  cofferdam grants --json | jq 'select(.span == \"always\")'")]
pub(crate) struct Grants {
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl Grants {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let (_store, broker) = broker()?;
        let grants = broker.grants().map_err(Failure::from_broker)?;
        match grants.is_empty() {
            _ if self.json => {}
            true => report::note("no grants"),
            false => {
                report::labelled(Tone::Hint, "hint", "cofferdam revoke ID   (revokes a grant)")
            }
        }
        for grant in grants {
            match self.json {
                true => report::json(&to_json(&grant)),
                false => report::print(&format!("{}", visible(&grant.to_string()))),
            }
        }
        Ok(0)
    }
}

/// Converts a grant to JSON, without the values of its headers.
pub(crate) fn to_json(grant: &Grant) -> Json {
    json!({
        "id": grant.id.as_str(),
        "capability": grant.capability.to_string(),
        "span": grant.span.name(),
        "tool": grant.holder.tool.as_deref(),
        "sandbox": grant.holder.sandbox.as_deref(),
        "by": &*grant.by,
        "at": grant.at.to_string(),
        "expires": grant.expires.map(|at| at.to_string()),
        "left": grant.uses,
        "headers": grant.headers.names().collect::<Vec<_>>(),
    })
}
