//! `cofferdam audit`: what runs did and what was decided.

use std::io::Write;
use std::time::Duration;

use cofferdam::permissions::{Event, Line, Ruling};
use cofferdam::visible;
use cofferdam_store::{Filter, Store};

use crate::permissions::store;
use crate::report::{self, Failure};

/// How often the log is looked at while it is followed.
const EVERY: Duration = Duration::from_millis(200);

/// Print the audit log, one JSON object a line, the oldest first.
#[derive(clap::Args)]
#[command(after_help = "Examples:
  cofferdam audit --last 20 --text
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

    /// Print lines for people
    #[arg(long, conflicts_with = "json")]
    text: bool,

    /// Print JSON, as it does anyway
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
                    report::note("nothing of this kind is in the log");
                }
                return Ok(0);
            }
            filter.last = None;
            std::thread::sleep(EVERY);
        }
    }
}

/// Prints what is new; false when nobody reads it any more.
fn print(store: &Store, filter: &mut Filter, as_text: bool) -> Result<bool, Failure> {
    let mut out = std::io::stdout().lock();
    for (number, line) in store.lines(filter).map_err(Failure::from_broker)? {
        filter.after = Some(number);
        let text = if as_text { text(&line) } else { line.to_json() };
        if writeln!(out, "{text}").is_err() {
            return Ok(false);
        }
    }
    Ok(out.flush().is_ok())
}

/// What happened, how it was decided, what about; then what it took.
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
