//! `cofferdam audit`: what runs did and what was decided.

use std::io::Write;
use std::time::Duration;

use cofferdam::permissions::{Event, Ruling};
use cofferdam_store::{Filter, Store};

use crate::permissions::store;
use crate::report::Failure;

/// How often the log is looked at while it is followed.
const EVERY: Duration = Duration::from_millis(200);

/// Print the audit log, one JSON object a line, the oldest first.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam audit --last 20
  cofferdam audit --verdict deny
  cofferdam audit --follow | jq .capability")]
pub(crate) struct Audit {
    /// Go on as new lines come
    #[arg(long)]
    follow: bool,

    /// At most so many, the latest of them
    #[arg(long, value_name = "COUNT")]
    last: Option<u32>,

    /// Of this run
    #[arg(long, value_name = "RUN")]
    run: Option<String>,

    /// Of this event: start, end, check, grant, …
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,

    /// Decided like this: permit, deny, ask
    #[arg(long, value_name = "VERDICT")]
    verdict: Option<String>,

    /// About this grant, request or question
    #[arg(long, value_name = "ID")]
    id: Option<String>,
}

impl Audit {
    pub(crate) fn run(self) -> Result<u8, Failure> {
        let bad = |what: &str, error: &dyn std::fmt::Display| {
            Failure::usage(format!("--{what}: {error}"))
        };
        let event = self.event.as_deref().map(str::parse::<Event>).transpose();
        let ruling = self.verdict.as_deref().map(str::parse::<Ruling>).transpose();
        let mut filter = Filter {
            run: self.run,
            event: event.map_err(|e| bad("event", &e))?,
            ruling: ruling.map_err(|e| bad("verdict", &e))?,
            id: self.id,
            last: self.last,
            ..Filter::default()
        };
        let store = store()?;
        loop {
            let is_read = print(&store, &mut filter)?;
            if !self.follow || !is_read {
                return Ok(0);
            }
            filter.last = None;
            std::thread::sleep(EVERY);
        }
    }
}

/// Prints what is new; false when nobody reads it any more.
fn print(store: &Store, filter: &mut Filter) -> Result<bool, Failure> {
    let mut out = std::io::stdout().lock();
    for (number, line) in store.lines(filter).map_err(Failure::from_broker)? {
        filter.after = Some(number);
        if writeln!(out, "{}", line.to_json()).is_err() {
            return Ok(false);
        }
    }
    Ok(out.flush().is_ok())
}
