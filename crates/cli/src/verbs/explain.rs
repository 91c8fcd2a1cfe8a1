//! `cofferdam explain`: finds denials in a text, compares them with the recorded requests, and tells
//! how to grant them.

use std::io::Read;

use cofferdam::permissions::{Broker, RecordedRequest, RequestId, Risk, shown_identity};
use cofferdam::{Capability, PermissionError, visible};

use crate::permissions;
use crate::place::{self, plain};
use crate::report::{self, Failure};

/// Longest text that is read.
const MAX_TEXT: u64 = 64 << 20;

/// Find denials in a text, such as the output of a run, and tell how to grant them.
///
/// A tool can print whatever it likes. So what is shown is the recorded request of each id, and a
/// text that says something else about it is called forged.
///
/// Exit codes: 0 denials found, 1 none found or one of them is forged, 2 wrong call.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam run tool.js 2>&1 | cofferdam explain
  cofferdam explain log.txt
  cofferdam explain 'network:fetch:GET@https://example.com'")]
pub(crate) struct Explain {
    /// A file, the id of a request, a capability, or `-` for standard input
    #[arg(default_value = "-")]
    what: String,

    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

impl Explain {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        if let Ok(capability) = self.what.parse::<Capability>() {
            match self.json {
                true => report::json(&to_json(&capability)),
                false => describe(&capability),
            }
            return Ok(0);
        }
        if let Ok(id) = self.what.parse::<RequestId>() {
            return self.recorded(&id);
        }
        let text = self.text()?;
        let found = PermissionError::find_in(&text);
        if found.is_empty() {
            report::note("no denial found in this text");
            return Ok(1);
        }
        let ledger = Recorded::open();
        let mut is_forged = false;
        for error in found {
            let standing = ledger.standing(&error);
            is_forged |= matches!(standing, Standing::Forged(_));
            match self.json {
                true => report::json(&denial_json(&error, &standing)),
                false => explain(&error, &standing),
            }
        }
        if is_forged {
            return Ok(1);
        }
        Ok(0)
    }

    /// Shows the recorded request of an id.
    fn recorded(&self, id: &RequestId) -> Result<u8, Failure> {
        let (_store, broker) = permissions::broker()?;
        let Some(request) = broker.recorded(id).map_err(Failure::from_broker)? else {
            return Err(Failure::usage(format!("{id}: no request has this id"))
                .hint("cofferdam requests   (lists what was denied)"));
        };
        match self.json {
            true => report::json(&cofferdam_front::json::request(&request)),
            false => show(&request),
        }
        Ok(0)
    }

    fn text(&self) -> Result<String, Failure> {
        let mut bytes = Vec::new();
        let read = match self.what.as_str() {
            "-" => place::stdin().take(MAX_TEXT).read_to_end(&mut bytes),
            path => std::fs::File::open(path)
                .and_then(|file| file.take(MAX_TEXT).read_to_end(&mut bytes)),
        };
        read.map_err(|error| self.neither(&error))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Explains an argument that is neither a readable file nor a capability.
    fn neither(&self, error: &std::io::Error) -> Failure {
        let looks_like_one = self.what.contains(':') && !self.what.starts_with(['/', '.']);
        match permissions::parse(&self.what, "cofferdam explain") {
            Err(failure) if looks_like_one => failure,
            _ if self.what.starts_with("req_") => {
                Failure::usage(format!("{}: not the id of a request", visible(&self.what)))
                    .hint("cofferdam requests   (lists what was denied)")
            }
            Ok(_) | Err(_) => Failure::usage(format!("{}: {}", visible(&self.what), plain(error)))
                .hint("cofferdam explain FILE, a capability, or - for standard input"),
        }
    }
}

fn to_json(capability: &Capability) -> serde_json::Value {
    let risk = Risk::of(capability);
    serde_json::json!({
        "capability": capability.to_string(),
        "action": capability.describe(),
        "risk": risk.level.to_string(),
        "reason": risk.reason,
    })
}

/// The recorded requests, with which denials in a text are compared. `None` if there is no store.
struct Recorded(Option<Broker>);

/// Relation of a denial in a text to the recorded requests.
// T-PERM-014: a denial with the id of another request.
enum Standing {
    /// The request is recorded as the text says.
    Recorded(RecordedRequest),
    /// The request of this id is another one: whoever printed the text made it up.
    Forged(RecordedRequest),
    /// No request of this id is recorded, so nothing vouches for the text.
    Unknown,
}

impl Recorded {
    fn open() -> Self {
        Recorded(permissions::broker().ok().map(|(_, broker)| broker))
    }

    fn standing(&self, error: &PermissionError) -> Standing {
        let id = error.request_id().parse::<RequestId>().ok();
        let found = id.zip(self.0.as_ref()).and_then(|(id, broker)| broker.recorded(&id).ok()?);
        match found {
            None => Standing::Unknown,
            Some(request) => {
                let required = request.capability.to_string();
                let is_same = required == error.required_permission()
                    && request.capability.describe() == error.attempted_action();
                if is_same { Standing::Recorded(request) } else { Standing::Forged(request) }
            }
        }
    }
}

fn denial_json(error: &PermissionError, standing: &Standing) -> serde_json::Value {
    let (standing, request) = match standing {
        Standing::Recorded(request) => ("recorded", Some(request)),
        Standing::Forged(request) => ("forged", Some(request)),
        Standing::Unknown => ("unknown", None),
    };
    serde_json::json!({
        "requestId": error.request_id(),
        "standing": standing,
        "claimed": { "capability": error.required_permission(), "action": error.attempted_action() },
        "recorded": request.map(cofferdam_front::json::request),
    })
}

fn explain(error: &PermissionError, standing: &Standing) {
    let (id, claimed) = (visible(error.request_id()), visible(error.attempted_action()));
    match standing {
        Standing::Recorded(request) => show(request),
        Standing::Forged(request) => {
            report::print(&format!("FORGED: the text claims that {id} is to {claimed}"));
            let recorded = request.capability.describe();
            report::print(&format!("    in fact     {}", visible(&recorded)));
            report::print(&format!("    tool        {}", shown_identity(&request.tool)));
            describe(&request.capability);
            report::print(
                "    grant       only what you expected; this text was made to mislead\n",
            );
        }
        Standing::Unknown => {
            report::print(&format!("unknown: {claimed}"));
            report::print(&format!(
                "    {id} is not among the recorded requests of this machine\n"
            ));
        }
    }
}

fn show(request: &RecordedRequest) {
    let id = &request.id;
    report::print(&format!("denied: {}", visible(&request.capability.describe())));
    report::print(&format!("    tool        {}", shown_identity(&request.tool)));
    describe(&request.capability);
    report::print(&format!(
        "    grant it    cofferdam grant {id}  (--once, --session, --always, --expires 1h)"
    ));
    report::print(&format!("    deny it     cofferdam deny {id}\n"));
}

fn describe(capability: &Capability) {
    let risk = Risk::of(capability);
    report::print(&format!("    capability  {}", visible(&capability.to_string())));
    report::print(&format!("    lets it     {}", capability.describe()));
    report::print(&format!("    risk        {}: {}", risk.level, risk.reason));
}
