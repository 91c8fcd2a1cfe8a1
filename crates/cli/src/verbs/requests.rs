//! `cofferdam requests`: lists denied requests.

use cofferdam::permissions::{RecordedRequest, RequestStatus};
use cofferdam::visible;
use serde_json::json;

use crate::paint::Tone;
use crate::permissions::broker;
use crate::report::{self, Failure};

/// List requests that were denied, latest first.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam requests
  cofferdam requests --all --json | jq -r .capability")]
pub(crate) struct Requests {
    /// Include requests that have been granted or denied since
    #[arg(long)]
    all: bool,

    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl Requests {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let (_store, broker) = broker()?;
        let requests = broker.requests().map_err(Failure::from_broker)?;
        let wanted = |request: &&RecordedRequest| self.all || request.status == RequestStatus::Open;
        let requests: Vec<_> = requests.iter().filter(wanted).collect();
        if requests.is_empty() && !self.json {
            report::note("no requests");
        }
        let has_open = requests.iter().any(|request| request.status == RequestStatus::Open);
        for request in requests {
            match self.json {
                true => report::json(&to_json(request)),
                false => show(request),
            }
        }
        if has_open && !self.json {
            report::labelled(Tone::Hint, "hint", "cofferdam grant ID, or cofferdam deny ID");
        }
        Ok(0)
    }
}

fn show(request: &RecordedRequest) {
    let capability = request.capability.to_string();
    report::print(&format!("{}  {}", request.id, visible(&capability)));
    let times = match request.times {
        1 => String::new(),
        times => format!(", {times} times"),
    };
    let (tool, words) = (visible(&request.tool), request.capability.describe());
    report::print(&format!(
        "    {tool} wants to {words}; {} at {}{times}",
        request.status, request.last
    ));
}

/// Converts a request to JSON.
pub(crate) fn to_json(request: &RecordedRequest) -> serde_json::Value {
    json!({
        "id": request.id.as_str(),
        "capability": request.capability.to_string(),
        "action": request.capability.describe(),
        "tool": &*request.tool,
        "sandbox": &*request.sandbox,
        "first": request.first.to_string(),
        "last": request.last.to_string(),
        "times": request.times,
        "status": request.status.name(),
    })
}
