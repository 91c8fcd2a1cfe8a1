//! `cofferdam grants`: lists grants.

use cofferdam::visible;
use cofferdam_front::json;

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
                true => report::json(&json::grant(&grant)),
                false => report::print(&format!("{}", visible(&grant.to_string()))),
            }
        }
        Ok(0)
    }
}
