//! `cofferdam requests`: lists denied requests.

use cofferdam::permissions::{Petition, Standing};
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
        let petitions = broker.petitions().map_err(Failure::from_broker)?;
        let wanted = |petition: &&Petition| self.all || petition.standing == Standing::Open;
        let petitions: Vec<_> = petitions.iter().filter(wanted).collect();
        if petitions.is_empty() && !self.json {
            report::note("no requests");
        }
        let has_open = petitions.iter().any(|petition| petition.standing == Standing::Open);
        for petition in petitions {
            match self.json {
                true => report::json(&to_json(petition)),
                false => show(petition),
            }
        }
        if has_open && !self.json {
            report::labelled(Tone::Hint, "hint", "cofferdam grant ID, or cofferdam deny ID");
        }
        Ok(0)
    }
}

fn show(petition: &Petition) {
    let capability = petition.capability.to_string();
    report::print(&format!("{}  {}", petition.id, visible(&capability)));
    let times = match petition.times {
        1 => String::new(),
        times => format!(", {times} times"),
    };
    let (tool, words) = (visible(&petition.tool), petition.capability.describe());
    report::print(&format!(
        "    {tool} wants to {words}; {} at {}{times}",
        petition.standing, petition.last
    ));
}

/// Converts a request to JSON.
pub(crate) fn to_json(petition: &Petition) -> serde_json::Value {
    json!({
        "id": petition.id.as_str(),
        "capability": petition.capability.to_string(),
        "action": petition.capability.describe(),
        "tool": &*petition.tool,
        "sandbox": &*petition.sandbox,
        "first": petition.first.to_string(),
        "last": petition.last.to_string(),
        "times": petition.times,
        "standing": petition.standing.name(),
    })
}
