//! `cofferdam explain`: finds denials in a text, and tells how to grant them.

use std::io::Read;

use cofferdam::permissions::Risk;
use cofferdam::{Capability, PermissionError, visible};

use crate::permissions;
use crate::place::{self, plain};
use crate::report::{self, Failure};

/// Longest text that is read.
const MAX_TEXT: u64 = 64 << 20;

/// Find denials in a text, such as the output of a run, and tell how to grant them.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam run tool.js 2>&1 | cofferdam explain
  cofferdam explain log.txt
  cofferdam explain 'network:fetch:GET@https://example.com'")]
pub(crate) struct Explain {
    /// A file, a capability, or `-` for standard input
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
        let text = self.text()?;
        let found = PermissionError::find_in(&text);
        if found.is_empty() {
            report::note("no denial found in this text");
            return Ok(1);
        }
        for error in found {
            match self.json {
                true => report::print(&error.to_json()),
                false => explain(&error),
            }
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
            _ if self.what.starts_with("req_") => Failure::usage(format!(
                "{}: is the id of a request, not a file",
                visible(&self.what)
            ))
            .hint("cofferdam requests   (lists what was denied)"),
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

fn explain(error: &PermissionError) {
    report::print(&format!("denied: {}", visible(error.attempted_action())));
    if let Ok(capability) = error.required_permission().parse::<Capability>() {
        describe(&capability);
    }
    let id = visible(error.request_id());
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
