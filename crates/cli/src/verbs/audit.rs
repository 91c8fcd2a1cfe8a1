//! `cofferdam audit`: prints the audit log.

use std::io::Write;
use std::time::Duration;

use cofferdam::permissions::{Event, Line, Ruling};
use cofferdam::visible;
use cofferdam_store::{Filter, Store};

use crate::permissions::store;
use crate::report::{self, Failure};

/// Interval at which the log is read while it is followed.
const EVERY: Duration = Duration::from_millis(200);

/// Print the audit log, one JSON object per line, oldest first.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam audit --last 20 --text
  cofferdam audit --verdict deny
  cofferdam audit --follow | jq .capability")]
pub(crate) struct Audit {
    /// Keep printing new lines as they come
    #[arg(long)]
    follow: bool,

    /// Print only the last COUNT lines
    #[arg(long, value_name = "COUNT")]
    last: Option<u32>,

    /// Print only lines of this run
    #[arg(long, value_name = "RUN")]
    run: Option<String>,

    /// Print only lines of this event: start, end, check, grant, …
    #[arg(long, value_name = "EVENT")]
    event: Option<String>,

    /// Print only lines with this verdict: permit, deny, ask
    #[arg(long, value_name = "VERDICT")]
    verdict: Option<String>,

    /// Print only lines about this grant, request or question
    #[arg(long, value_name = "ID")]
    id: Option<String>,

    /// Print text instead of JSON
    #[arg(long, conflicts_with = "json")]
    text: bool,

    /// Print JSON (the default)
    #[arg(long)]
    json: bool,
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
            let is_read = print(&store, &mut filter, self.text)?;
            if !self.follow || !is_read {
                if filter.after.is_none() {
                    report::note("no such lines in the audit log");
                }
                return Ok(0);
            }
            filter.last = None;
            std::thread::sleep(EVERY);
        }
    }
}

/// Prints new lines. Returns false if standard output is closed.
fn print(store: &Store, filter: &mut Filter, as_text: bool) -> Result<bool, Failure> {
    let mut out = std::io::stdout().lock();
    for (number, line) in store.lines(filter).map_err(Failure::from_broker)? {
        filter.after = Some(number);
        // Also for a pipe, which may lead to a terminal after all.
        let text = if as_text { text(&line) } else { report::plain_json(line.to_json()) };
        if writeln!(out, "{text}").is_err() {
            return Ok(false);
        }
    }
    Ok(out.flush().is_ok())
}

/// Formats a line: event, verdict, subject, cost.
fn text(line: &Line) -> String {
    let mut words = vec![line.time.to_string(), line.event.name().to_owned()];
    words.extend(line.ruling.map(|ruling| ruling.name().to_owned()));
    let about = [&line.run, &line.capability, &line.target, &line.id, &line.note];
    words.extend(about.into_iter().flatten().map(|word| visible(word).into_owned()));
    if line.times > 1 {
        words.push(format!("{} times", line.times));
    }
    if line.cost.micros > 0 {
        words.push(format!("{:.3} ms", line.cost.micros as f64 / 1e3));
    }
    words.join("  ")
}
