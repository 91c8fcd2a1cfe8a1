//! `cofferdam deny`: denies requests.

use cofferdam::permissions::RequestId;
use cofferdam::visible;

use crate::permissions::{broker, who};
use crate::report::{self, Failure};
use crate::waiting::{Answer, Waiting};

/// Deny requests that wait or were denied. Nobody is asked about them again until something is
/// granted.
///
/// A run of a server that waits for the request goes on without it, and receives the reason.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam deny req_6aq2m9x0zt
  cofferdam deny req_6aq2m9x0zt --reason 'use the copy in /data instead'
  cofferdam requests --json | jq -r .id | xargs cofferdam deny")]
pub(crate) struct Deny {
    /// Ids of requests, from `cofferdam requests`
    #[arg(required = true)]
    requests: Vec<String>,

    /// Reason for the agent whose run waits
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,

    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl Deny {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let (store, broker) = broker()?;
        let waiting = Waiting::read(&store)?;
        for text in &self.requests {
            if let Some(shown) = waiting.find(text)? {
                let answer = Answer::deny(shown, self.reason.clone());
                answer.give(&store)?;
                match self.json {
                    true => report::json(&answer.json()),
                    false => report::print(&answer.text()),
                }
                continue;
            }
            if self.reason.is_some() {
                let message =
                    format!("--reason: {} does not wait, so nobody receives it", visible(text));
                return Err(
                    Failure::usage(message).hint(format!("cofferdam deny {}", visible(text)))
                );
            }
            let id: RequestId = text.parse().map_err(|error| {
                Failure::usage(format!("{}: {error}", visible(text)))
                    .hint("cofferdam requests   (lists requests)")
            })?;
            let request = broker.deny_request(&id, &who()).map_err(|error| {
                Failure::from_broker(error).hint("cofferdam requests   (lists requests)")
            })?;
            let capability = request.capability.to_string();
            match self.json {
                true => report::json(&cofferdam_front::json::request(&request)),
                false => report::print(&format!("denied {} {}", request.id, visible(&capability))),
            }
        }
        Ok(0)
    }
}
