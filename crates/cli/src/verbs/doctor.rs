//! `cofferdam doctor`: checks the machine, and explains the effect of anything that is missing.

mod guests;
mod keeping;
mod kernel;
mod memory;
mod walls;

use serde_json::json;

use crate::paint::{Paint, Tone};
use crate::report::{self, Failure};

/// Check this machine: what Cofferdam needs, what makes it fast, and the effect of anything
/// missing.
///
/// Exit codes: 0 everything needed is there, 1 something is missing.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam doctor
  cofferdam doctor --json | jq '.checks[] | select(.state != \"ok\")'")]
pub(crate) struct Doctor {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// The result of one check.
struct Check {
    name: &'static str,
    state: State,
    /// The value that was found.
    found: String,
    /// The effect of the check if it fails, or the use of the thing if it is there.
    matters: &'static str,
    /// The way out.
    hint: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Ok,
    /// Works, but more slowly, or without something that few need.
    Lost,
    /// Does not work.
    Failed,
}

impl Check {
    fn ok(name: &'static str, found: impl Into<String>, matters: &'static str) -> Self {
        Check { name, state: State::Ok, found: found.into(), matters, hint: None }
    }

    fn lost(name: &'static str, found: impl Into<String>, matters: &'static str) -> Self {
        Check { state: State::Lost, ..Check::ok(name, found, matters) }
    }

    fn failed(name: &'static str, found: impl Into<String>, matters: &'static str) -> Self {
        Check { state: State::Failed, ..Check::ok(name, found, matters) }
    }

    fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl State {
    fn name(self) -> &'static str {
        match self {
            State::Ok => "ok",
            State::Lost => "lost",
            State::Failed => "failed",
        }
    }

    fn tone(self) -> Tone {
        match self {
            State::Ok => Tone::Good,
            State::Lost => Tone::Note,
            State::Failed => Tone::Bad,
        }
    }
}

impl Doctor {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let mut checks = vec![version()];
        checks.extend(guests::checks());
        checks.extend(kernel::checks());
        checks.extend(memory::checks());
        checks.extend(keeping::checks());
        checks.extend(walls::checks());
        let has_failed = checks.iter().any(|check| check.state == State::Failed);
        match self.json {
            true => report::json(&json!({
                "ok": !has_failed,
                "checks": checks.iter().map(to_json).collect::<Vec<_>>(),
            })),
            false => checks.iter().for_each(show),
        }
        Ok(u8::from(has_failed))
    }
}

fn version() -> Check {
    let found = format!("cofferdam {}, {}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH);
    Check::ok("version", found, "")
}

fn show(check: &Check) {
    let paint = Paint::stdout();
    let state = paint.tone(check.state.tone(), &format!("{:<6}", check.state.name()));
    report::print(&format!("{state}  {:<14} {}", check.name, check.found));
    if check.state != State::Ok {
        report::print(&format!("{:24}{}", "", check.matters));
    }
    if let Some(hint) = &check.hint {
        report::print(&format!("{:24}{}", "", paint.tone(Tone::Hint, &format!("hint: {hint}"))));
    }
}

fn to_json(check: &Check) -> serde_json::Value {
    json!({
        "name": check.name,
        "state": check.state.name(),
        "found": check.found,
        "matters": check.matters,
        "hint": check.hint,
    })
}
