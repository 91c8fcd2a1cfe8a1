//! `cofferdam deny`: denies requests.

use cofferdam::permissions::RequestId;
use cofferdam::visible;

use crate::permissions::{broker, who};
use crate::report::{self, Failure};

/// Deny requests. Nobody is asked about them again until something is granted.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam deny req_6aq2m9x0zt
  cofferdam requests --json | jq -r .id | xargs cofferdam deny")]
pub(crate) struct Deny {
    /// Ids of requests, from `cofferdam requests`
    #[arg(required = true)]
    requests: Vec<String>,

    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl Deny {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let (_store, broker) = broker()?;
        for text in &self.requests {
            let id: RequestId = text.parse().map_err(|error| {
                Failure::usage(format!("{}: {error}", visible(text)))
                    .hint("cofferdam requests   (lists requests)")
            })?;
            let request = broker.deny_request(&id, &who()).map_err(|error| {
                Failure::from_broker(error).hint("cofferdam requests   (lists requests)")
            })?;
            let capability = request.capability.to_string();
            match self.json {
                true => report::json(&super::requests::to_json(&request)),
                false => report::print(&format!("denied {} {}", request.id, visible(&capability))),
            }
        }
        Ok(0)
    }
}
