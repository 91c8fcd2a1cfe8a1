//! `cofferdam requests`: lists requests that wait and requests that were denied.

use cofferdam::permissions::{RecordedRequest, RequestStatus, shown_identity};
use cofferdam::visible;
use cofferdam_front::json;
use cofferdam_serve::board::Shown;

use crate::paint::Tone;
use crate::permissions::broker;
use crate::report::{self, Failure};
use crate::waiting::Waiting;

/// List requests that wait for an answer in a run of a server, oldest first, and requests that were
/// denied, latest first.
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
        let (store, broker) = broker()?;
        let waiting = Waiting::read(&store)?;
        for shown in waiting.all() {
            match self.json {
                true => report::json(&waiting_json(shown)),
                false => show_waiting(shown),
            }
        }
        let requests = broker.requests().map_err(Failure::from_broker)?;
        let wanted = |request: &&RecordedRequest| self.all || request.status == RequestStatus::Open;
        let requests: Vec<_> = requests.iter().filter(wanted).collect();
        if requests.is_empty() && waiting.all().is_empty() && !self.json {
            report::note("no requests");
        }
        let has_open = requests.iter().any(|request| request.status == RequestStatus::Open)
            || !waiting.all().is_empty();
        for request in requests {
            match self.json {
                true => report::json(&json::request(request)),
                false => show(request),
            }
        }
        if has_open && !self.json {
            report::labelled(Tone::Hint, "hint", "cofferdam grant ID…, or cofferdam deny ID…");
        }
        Ok(0)
    }
}

fn show_waiting(shown: &Shown) {
    let exact = shown.wishes.iter().filter_map(|wish| wish.choices.first());
    let capabilities: Vec<_> = exact.map(|choice| visible(&choice.capability)).collect();
    report::print(&format!("{}  {}", shown.id(), capabilities.join(" ")));
    let words: Vec<_> = shown.wishes.iter().map(|wish| wish.words.as_str()).collect();
    let who = shown.agent_name.as_deref().map_or(String::new(), |name| format!(" of {name}"));
    report::print(&format!(
        "    {}{} wants to {}; waiting for {} s",
        visible(&shown.tool),
        visible(&who),
        visible(&words.join(", and to ")),
        shown.age().as_secs()
    ));
    if let Some(why) = &shown.why {
        report::print(&format!("    in the agent's words: {}", visible(why)));
    }
}

fn waiting_json(shown: &Shown) -> serde_json::Value {
    let exact = shown.wishes.iter().filter_map(|wish| wish.choices.first());
    let capabilities: Vec<_> = exact.map(|choice| choice.capability.as_str()).collect();
    serde_json::json!({
        "id": shown.id(),
        "question": shown.question,
        "status": "waiting",
        "capability": capabilities.first(),
        "capabilities": capabilities,
        "tool": shown.tool,
        "sandbox": shown.sandbox,
        "run": shown.run,
        "agent": shown.agent_name,
        "why": shown.why,
        "waitingMs": shown.age().as_millis() as u64,
    })
}

fn show(request: &RecordedRequest) {
    let capability = request.capability.to_string();
    report::print(&format!("{}  {}", request.id, visible(&capability)));
    let times = match request.times {
        1 => String::new(),
        times => format!(", {times} times"),
    };
    let (tool, words) = (shown_identity(&request.tool), request.capability.describe());
    report::print(&format!(
        "    {tool} wants to {words}; {} at {}{times}",
        request.status, request.last
    ));
}
