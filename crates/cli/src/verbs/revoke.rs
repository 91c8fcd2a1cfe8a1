//! `cofferdam revoke`: revokes grants.

use cofferdam::permissions::GrantId;
use cofferdam::visible;

use crate::permissions::{broker, who};
use crate::report::{self, Failure};

/// Revoke grants, from the next call on.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam revoke grt_6aq2m9x0zt
  cofferdam grants --json | jq -r .id | xargs cofferdam revoke")]
pub(crate) struct Revoke {
    /// Ids of grants, from `cofferdam grants`
    #[arg(required = true)]
    grants: Vec<String>,

    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl Revoke {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let (_store, broker) = broker()?;
        for text in &self.grants {
            let id: GrantId = text.parse().map_err(|error| {
                Failure::usage(format!("{}: {error}", visible(text)))
                    .hint("cofferdam grants   (lists grants)")
            })?;
            let grant = broker.revoke(&id, &who()).map_err(|error| {
                Failure::from_broker(error).hint("cofferdam grants   (lists grants)")
            })?;
            match self.json {
                true => report::json(&cofferdam_front::json::grant(&grant)),
                false => report::print(&format!("revoked {}", visible(&grant.to_string()))),
            }
        }
        Ok(0)
    }
}
